import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId, type Uuid } from '../../../src/lib/ids.ts';
import type { CardProcess } from '../card-process.ts';
import { eventually } from '../context.ts';
import { type LinkedProcess, type LinkedTo, openLinkedProcess } from '../linked-process.ts';
import { runPlaten, type ServiceProcess, startServiceProcess } from '../process.ts';
import type { LinkedShop } from './shop.ts';

// A shop on a bad day: notices are lost, doubled and out of order, the shop is away for a moment and then for hours,
// and the service is killed again and again. `npm run night -- shops` has 10,000 orders, 100 kills and eight hours.

const ORDERS = Number(process.env.PLATEN_TEST_SHOP_ORDERS ?? 24);
/** Of these, what is bought while the shop answers no one else, and says nothing. */
const IN_OUTAGE = Math.ceil(ORDERS / 10);
const IS_NIGHT = process.env.PLATEN_NIGHTLY === '1';
const OUTAGE_HOURS = IS_NIGHT ? 8 : 2;
const KILLS = Number(process.env.PLATEN_TEST_KILLS ?? 3);
const DONE_WITHIN_MS = 120_000 + ORDERS * 100;
const LANES = 6;
let linked: LinkedProcess;
let card: CardProcess;
let shop: LinkedShop;
let service: ServiceProcess;

/** Has what a killed worker held go on at once: its leases are older than its end. What runs is left alone. */
async function release(killedAt: Uuid): Promise<void> {
  const held = "update job set run_at = created_at where lease_token < $1 and kind like 'shop_%'";
  await card.query(held, [killedAt]);
}

/** Has the shop asked again now, though it has failed before, or nothing is due. */
async function askAgain(): Promise<void> {
  await card.query(
    "update channel_link set retry_at = null, next_sync_at = now(), synced_at = now() - interval '10 minutes'",
  );
}

/** Has an hour go by for what is known of the shop, and waits until it was asked once more in vain. */
async function passHourAway(): Promise<void> {
  // The database is away with the service that is killed meanwhile.
  const insist = async (text: string): Promise<number> => {
    const ask = () => card.query<{ failures: number }>(text).catch(() => undefined);
    const [link] = await eventually('the database is there', ask, DONE_WITHIN_MS);
    return link?.failures ?? 0;
  };
  const before = await insist(`update channel_link set retry_at = now(), next_sync_at = now(),
    synced_at = synced_at - interval '1 hour', fault_since = fault_since - interval '1 hour' returning failures`);
  const isAskedAgain = async (): Promise<boolean> => (await insist('select failures from channel_link')) !== before;
  await eventually('it was asked in vain', isAskedAgain, DONE_WITHIN_MS);
}

/** Does something while the service is killed so many times; what it was given goes on until the last kill. */
async function whileKilled(kills: number, work: () => Promise<void>): Promise<void> {
  const kill = async (): Promise<void> => {
    for (let at = 0; at < kills; at += 1) {
      await sleep(200 + (at % 7) * 90);
      await service.kill();
      const killedAt = newId();
      service = await startServiceProcess(card.env);
      await release(killedAt);
      await askAgain();
    }
  };
  await Promise.all([work(), kill()]);
}

const beganMs = performance.now();

/** Says at night how far it is: it takes hours then. */
function say(words: string): void {
  if (IS_NIGHT) process.stdout.write(`${words} after ${Math.round((performance.now() - beganMs) / 1_000)} s\n`);
}

async function inLanes<Item>(items: readonly Item[], work: (item: Item, at: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: LANES }, async () => {
      for (let at = next++; at < items.length; at = next++) await work(items[at] as Item, at);
    }),
  );
}

async function haveBadDay(): Promise<void> {
  const orders: string[] = [];
  await whileKilled(KILLS, async () => {
    await inLanes(Array.from({ length: ORDERS - IN_OUTAGE }), async (_item, at) => {
      const order = shop.sell();
      orders.push(order);
      if (at % 50 === 20) {
        shop.fail(5, 'page');
      }
      // One notice in five is lost, one comes twice, and each is of an order of some time ago.
      const earlier = orders[Math.max(0, orders.length - 1 - (at % 9))] ?? order;
      if (at % 5 !== 0) await shop.tell(earlier);
      if (at % 5 === 1) await shop.tell(earlier);
    });
  });
  shop.mend();
  say(`${orders.length} orders are sold, under ${KILLS} kills,`);
  await whileKilled(Math.ceil(KILLS / 10), async () => {
    shop.fail(Number.POSITIVE_INFINITY, 'page');
    for (let order = 0; order < IN_OUTAGE; order += 1) orders.push(shop.sell());
    for (let hour = 0; hour < OUTAGE_HOURS; hour += 1) await passHourAway();
  });
  shop.mend();
  say(
    `${IN_OUTAGE} more are sold while the shop was away for ${OUTAGE_HOURS} hours, under ${Math.ceil(KILLS / 10)} kills,`,
  );
  await eventually(
    'all orders are placed',
    async () => {
      await askAgain();
      await sleep(500);
      const rows = await card.query<{ state: string; orders: number }>(
        'select state, count(*)::integer as orders from channel_order group by 1',
      );
      return rows.length === 1 && rows[0]?.state === 'placed' && rows[0].orders === ORDERS;
    },
    DONE_WITHIN_MS,
  );

  say(`all ${ORDERS} orders are placed`);
  await card.query('update orders set cancellable_until = placed_at');
  const placed = await card.query<{ id: string; reference: string }>(
    "select reference from orders where source = 'channel' order by id",
  );
  await whileKilled(KILLS, () =>
    inLanes(placed, async ({ reference }, at) => {
      if (at % 50 === 20) shop.fail(5, 'reset');
      await linked.ship(reference);
    }),
  );
  shop.mend();
  say(`all parcels are sent, under ${KILLS} kills,`);
  await eventually(
    'the shop has completed all orders',
    async () => {
      await askAgain();
      await sleep(500);
      return orders.every(shop.isDone);
    },
    DONE_WITHIN_MS,
  );
  const parcels = orders.map(shop.parcelsOf);
  assert.deepEqual(
    parcels.filter(({ length }) => length !== 1),
    [],
    'each order has one parcel, and its buyer was written to once',
  );
  const numbers = new Set(parcels.flat());
  assert.equal(numbers.size, ORDERS, 'each has its own number');
  const [counted] = await card.query<{ orders: number; apart: number }>(
    `select count(*)::integer as orders, count(distinct external_reference)::integer as apart from orders
     where source = 'channel'`,
  );
  assert.deepEqual(counted, { orders: ORDERS, apart: ORDERS });
  say(`the shop knows each of ${numbers.size} parcels once,`);
  const { status, stdout } = await runPlaten(['verify', '--json'], card.env);
  assert.equal(status, 0, stdout);
}

/**
 * Has a test of a shop of a platform: its orders are placed once, none is lost, and each parcel is reported once,
 * whatever fails in between.
 */
export function testBadDay(platform: LinkedTo): void {
  before(async () => {
    linked = await openLinkedProcess(DONE_WITHIN_MS, platform);
    ({ card, shop } = linked);
    ({ service } = card);
  });
  after(async () => {
    await card?.close(service);
    await linked?.close();
  });
  test(
    `orders of a shop of ${platform} are placed once and none is lost, and each parcel is reported once, whatever fails`,
    haveBadDay,
  );
}
