import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { isoTime } from '../../../src/lib/clock.ts';
import { newId, parseId, publicId, type Uuid } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { envelope } from '../../../src/webhooks/envelope.ts';
import type { Event } from '../../../src/webhooks/event-schema.ts';
import { EVENT_NAMES, type OrderEvent } from '../../../src/webhooks/events.ts';
import { publishEvent } from '../../../src/webhooks/publish.ts';
import { eventually } from '../../harness/context.ts';
import { openSecondConnection, type SecondConnection } from '../../harness/second-connection.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME, problemsOf } from '../../harness/shop.ts';
import { everythingWritten, rows } from '../../harness/written.ts';

const DAY_MS = 86_400_000;

let service: TestService;
let second: SecondConnection;
before(async () => {
  service = await startTestService();
  second = await openSecondConnection(service.database);
});
after(async () => {
  await second.close();
  await service.stop();
});

async function openShop(): Promise<Customer & { tote: string }> {
  const customer = await service.openCustomer({ balancePence: 1_000_000 });
  return { ...customer, tote: await addProduct(service, customer, 'TOTE-COTTON') };
}

async function place(shop: Customer & { tote: string }, changes: object = {}): Promise<CreatedOrder> {
  const items = [{ product_id: shop.tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const answer = await shop.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME, ...changes });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function read(customer: Customer, query = ''): Promise<Page<Event>> {
  const answer = await customer.request<Page<Event>>('GET', `/events${query}`);
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(Object.keys(answer.body), ['data', 'has_more', 'next_cursor', 'log_begins_at']);
  assert.equal(answer.body.has_more, answer.body.next_cursor !== null);
  return answer.body;
}

/**
 * Reads until so many events are there: those of a moment ago show once no earlier transaction runs any more,
 * anywhere.
 */
async function readWhole(customer: Customer, count: number, query = ''): Promise<readonly Event[]> {
  return eventually(`${count} events`, async () => {
    const { data } = await read(customer, query);
    return data.length >= count && data;
  });
}

type Told = { readonly event?: OrderEvent; readonly at?: Date; readonly orderId?: Uuid; readonly sequence?: number };

/** Records an event of an order that need not exist; its public id. */
async function tell(customer: Customer, told: Told = {}): Promise<string> {
  const { event = ON_HOLD, at = service.ctx.clock.now(), orderId = newId(), sequence = 1 } = told;
  const id = await publishEvent(service.ctx.database, {
    ...event,
    accountId: customer.accountId,
    orderId,
    sequence,
    createdAt: at,
    dueAt: at,
  });
  return publicId('evt', id);
}

const ON_HOLD: OrderEvent = {
  event: 'order.on_hold',
  data: { reference: 'PF-2345ABCD', status: 'pending', reason: 'Address – “check”' },
};

/** An event of each name, as its transition would tell it. */
const EACH: readonly OrderEvent[] = [
  {
    event: 'order.created',
    data: {
      order_id: publicId('ord', newId()),
      reference: 'PF-2345ABCD',
      external_reference: '',
      status: 'confirmed',
      total: 15.98,
      currency: 'GBP',
      item_count: 1,
    },
  },
  {
    event: 'order.payment_failed',
    data: {
      order_id: publicId('ord', newId()),
      reference: 'PF-2345ABCD',
      amount_gbp: 15.98,
      paid_gbp: 0,
      remaining_gbp: 15.98,
      failed_method: 'balance',
      reason: 'The balance does not cover it.',
    },
  },
  {
    event: 'order.in_production',
    data: { order_id: publicId('ord', newId()), reference: 'PF-2345ABCD', status: 'in_production' },
  },
  {
    event: 'order.shipment_created',
    data: {
      reference: 'PF-2345ABCD',
      status: 'in_production',
      shipment: {
        tracking_number: 'T1',
        carrier: 'Royal Mail',
        tracking_url: null,
        items: [{ variant_sku: 'TOTE-COTTON-NAT', name: 'Tote', quantity: 1 }],
      },
    },
  },
  {
    event: 'order.dispatched',
    data: { reference: 'PF-2345ABCD', status: 'dispatched', carrier: 'Royal Mail', tracking_numbers: ['T1'] },
  },
  {
    event: 'order.cancelled',
    data: {
      order_id: publicId('ord', newId()),
      reference: 'PF-2345ABCD',
      status: 'cancelled',
      refunded_gbp: 15.98,
      cancelled_by: 'api',
    },
  },
  ON_HOLD,
];

test('6.2 the log shows the events of an account, each as it is delivered, byte for byte', async () => {
  const shop = await openShop();
  service.stranger.serve('/log-hook', { status: 204 });
  await shop.request('POST', '/webhooks', { url: service.stranger.url('/log-hook') });
  const order = await place(shop, { external_reference: `log-${newId()}`, notes: 'Grüße' });
  const [event] = await readWhole(shop, 1);
  const hit = await eventually('the delivery', () => service.stranger.hits.find(({ path }) => path === '/log-hook'));
  assert.equal(JSON.stringify(event), hit.body.toString('utf8'));
  assert.equal(event?.event, 'order.created');
  assert.deepEqual(event?.event === 'order.created' && event.data.order_id, order.id);
  const page = await read(shop);
  assert.deepEqual([page.data.length, page.has_more, page.next_cursor], [1, false, null]);
});

test('6.1 every kind of event is in the log with the data it was recorded with, subscribed or not', async () => {
  const shop = await openShop();
  for (const event of EACH) await tell(shop, { event });
  const shown = await readWhole(shop, EACH.length);
  assert.deepEqual(
    shown.map(({ event, data }) => ({ event, data })),
    EACH,
  );
  assert.deepEqual(new Set(shown.map(({ event }) => event)), new Set(EVENT_NAMES));
});

test('the log is read in pages from the oldest event on, and goes on from the last event read', async () => {
  const shop = await openShop();
  const told: string[] = [];
  for (let count = 0; count < 7; count += 1) told.push(await tell(shop));
  await readWhole(shop, 7);
  const found: string[] = [];
  let cursor = '';
  for (;;) {
    const page = await read(shop, `?limit=3${cursor}`);
    found.push(...page.data.map(({ id }) => id));
    if (page.next_cursor === null) break;
    assert.equal(page.next_cursor, page.data.at(-1)?.id);
    cursor = `&cursor=${page.next_cursor}`;
  }
  assert.deepEqual(found, told);
  const last = told.at(-1);
  assert.deepEqual((await read(shop, `?cursor=${last}`)).data, [], 'nothing new yet');
  const next = await tell(shop);
  const [fresh] = await readWhole(shop, 1, `?cursor=${last}`);
  assert.equal(fresh?.id, next);
  const exact = await read(shop, '?limit=8');
  assert.deepEqual([exact.data.length, exact.has_more, exact.next_cursor], [8, false, null]);
});

test('newest first, to look at: pages go back in time, by event, order and time as the other way round', async () => {
  const shop = await openShop();
  const orderId = newId();
  const dispatched = EACH.find(({ event }) => event === 'order.dispatched') ?? ON_HOLD;
  const told: string[] = [];
  for (const more of [{}, { orderId }, { event: dispatched }, { orderId, sequence: 2 }, {}]) {
    told.push(await tell(shop, more));
  }
  await readWhole(shop, told.length);
  const ids = async (query: string) => (await read(shop, `?sort=newest${query}`)).data.map(({ id }) => id);
  assert.deepEqual(await ids(''), told.toReversed());
  const page = await read(shop, '?sort=newest&limit=2');
  assert.deepEqual([page.data.map(({ id }) => id), page.next_cursor], [[told[4], told[3]], told[3]]);
  assert.deepEqual(await ids(`&limit=2&cursor=${page.next_cursor}`), [told[2], told[1]]);
  assert.deepEqual(await ids(`&cursor=${told[0]}`), []);
  assert.deepEqual(await ids(`&order=${publicId('ord', orderId)}`), [told[3], told[1]]);
  assert.deepEqual(await ids('&event=order.dispatched'), [told[2]]);
  assert.deepEqual(await ids(`&event=order.on_hold&cursor=${told[3]}`), [told[1], told[0]]);
  const [since] = (await read(shop, `?sort=newest&limit=1`)).data;
  assert.ok((await ids(`&since=${since?.created_at}`)).includes(told[4] ?? ''));
  assert.deepEqual(await ids('&since=2199-01-01T00:00:00.000Z'), []);
  assert.equal((await shop.request('GET', '/events?sort=oldest')).status, 422);
});

test('the log does not skip: what an open transaction may precede is held back until it has ended', async () => {
  const shop = await openShop();
  const early = await tell(shop);
  await readWhole(shop, 1);
  // A slow writer takes its transaction's id first and commits last.
  const slow = newId();
  await second.query('begin');
  await second.query(
    `insert into event (id, account_id, order_id, sequence, event, data, created_at)
     values ('${slow}', '${shop.accountId}', '${newId()}', 1, 'order.on_hold', '${JSON.stringify(ON_HOLD.data)}', clock_timestamp())`,
  );
  const fast = [await tell(shop), await tell(shop)];
  const filters = ['', '&event=order.on_hold', `&since=${isoTime(new Date(Date.now() - DAY_MS))}`];
  for (const filter of filters) {
    const page = await read(shop, `?limit=1${filter}`);
    assert.deepEqual(
      page.data.map(({ id }) => id),
      [early],
      'committed events stay hidden behind the open transaction',
    );
    assert.equal(page.next_cursor, null, 'and are no further page');
    assert.deepEqual((await read(shop, `?cursor=${early}${filter}`)).data, []);
  }
  await second.query('commit');
  for (const filter of filters) {
    const after = await readWhole(shop, 3, `?cursor=${early}${filter}`);
    assert.deepEqual(
      after.map(({ id }) => id),
      [publicId('evt', slow), ...fast],
    );
  }
});

test('a reader that polls while many write reads every event once', async () => {
  const shop = await openShop();
  const told = new Set<string>();
  let isDone = false;
  const writers = Promise.all(
    Array.from({ length: 8 }, async () => {
      for (let count = 0; count < 25; count += 1) told.add(await tell(shop));
    }),
  ).finally(() => {
    isDone = true;
  });
  const seen: string[] = [];
  await eventually('the end of the log', async () => {
    const finished = isDone;
    const cursor = seen.length === 0 ? '' : `&cursor=${seen.at(-1)}`;
    const { data } = await read(shop, `?limit=7${cursor}`);
    seen.push(...data.map(({ id }) => id));
    return finished && data.length === 0 && seen.length >= 200;
  });
  await writers;
  assert.equal(seen.length, 200);
  assert.deepEqual(new Set(seen), told);
});

test('a rolled back change is in no log', async () => {
  const shop = await openShop();
  await second.query('begin');
  await second.query(
    `insert into event (id, account_id, order_id, sequence, event, data, created_at)
     values ('${newId()}', '${shop.accountId}', '${newId()}', 1, 'order.on_hold', '{}', clock_timestamp())`,
  );
  await second.query('rollback');
  const told = await tell(shop);
  assert.deepEqual(
    (await readWhole(shop, 1)).map(({ id }) => id),
    [told],
  );
});

test('the log of one order is found by its id and by its reference in any case, alone or with other filters', async () => {
  const shop = await openShop();
  const order = await place(shop);
  await place(shop);
  await readWhole(shop, 2);
  for (const name of [order.id, order.reference, order.reference.toLowerCase()]) {
    const page = await read(shop, `?order=${name}`);
    assert.deepEqual(
      page.data.map((event) => event.event === 'order.created' && event.data.order_id),
      [order.id],
    );
    assert.equal((await read(shop, `?order=${name}&event=order.created`)).data.length, 1);
    assert.equal((await read(shop, `?order=${name}&event=order.cancelled`)).data.length, 0);
    assert.equal((await read(shop, `?order=${name}&cursor=${page.data[0]?.id}`)).data.length, 0);
  }
});

test('1.7 events of another account are in no log, and its order has as few as an order of nobody', async () => {
  const shop = await openShop();
  const order = await place(shop);
  const [theirs] = await readWhole(shop, 1);
  const other = await openShop();
  assert.deepEqual((await read(other)).data, []);
  for (const name of [order.id, order.reference, publicId('ord', newId()), 'PF-22222222']) {
    const { text } = await other.request('GET', `/events?order=${name}`);
    assert.match(
      text,
      /^\{"data":\[\],"has_more":false,"next_cursor":null,"log_begins_at":"\d{4}-\d\d-\d\dT\d\d:00:00\.000Z"\}$/,
      name,
    );
  }
  // A cursor is a position, whoever has the event.
  const own = await tell(other);
  await readWhole(other, 1);
  assert.deepEqual(
    (await read(other, `?cursor=${theirs?.id}`)).data.map(({ id }) => id),
    [own],
  );
  assert.deepEqual((await read(other, `?cursor=${publicId('evt', newId())}`)).data, [], 'later than all');
});

test('events of names: one, several, repeated; in the order of the log', async () => {
  const shop = await openShop();
  for (const event of [...EACH, ...EACH]) await tell(shop, { event });
  await readWhole(shop, 2 * EACH.length);
  const names = async (query: string): Promise<readonly string[]> => (await read(shop, query)).data.map((e) => e.event);
  assert.deepEqual(await names('?event=order.cancelled'), ['order.cancelled', 'order.cancelled']);
  const both = ['order.created', 'order.on_hold', 'order.created', 'order.on_hold'];
  assert.deepEqual(await names('?event=order.on_hold,order.created,order.on_hold'), both);
  const first = await read(shop, '?event=order.on_hold,order.created&limit=3');
  assert.deepEqual(
    first.data.map(({ event }) => event),
    both.slice(0, 3),
  );
  assert.deepEqual(await names(`?event=order.on_hold,order.created&cursor=${first.next_cursor}`), both.slice(3));
});

test('the log reaches back 30 days, and since narrows it to the millisecond', async () => {
  const shop = await openShop();
  const now = service.ctx.clock.now().getTime();
  const ages = [40 * DAY_MS, 31 * DAY_MS, 29 * DAY_MS, 2 * DAY_MS, DAY_MS];
  const told: string[] = [];
  for (const age of ages) told.push(await tell(shop, { at: new Date(now - age) }));
  await readWhole(shop, 3);
  const idsSince = async (query: string): Promise<string[]> => (await read(shop, query)).data.map(({ id }) => id);
  assert.deepEqual(await idsSince(''), told.slice(2));
  assert.deepEqual(await idsSince('?since=1970-01-01T00:00:00.000Z'), told.slice(2));
  assert.deepEqual(await idsSince(`?cursor=${told[0]}`), told.slice(2), 'a cursor older than the log');
  assert.deepEqual(await idsSince(`?since=${isoTime(new Date(now - 2 * DAY_MS))}`), told.slice(3));
  assert.deepEqual(await idsSince(`?since=${isoTime(new Date(now - 2 * DAY_MS + 1))}`), told.slice(4));
  assert.deepEqual(await idsSince(`?since=${isoTime(new Date(now - 2 * DAY_MS))}&cursor=${told[3]}`), told.slice(4));
  assert.deepEqual(await idsSince('?since=9999-12-31T23:59:59.999Z'), []);
  const [{ count } = { count: 0 }] = await rows<{ count: number }>(
    service,
    'select count(*) as count from event where account_id = $1',
    [shop.accountId],
  );
  assert.equal(count, 5, 'reading takes nothing away');
});

test('an event that was recorded before one of an earlier time is not lost to since', async () => {
  const shop = await openShop();
  const at = service.ctx.clock.now();
  const later = await tell(shop, { at });
  // Its request began first and took nearly ten minutes to be recorded.
  await tell(shop, { at: new Date(at.getTime() - 599_000) });
  await readWhole(shop, 2);
  const page = await read(shop, `?since=${isoTime(at)}`);
  assert.deepEqual(
    page.data.map(({ id }) => id),
    [later],
  );
});

const REFUSED: readonly (readonly [query: string, problems: readonly string[]])[] = [
  ['limit=0', ['limit pattern']],
  ['limit=101', ['limit pattern']],
  ['limit=1&limit=2', ['limit duplicate']],
  ['cursor=', ['cursor pattern']],
  [`cursor=${publicId('ord', newId())}`, ['cursor pattern']],
  ['order=', ['order pattern']],
  ['order=42', ['order pattern']],
  [`order=${publicId('prod', newId())}`, ['order pattern']],
  ['order=PF-2345ABC0', ['order pattern']],
  ['event=', ['event out_of_bounds']],
  ['event=order.delivered', ['event unknown_value']],
  ['event=order.created,', ['event unknown_value']],
  ['event=Order.created,x', ['event unknown_value', 'event unknown_value']],
  ['since=', ['since pattern']],
  ['since=yesterday', ['since pattern']],
  ['since=2026-11-21', ['since pattern']],
  ['since=2026-11-21T09:30:00Z', ['since pattern']],
  ['since=2026-11-21T09:30:00.000%2B00:00', ['since pattern']],
  ['since=2026-02-30T00:00:00.000Z', ['since time']],
  ['since=2026-11-21T24:00:00.000Z', ['since time']],
  ['since=2026-02-30T00:00:00.000Z&event=x', ['event unknown_value', 'since time']],
  [`since=x&order=x&cursor=x&limit=x`, ['since pattern', 'order pattern', 'cursor pattern', 'limit pattern']],
];

for (const [query, problems] of REFUSED) {
  test(`GET /events?${query} is refused as 422 at ${problems.join(', ')}`, async () => {
    const answer = await service.customer.request('GET', `/events?${query}`);
    assert.deepEqual([answer.status, answer.body.code], [422, 'validation_failed'], answer.text);
    assert.deepEqual(problemsOf(answer), problems);
  });
}

test('4.5 an event name that is unknown is refused with the names that there are', async () => {
  const answer = await service.customer.request<{ valid_events: string[]; errors: { valid_values: string[] }[] }>(
    'GET',
    '/events?event=order.returned',
  );
  assert.deepEqual(answer.body.valid_events, EVENT_NAMES);
  assert.deepEqual(answer.body.errors[0]?.valid_values, EVENT_NAMES);
});

test('1.5 reading the log changes nothing', async () => {
  const written = await everythingWritten(service);
  await read(service.customer);
  await service.customer.request('GET', '/events?event=x');
  assert.deepEqual(await everythingWritten(service), written);
});

test('an event is the same in the log and in the bytes that are signed', async () => {
  const shop = await openShop();
  const event = EACH[3];
  assert.ok(event);
  await tell(shop, { event });
  const [shown] = await readWhole(shop, 1);
  assert.ok(shown);
  const id = parseId('evt', shown.id);
  assert.ok(id);
  const createdAt = new Date(shown.created_at);
  const recorded = { id, event: event.event, createdAt, data: JSON.stringify(event.data), sequence: 1 };
  assert.equal(JSON.stringify(shown), envelope(recorded).toString('utf8'));
});
