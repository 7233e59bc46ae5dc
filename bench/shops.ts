import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { openLinkedProcess } from '../test/harness/linked-process.ts';
import { quantile } from './fair/report.ts';

const HELP = `npm run bench:shops [-- --orders 100] [--per-second 4] [--lost 24] [--platform woocommerce]

A shop of WooCommerce, or of Shopify (--platform shopify), is linked with a service in a process of its own. Buyers order one after another, and the shop says
so: how long until each order is placed. Then each order is shipped: how long until the shop has its tracking number.
Then, one in five seconds, orders of which the shop says nothing: how long until they are found. Prints all as
quantiles; the goals are 3 s, 5 s and 300 s for 95 of 100.
`;

const { values: options } = parseArgs({
  options: {
    orders: { type: 'string', default: '100' },
    'per-second': { type: 'string', default: '4' },
    lost: { type: 'string', default: '24' },
    platform: { type: 'string', default: 'woocommerce' },
    help: { type: 'boolean', default: false },
  },
});
const [orders, perSecond, lost] = [Number(options.orders), Number(options['per-second']), Number(options.lost)];
const { platform } = options;
const isKnown = platform === 'woocommerce' || platform === 'shopify';
if (options.help || !isKnown || !(orders > 0) || !(perSecond > 0) || !(lost >= 0)) {
  process.stdout.write(HELP);
  process.exit(options.help ? 0 : 2);
}

const WITHIN_MS = 60_000;
const POLL_MS = 20;
const LOST_EVERY_MS = 5_000;
const EVERY_MS = 1_000 / perSecond;

const linked = await openLinkedProcess(WITHIN_MS, platform);
const { card, shop } = linked;
try {
  // The first print file, and the code that is loaded by the first order.
  await placed(1, EVERY_MS);
  report('said by the shop until it is placed', await placed(orders, EVERY_MS));
  await card.query('update orders set cancellable_until = placed_at');
  report('shipped until the shop has its tracking number', await shipped());
  if (lost > 0)
    report('bought, with no word of it, until it is placed', await placed(lost, LOST_EVERY_MS, { isSaid: false }));
} finally {
  await card.close(card.service);
  await linked.close();
}

/** Has so many orders made, and returns how long each took until it was placed, in milliseconds. */
async function placed(count: number, everyMs: number, { isSaid } = { isSaid: true }): Promise<number[]> {
  const saidAt = new Map<string, number>();
  for (let at = 0; at < count; at += 1) {
    const id = shop.sell();
    saidAt.set(id, Date.now());
    if (isSaid) await shop.tell(id);
    await sleep(everyMs);
  }
  const ids = [...saidAt.keys()];
  const read =
    'select shop_order_id as id, ended_at from channel_order where shop_order_id = any($1) and ended_at is not null';
  for (;;) {
    const rows = await card.query<{ id: string; ended_at: Date }>(read, [ids]);
    if (rows.length === count) return rows.map(({ id, ended_at: at }) => at.getTime() - (saidAt.get(id) ?? 0));
    await sleep(POLL_MS);
  }
}

/** Ships all orders one after another, and returns how long each took until the shop had its number. */
async function shipped(): Promise<number[]> {
  const rows = await card.query<{ reference: string; id: string }>(
    `select o.reference, s.shop_order_id as id from channel_order s join orders o on o.id = s.order_id order by s.id`,
  );
  const took: number[] = [];
  const waiting: Promise<void>[] = [];
  for (const { reference, id } of rows) {
    await linked.ship(reference);
    waiting.push(untilKnown(id, Date.now(), took));
  }
  await Promise.all(waiting);
  return took;
}

async function untilKnown(id: string, beganMs: number, took: number[]): Promise<void> {
  while (shop.parcelsOf(id).length === 0 && Date.now() - beganMs < WITHIN_MS) await sleep(POLL_MS);
  took.push(Date.now() - beganMs);
}

function report(what: string, ms: readonly number[]): void {
  const [half, most] = [quantile(ms, 0.5), quantile(ms, 0.95)].map((each) => Math.round(each));
  const most100 = Math.round(Math.max(...ms));
  process.stdout.write(
    `${what}: ${half} ms in the middle, ${most} ms for 95 of 100, ${most100} ms at most (${ms.length})\n`,
  );
}
