import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Order } from '../../src/orders/schema.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import { sweepAttempts } from '../../src/payments/sweep.ts';
import { eventually } from '../harness/context.ts';
import { createTestDatabase, type TestDatabase } from '../harness/database.ts';
import { type DatabaseProxy, startDatabaseProxy } from '../harness/database-proxy.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { newReference, type OrderAnswer, openShop, type Shop } from '../harness/shop.ts';
import { assertSound, booksOf } from '../harness/written.ts';

/** The service's own limits: 15 s for a statement, 2 s more for an answer. All cases wait for them at the same time. */
const PAST_ALL_LIMITS_SECONDS = 40;
const SWEEP_AFTER_MS = 31_000;

let database: TestDatabase;
let proxy: DatabaseProxy;
let provider: FakeProvider;
let service: TestService;
let second: SecondConnection;

type Case = { readonly shop: Shop; readonly reference: string; readonly first: OrderAnswer };
/** An order whose statement was committed and whose answer never came. */
let unheard: Case;
/** Orders whose placing statement ran out of time, with a reference and without. */
let cutOff: Case;
let cutOffUnnamed: Case;
/**
 * Orders on a card: the statement that books the payment ran out of time, or the one that keeps the intent before it
 * can be confirmed.
 */
let unbooked: Case;
let unkept: Case;

before(async () => {
  provider = await startProvider();
  database = await createTestDatabase();
  proxy = await startDatabaseProxy(database);
  const behindProxy = { connectionString: proxy.url, database: database.address.database };
  // Without workers: the tests run the sweep themselves.
  service = await startTestService({ role: 'api', env: provider.env, database: { ...database, address: behindProxy } });
  second = await openSecondConnection(database);
  await second.query(`
    create table held_up (account_id uuid, what text);
    create function wait_here() returns trigger language plpgsql as $$ begin
      if exists (select from held_up where account_id = new.account_id and what = tg_argv[0]) then
        perform pg_sleep(${PAST_ALL_LIMITS_SECONDS});
      end if;
      return new;
    end $$;
    create trigger wait_here before insert on posting for each row execute function wait_here('placing');
    create trigger wait_here before insert on payment for each row execute function wait_here('booking');
    create trigger wait_here before update of intent_id on payment_attempt for each row execute function wait_here('keeping');
  `);
  const shops = [await openShop(service, 5), await openShop(service, 5), await openShop(service, 5)] as const;
  const [toBeUnheard, toBeCutOff, toBeCutOffUnnamed] = shops;
  const [toBeUnbooked, toBeUnkept] = [await openCardShop(), await openCardShop()];
  for (const [shop, what] of [
    [toBeCutOff, 'placing'],
    [toBeCutOffUnnamed, 'placing'],
    [toBeUnbooked, 'booking'],
    [toBeUnkept, 'keeping'],
  ] as const) {
    await second.query('insert into held_up values ($1, $2)', [shop.customer.accountId, what]);
  }

  let isHeld = false;
  proxy.watch({
    after: ({ statement }) => {
      if (isHeld || !statement.startsWith('orders_place')) return 'pass';
      isHeld = true;
      return 'swallow';
    },
  });
  const first = place(toBeUnheard, newReference());
  await eventually('the order is written and its answer is kept back', () => isHeld);
  const others = [toBeCutOff, toBeUnbooked, toBeUnkept].map((shop) => place(shop, newReference()));
  others.push(place(toBeCutOffUnnamed, ''));
  const [cut, booked, kept, unnamed] = await Promise.all(others);
  unheard = await first;
  assert.ok(cut !== undefined && booked !== undefined && kept !== undefined && unnamed !== undefined);
  [cutOff, unbooked, unkept, cutOffUnnamed] = [cut, booked, kept, unnamed];
  await second.query('delete from held_up');
});
after(async () => {
  await second.close();
  await service.stop();
  await proxy.close();
  await provider.close();
  await database.drop();
});

/** A shop with 2.00 on its balance and a card for the rest. */
async function openCardShop(): Promise<Shop> {
  const shop = await openShop(service, 0, 200);
  const reference = `pm_${newReference().replaceAll(/[^a-z0-9]/g, '')}`;
  await setPaymentMethod(service.ctx, { accountId: shop.customer.accountId, kind: 'card', reference });
  return shop;
}

async function place(shop: Shop, reference: string): Promise<Case> {
  return { shop, reference, first: await again(shop, reference) };
}

function again(shop: Shop, reference: string): Promise<OrderAnswer> {
  return shop.order(reference === '' ? {} : { external_reference: reference });
}

/** How often the provider has taken money for the orders of a shop. */
async function chargesOf(shop: Shop): Promise<number> {
  const attempts = await second.query('select id from payment_attempt where account_id = $1', [
    shop.customer.accountId,
  ]);
  const ids = new Set(attempts.map(({ id }) => id));
  return provider.intents.filter(({ attempt }) => ids.has(attempt)).reduce((sum, { charges }) => sum + charges, 0);
}

