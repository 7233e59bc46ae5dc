import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { mintToken } from '../../src/accounts/mint-token.ts';
import { creditAccount } from '../../src/billing/credit-account.ts';
import { SCOPES } from '../../src/lib/caller.ts';
import { databaseClock } from '../../src/lib/clock.ts';
import { type Database, openDatabase } from '../../src/lib/db.ts';
import { parseId } from '../../src/lib/ids.ts';
import { silentLog } from '../../src/lib/log.ts';
import { pence } from '../../src/lib/money.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { type DatabaseProxy, startDatabaseProxy, type Verdict } from '../harness/database-proxy.ts';
import { flat } from '../harness/pictures.ts';
import { openPremises, type Premises, pictureOrder, teeOrder } from '../harness/premises.ts';
import { platenJson, type ServiceProcess, startServiceProcess } from '../harness/process.ts';
import { type Call, type FakeProvider, startProvider } from '../harness/provider.ts';
import { newReference } from '../harness/shop.ts';

// One order, decorated with a stranger's picture and paid in part by the balance and in part by card, is interrupted
// at each point of its life in turn. A real process is killed there; nothing in it knows of the tests: the points are
// seen from outside, by a proxy before the database, by the stranger's server, by the payment provider and by the
// receiver of webhooks.
//
//   PLATEN_NIGHTLY=1      all points: PLATEN_NIGHTLY=1 node --test test/faults/kill-points.test.ts (about four
// minutes)   PLATEN_KILL_SEED=…    which of them otherwise; a run says which seed it drew

const IS_NIGHTLY = process.env.PLATEN_NIGHTLY === '1';
const SEED = Number(process.env.PLATEN_KILL_SEED ?? Math.floor(Math.random() * 1_000_000));
/** Within this time after the last start all that was accepted is done (goals, "Trust"). */
const DONE_WITHIN_MS = 60_000;
const TOP_UP = pence(200);

type Point = {
  readonly title: string;
  /** Brings it about that the process is killed there, and nowhere else. */
  readonly arm: () => void;
};

/**
 * The statements of an order's life in their order; `from` is the one that must have come before, where a name says
 * too little.
 */
const REQUEST_STATEMENTS: readonly { readonly name: string; readonly from?: string }[] = [
  { name: 'accounts_live_token' },
  { name: 'orders_gather' },
  { name: 'artwork_known_report' },
  { name: 'orders_setup_rights' },
  { name: 'artwork_reserve' },
  { name: 'artwork_keep' },
  { name: 'orders_place' },
  // Once more, alone, since a card may pay.
  { name: 'orders_place', from: 'orders_place' },
  { name: 'orders_attempt' },
  { name: 'billing_provider_customer' },
  { name: 'orders_keep_intent' },
  { name: 'begin', from: 'orders_keep_intent' },
  { name: 'orders_lock_any' },
  { name: 'orders_locked' },
  { name: 'orders_leave_attempt' },
  { name: 'orders_waiting_one' },
  { name: 'orders_pay_by_method' },
  { name: 'orders_move' },
  { name: 'webhooks_publish' },
  { name: 'billing_post' },
  { name: 'commit', from: 'billing_post' },
  { name: 'orders_by_id', from: 'billing_post' },
];

/** Of its print file and of the news of it. */
const BACKGROUND_STATEMENTS: typeof REQUEST_STATEMENTS = [
  { name: 'artwork_print_file' },
  { name: 'artwork_reserve', from: 'artwork_print_file' },
  { name: 'artwork_mark_ready' },
  { name: 'queue_finish' },
  { name: 'webhooks_record', from: 'billing_post' },
];

let premises: Premises;
let proxy: DatabaseProxy;
let provider: FakeProvider;
let database: Database;
const clock = databaseClock();
let service: ServiceProcess;

/** What the stranger's server does with the next picture and the next delivery; put back after each point. */
let pictureStop: 'heard' | 'half sent' | 'sent' | undefined;
let deliveryStop: 'heard' | 'answered' | undefined;
let hasDied = false;
let startedAtMs = 0;

before(async () => {
  provider = await startProvider();
  premises = await openPremises({ ...provider.env }, async (own) => {
    proxy = await startDatabaseProxy(own);
    return proxy.url;
  });
  const { env, demo, stranger } = premises;
  const { address } = premises.database;
  database = await openDatabase({ address, clock, log: silentLog, connectionsMax: 1 });
  await platenJson(['stock', 'set', '--sku', 'TEE-CLASSIC-WHT-M', '--on-hand', '50000'], env);
  const card = ['--account', demo.account_id, '--kind', 'card', '--reference', 'pm_1'];
  await platenJson(['account', 'payment-method', ...card], env);
  stranger.serve('/hook', (_hit, response) => {
    if (deliveryStop === 'heard') die();
    response.writeHead(204).end(() => {
      if (deliveryStop === 'answered') die();
    });
  });
  await start();
  const subscribed = await premises.call('POST', '/webhooks', { url: stranger.url('/hook') });
  assert.equal(subscribed?.status, 201, subscribed?.text);
  const branded = await premises.call('POST', '/brands', { name: 'Fern', is_default: true });
  assert.equal(branded?.status, 201, branded?.text);
  // From here on the balance is what a test puts there.
  const dear = { product_id: demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 2_000, print_jobs: [] };
  const emptied = await premises.call('POST', '/orders', { ...teeOrder(premises), items: [dear] });
  assert.equal(emptied?.status, 201, emptied?.text);
});
after(async () => {
  if (service?.isRunning()) await service.kill();
  provider.letGo();
  await database.close();
  await proxy.close();
  await provider.close();
  await premises.close();
});

async function start(): Promise<void> {
  service = await startServiceProcess(premises.env);
  startedAtMs = performance.now();
}

/** Kills the process in the instant in which something outside of it sees where it is. */
function die(): void {
  if (hasDied) return;
  hasDied = true;
  process.kill(service.pid, 'SIGKILL');
}

/** Before a statement has reached the database, or after it was done and before the process has heard of it. */
function atStatement({ name, from }: (typeof REQUEST_STATEMENTS)[number], side: 'before' | 'after'): Point {
  const title = side === 'before' ? `before ${name} reaches the database` : `when ${name} is done and not heard of`;
  const arm = (): void => {
    let isFrom = from === undefined;
    const look = ({ statement }: { statement: string }, at: 'before' | 'after'): Verdict => {
      if (isFrom && at === side && (statement === name || statement.startsWith(`${name};`))) {
        die();
        return 'swallow';
      }
      if (statement === from) isFrom = true;
      return hasDied ? 'swallow' : 'pass';
    };
    proxy.watch({ before: (one) => look(one, 'before'), after: (one) => look(one, 'after') });
  };
  return { title: from === undefined ? title : `${title}, after ${from}`, arm };
}

const bothSides = (statements: typeof REQUEST_STATEMENTS): Point[] =>
  statements.flatMap((one) => [atStatement(one, 'before'), atStatement(one, 'after')]);

/** Before the provider does what it was asked, or once it has done it and nobody has heard. */
function atProvider(call: Call, side: 'before' | 'after'): Point {
  return {
    title:
      side === 'before'
        ? `before the provider does ${call}`
        : `when the provider has done ${call} and its answer is lost`,
    arm: () => {
      let isArmed = true;
      provider.before(call, async () => {
        if (!isArmed) return;
        isArmed = false;
        if (side === 'before') die();
        // The provider does its work in the same turn as it is done looking here, and then says nothing.
        else setImmediate(die);
      });
      if (side === 'after') provider.fail(call, 'hang after');
    },
  };
}

const FETCH: readonly Point[] = (['heard', 'half sent', 'sent'] as const).map((stop) => ({
  title: `when the request for its picture was ${stop === 'heard' ? 'heard' : `answered and ${stop}`}`,
  arm: () => {
    pictureStop = stop;
  },
}));