test('N206 the order was charged and its answer ran out of time: the same request is answered with that order, and so is its repeat', async () => {
  const { shop, reference, first } = unheard;
  // The connection gave no answer; what the reference leads to did.
  assert.equal(first.status, 200, first.text);
  assert.equal(first.body.payment_status, 'paid');
  const repeat = await again(shop, reference);
  assert.deepEqual([repeat.status, repeat.body.id], [200, first.body.id]);
  const { orders, charges, balance_pence } = await booksOf(service, shop.customer);
  assert.deepEqual([orders, charges, balance_pence], [1, 1, 4 * shop.totalPence]);
});

test('N206 the charge ran out of time and was undone: 503, no order and no charge; the repeat places it once', async () => {
  const { shop, reference, first } = cutOff;
  assert.deepEqual([first.status, first.body.code], [503, 'unavailable'], first.text);
  assert.ok(first.headers.get('retry-after'));
  assert.deepEqual(await booksOf(service, shop.customer), {
    orders: 0,
    paid: 0,
    charges: 0,
    charged_pence: 0,
    balance_pence: 5 * shop.totalPence,
  });
  const repeat = await again(shop, reference);
  assert.equal(repeat.status, 201, repeat.text);
  assert.deepEqual(
    [(await again(shop, reference)).status, (await again(shop, reference)).body.id],
    [200, repeat.body.id],
  );
  const { orders, charges, balance_pence } = await booksOf(service, shop.customer);
  assert.deepEqual([orders, charges, balance_pence], [1, 1, 4 * shop.totalPence]);
});

test('N206 an order without a reference whose charge ran out of time is 503, and nothing of it stands', async () => {
  const { shop, first } = cutOffUnnamed;
  assert.deepEqual([first.status, first.body.code], [503, 'unavailable'], first.text);
  const { orders, charges, balance_pence } = await booksOf(service, shop.customer);
  assert.deepEqual([orders, charges, balance_pence], [0, 0, 5 * shop.totalPence]);
});

const ON_CARD = [
  { title: 'the card was charged and its booking ran out of time', of: () => unbooked, charged: 1 },
  { title: 'the intent was made and its keeping ran out of time', of: () => unkept, charged: 0 },
];

for (const { title, of, charged } of ON_CARD) {
  test(`N206 ${title}: the order stands, its payment is under way, and a repeat charges nothing`, async () => {
    const { shop, reference, first } = of();
    assert.deepEqual([first.status, first.body.payment_status], [201, 'processing'], first.text);
    assert.equal(await chargesOf(shop), charged);
    const repeat = await again(shop, reference);
    assert.deepEqual([repeat.status, repeat.body.id], [200, first.body.id], repeat.text);
    assert.equal(await chargesOf(shop), charged);
    assert.equal((await booksOf(service, shop.customer)).orders, 1);
  });
}

test('N206 the sweep then finds out what the provider has done: each order is charged once, and the books say so', async () => {
  service.shiftMs(SWEEP_AFTER_MS);
  await sweepAttempts(service.ctx);
  service.shiftMs(SWEEP_AFTER_MS);
  assert.equal(await sweepAttempts(service.ctx), 0, 'and nothing is left to be looked at again');
  for (const { title, of } of ON_CARD) {
    const { shop, first } = of();
    const order = await shop.customer.request<Order>('GET', `/orders/${first.body.id}`);
    assert.equal(order.body.payment_status, 'paid', title);
    assert.equal(await chargesOf(shop), 1, title);
    const { orders, charges, charged_pence, balance_pence } = await booksOf(service, shop.customer);
    assert.deepEqual([orders, charges, balance_pence], [1, 1, 0], title);
    assert.equal(charged_pence, Math.round(first.body.charged.total * 100), title);
  }
  await assertSound(service);
});

test('N205 the connection is cut when a card payment was booked and before that is heard: paid once, and the repeat says so', async () => {
  const shop = await openCardShop();
  const reference = newReference();
  let isBooked = false;
  let cuts = 0;
  proxy.watch({
    after: ({ statement }) => {
      if (statement === 'billing_post') isBooked = true;
      if (!isBooked || cuts > 0 || !statement.startsWith('commit')) return 'pass';
      cuts += 1;
      return 'cut';
    },
  });
  const first = await again(shop, reference);
  proxy.watch({});
  assert.equal(cuts, 1, 'the answer to the commit was cut off');
  // Whether it was booked could not be heard; what is answered is what is known for sure.
  assert.deepEqual([first.status, first.body.payment_status], [201, 'processing'], first.text);
  const repeat = await again(shop, reference);
  assert.deepEqual(
    [repeat.status, repeat.body.id, repeat.body.payment_status],
    [200, first.body.id, 'paid'],
    repeat.text,
  );
  service.shiftMs(SWEEP_AFTER_MS);
  assert.equal(await sweepAttempts(service.ctx), 0);
  assert.equal(await chargesOf(shop), 1);
  const { orders, charges, balance_pence } = await booksOf(service, shop.customer);
  assert.deepEqual([orders, charges, balance_pence], [1, 1, 0]);
  await assertSound(service);
});