const DELIVERY: readonly Point[] = (['heard', 'answered'] as const).map((stop) => ({
  title: `when its event was ${stop} by the receiver`,
  arm: () => {
    deliveryStop = stop;
  },
}));

const ANSWERED: Point = { title: 'right after the answer', arm: () => {} };

/** The slow ones to recover from first, whose leases run out while the others are tried. */
const FAMILIES: readonly { readonly points: readonly Point[]; readonly drawn: number }[] = [
  { points: bothSides(BACKGROUND_STATEMENTS), drawn: 1 },
  {
    points: (['create', 'confirm'] as const).flatMap((call) => [atProvider(call, 'before'), atProvider(call, 'after')]),
    drawn: 1,
  },
  { points: DELIVERY, drawn: 1 },
  { points: bothSides(REQUEST_STATEMENTS), drawn: 1 },
  { points: FETCH, drawn: 1 },
  { points: [ANSWERED], drawn: 0 },
];

/** A few of a family, which ones is the seed's choice. */
function draw(points: readonly Point[], count: number): Point[] {
  let state = SEED;
  const left = [...points];
  return Array.from({ length: count }, () => {
    state = (Math.imul(state + 1, 1_103_515_245) + 12_345) >>> 0;
    return left.splice((state >>> 8) % left.length, 1)[0] ?? ANSWERED;
  });
}

const every = FAMILIES.flatMap(({ points }) => points);
const chosen = IS_NIGHTLY ? every : FAMILIES.flatMap(({ points, drawn }) => draw(points, drawn));

type Placed = { readonly reference: string; readonly id: string };
const placed: Placed[] = [];

test(`N198 there are at least forty points; seed ${SEED} tries ${chosen.length} of ${every.length}`, () => {
  assert.ok(new Set(every.map(({ title }) => title)).size >= 40);
});

for (const [at, point] of chosen.entries()) {
  test(`N198 killed ${point.title}: the retry gives the one order, and nothing is charged twice`, async () => {
    const accountId = parseId('acct', premises.demo.account_id);
    assert.ok(accountId !== undefined);
    const ctx = { database, clock };
    // Not seen before: whose it is is looked up, and not remembered from a moment ago.
    const { token } = await mintToken(ctx, { accountId, scopes: SCOPES });
    await creditAccount(ctx, { accountId, amountPence: TOP_UP, reference: '' });
    const picture = await flat(400 + at, 300, '#204060')
      .png()
      .toBuffer();
    premises.stranger.serve(`/point-${at}.png`, (_hit, response) => {
      const stop = pictureStop;
      pictureStop = undefined;
      if (stop === 'heard') die();
      response.writeHead(200, { 'content-length': picture.length });
      response.write(picture.subarray(0, picture.length / 2), () => {
        if (stop === 'half sent') die();
        response.end(picture.subarray(picture.length / 2), () => {
          if (stop === 'sent') die();
        });
      });
    });
    const reference = newReference();
    const order = pictureOrder(premises, `/point-${at}.png`, { external_reference: reference });

    hasDied = false;
    point.arm();
    const first = await premises.call('POST', '/orders', order, token);
    if (point === ANSWERED) die();
    await eventually('the point is reached', () => hasDied);
    await service.kill();
    disarm();
    if (first !== undefined) assert.equal(first.status, 201, first.text);

    await start();
    const again = await eventually('the retry is answered', async () => {
      const reply = await premises.call('POST', '/orders', order);
      if (reply === undefined || reply.status === 503) return undefined;
      assert.ok([200, 201].includes(reply.status), reply.text);
      return JSON.parse(reply.text) as CreatedOrder;
    });
    if (first !== undefined)
      assert.equal(again.id, (JSON.parse(first.text) as CreatedOrder).id, 'what was acknowledged stands');
    assert.ok(['paid', 'processing'].includes(again.payment_status), again.payment_status);
    assert.equal(again.brand?.name, 'Fern');
    const [orders] = await premises.query<{ count: string }>(
      'select count(*) as count from orders where external_reference = $1',
      [reference],
    );
    assert.equal(orders?.count, '1');
    placed.push({ reference, id: again.id });
    assert.ok((await chargesAtProvider(reference)) <= 1);
  });
}

function disarm(): void {
  proxy.watch({});
  pictureStop = undefined;
  deliveryStop = undefined;
  for (const call of ['create', 'confirm'] as const) {
    provider.before(call, async () => {});
    provider.fail(call);
  }
  provider.letGo();
}

/** How often the provider has taken money for an order. */
async function chargesAtProvider(reference: string): Promise<number> {
  const attempts = await premises.query<{ id: string }>(
    'select a.id from payment_attempt a join orders o on o.id = a.order_id where o.external_reference = $1',
    [reference],
  );
  const ids = new Set(attempts.map(({ id }) => id));
  const intents = provider.intents.filter(({ attempt }) => ids.has(attempt));
  return intents.reduce((sum, { charges }) => sum + charges, 0);
}

/** What processes that are gone have held for up to half a minute is free; a night's run waits for it instead. */
async function endLeases(): Promise<void> {
  await premises.query("update payment_attempt set look_at = created_at where state in ('open', 'unknown')");
  await premises.query('update job set run_at = created_at');
  await premises.query("update webhook_delivery set due_at = created_at where state in ('pending', 'retrying')");
}

test('N198 after all of this every order is paid once, at the provider and in the books, and made and told of within 60 s', async () => {
  const left = async () => {
    const [row] = await premises.query<Record<string, string>>(
      `select (select count(*) from payment_attempt where state in ('open', 'unknown')) as charges,
              (select count(*) from print_file where state <> 'ready') as files,
              (select count(*) from job) as jobs,
              (select count(*) from webhook_delivery where state <> 'succeeded') as deliveries`,
    );
    return Object.values(row ?? {}).every((count) => count === '0');
  };
  if (!IS_NIGHTLY) await endLeases();
  await eventually('all is done', left, DONE_WITHIN_MS);
  assert.ok(performance.now() - startedAtMs < DONE_WITHIN_MS + 5_000);

  const told = new Set<string>();
  for (const { path, body } of premises.stranger.hits) {
    if (path !== '/hook') continue;
    const { event, data } = JSON.parse(body.toString()) as { event: string; data: { order_id?: string } };
    if (event === 'order.created' && data.order_id !== undefined) told.add(data.order_id);
  }
  assert.ok(placed.length === chosen.length, 'every point was tried');
  for (const { reference, id } of placed) {
    const [books] = await premises.query<{ total: number; charged: number; created: number; payments: number }>(
      `select o.total_pence::integer as total,
              (select coalesce(sum(amount_pence), 0)::integer from posting p where p.order_id = o.id and p.kind = 'charge') as charged,
              (select count(*)::integer from event e where e.order_id = o.id and e.event = 'order.created') as created,
              (select count(*)::integer from payment p where p.order_id = o.id) as payments
       from orders o where o.external_reference = $1 and o.paid_at is not null`,
      [reference],
    );
    assert.ok(books !== undefined, `${reference} is not paid`);
    assert.deepEqual(books, { total: books.total, charged: books.total, created: 1, payments: 1 }, reference);
    assert.equal(await chargesAtProvider(reference), 1, `${reference} is charged once at the provider`);
    assert.ok(told.has(id), `the receiver was told of ${reference}`);
  }
  const [row] = await premises.query<{ taken: number; balance: number }>(
    `select (select coalesce(sum(amount_pence), 0)::integer from posting
             where kind = 'charge' and debit_account = 'card_clearing') as taken,
            (select sum(balance_pence)::integer from account_balance) as balance`,
  );
  const charged = provider.intents.reduce((sum, { amount, charges }) => sum + amount * charges, 0);
  assert.deepEqual(
    row,
    { taken: charged, balance: 0 },
    'the books agree with the provider, and each top-up went to its order',
  );
  assert.equal(await premises.violations(), '');
});
