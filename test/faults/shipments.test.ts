import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { Order } from '../../src/orders/schema.ts';
import { openShippingShop, parcelOf, type ShippingShop } from '../harness/floor.ts';
import { openSecondConnection, type SecondConnection } from '../harness/second-connection.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { assertSound, rows } from '../harness/written.ts';

// Parcels beside what else wants the same pieces: the order's row decides.

/** How many orders are raced for; the nightly run sets it to 1,000. */
const RACES = Number(process.env.PLATEN_SHIPPING_RACES ?? (process.env.PLATEN_NIGHTLY === '1' ? 1_000 : 40));
const AT_ONCE = 6;

let service: TestService;
let second: SecondConnection;
let shop: ShippingShop;
before(async () => {
  service = await startTestService();
  second = await openSecondConnection(service.database);
  shop = await openShippingShop(service);
  // A thousand races use up more totes than lie on the demo's shelf.
  const answer = await shop.operator.request('POST', '/stock/receipts', {
    items: [{ sku: 'TOTE-COTTON-NAT', quantity: 10_000 }],
  });
  assert.equal(answer.status, 201, answer.text);
});
afterEach(() => assertSound(service));
after(async () => {
  await second.close();
  await service.stop();
});

/** Runs so many races, a few at once. */
async function race(count: number, one: (index: number) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      await one(next);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}

type Left = { state: string; shipped: number; cancelled: number; refunded: number; total: number; events: string[] };

/** What a race has left of an order. */
async function leftOf(order: { reference: string }): Promise<Left | undefined> {
  const [left] = await rows<Left>(
    service,
    `select o.state, o.refunded_pence as refunded, o.total_pence as total,
       (select sum(quantity_shipped)::integer from order_line l where l.order_id = o.id) as shipped,
       (select sum(quantity_cancelled)::integer from order_line l where l.order_id = o.id) as cancelled,
       (select json_agg(e.event order by e.sequence) from event e where e.order_id = o.id) as events
     from orders o where o.reference = $1`,
    [order.reference],
  );
  return left;
}

describe('a cancel within the window against the parcel that dispatches the order', () => {
  test('E87 exactly one of them wins, and the loser has changed nothing', async () => {
    const won = { cancel: 0, parcel: 0 };
    await race(RACES, async (index) => {
      const order = await shop.placeStarted([2]);
      const parcel = () => shop.ship(order, parcelOf(order, [2]));
      const cancel = () => shop.request<Order>('POST', `/orders/${order.id}/cancel`);
      const [shipped, cancelled] =
        index % 2 === 0
          ? await Promise.all([parcel(), cancel()])
          : await Promise.all([cancel(), parcel()]).then(([one, other]) => [other, one] as const);
      const left = await leftOf(order);
      const before = ['order.created', 'order.in_production'];
      if (shipped.status === 201) {
        won.parcel += 1;
        assert.equal(cancelled.status, 409, cancelled.text);
        const events = [...before, 'order.shipment_created', 'order.dispatched'];
        assert.deepEqual(left, {
          state: 'dispatched',
          shipped: 2,
          cancelled: 0,
          refunded: 0,
          total: left?.total,
          events,
        });
      } else {
        won.cancel += 1;
        assert.deepEqual([shipped.status, cancelled.status], [409, 200], shipped.text);
        const total = left?.total;
        const events = [...before, 'order.cancelled'];
        assert.deepEqual(left, { state: 'cancelled', shipped: 0, cancelled: 2, refunded: total, total, events });
      }
    });
    assert.equal(won.cancel + won.parcel, RACES);
  });

  for (const first of ['cancel', 'parcel'] as const) {
    test(`E87 the ${first} that waits for the order first wins`, async () => {
      const order = await shop.placeStarted([1]);
      await second.query('begin');
      await second.query('select 1 from orders where reference = $1 for update', [order.reference]);
      const parcel = () => shop.ship(order, parcelOf(order, [1]));
      const cancel = () => shop.request<Order>('POST', `/orders/${order.id}/cancel`);
      const asked = first === 'cancel' ? [cancel, parcel] : [parcel, cancel];
      const answers: Promise<{ status: number }>[] = [];
      for (const ask of asked) {
        answers.push(ask());
        await second.untilWaiting(answers.length);
      }
      await second.query('rollback');
      const statuses = (await Promise.all(answers)).map(({ status }) => status);
      assert.deepEqual(statuses, [first === 'cancel' ? 200 : 201, 409]);
      assert.equal((await leftOf(order))?.state, first === 'cancel' ? 'cancelled' : 'dispatched');
    });
  }

  test('E87 a parcel with a part of the pieces and a cancel: the rest is cancelled and given back, or nothing ships', async () => {
    await race(Math.min(RACES, 60), async () => {
      const order = await shop.placeStarted([3]);
      const [shipped, cancelled] = await Promise.all([
        shop.ship(order, parcelOf(order, [1])),
        shop.request<Order>('POST', `/orders/${order.id}/cancel`),
      ]);
      assert.equal(cancelled.status, 200, 'inside the window a cancel wins while pieces are left');
      const left = await leftOf(order);
      assert.equal(left?.state, 'cancelled');
      assert.deepEqual([left.shipped, left.cancelled], shipped.status === 201 ? [1, 2] : [0, 3], shipped.text);
    });
  });
});

describe('two parcels at once', () => {
  test('with the same pieces: one is sent, the other is 422 and writes nothing', async () => {
    await race(Math.min(RACES, 60), async () => {
      const order = await shop.placeStarted([3]);
      const answers = await Promise.all([
        shop.ship(order, parcelOf(order, [2], { tracking_number: 'A' })),
        shop.ship(order, parcelOf(order, [2], { tracking_number: 'B' })),
      ]);
      assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([201, 422]));
      const left = await leftOf(order);
      assert.deepEqual([left?.state, left?.shipped], ['in_production', 2]);
      assert.equal(left?.events.filter((event) => event === 'order.shipment_created').length, 1);
    });
  });

  test('with the rest between them: both are sent, and one dispatch tells of both', async () => {
    await race(Math.min(RACES, 60), async () => {
      const order = await shop.placeStarted([1, 1]);
      const answers = await Promise.all([
        shop.ship(order, parcelOf(order, [1], { tracking_number: 'A' })),
        shop.ship(order, parcelOf(order, [0, 1], { tracking_number: 'B' })),
      ]);
      assert.deepEqual(
        answers.map(({ status }) => status),
        [201, 201],
      );
      const left = await leftOf(order);
      assert.equal(left?.state, 'dispatched');
      assert.equal(left.events.filter((event) => event === 'order.dispatched').length, 1);
      const [dispatched] = await rows<{ data: { tracking_numbers: string[] } }>(
        service,
        `select e.data from event e join orders o on o.id = e.order_id where o.reference = $1 and e.event = 'order.dispatched'`,
        [order.reference],
      );
      assert.deepEqual(dispatched?.data.tracking_numbers.toSorted(), ['A', 'B']);
    });
  });

  test('under the same Idempotency-Key: one parcel, and both answers name it', async () => {
    await race(Math.min(RACES, 30), async (index) => {
      const order = await shop.placeStarted([2]);
      const once = () => shop.ship(order, parcelOf(order, [1]), `race-${index}-${order.id}`);
      const [one, other] = await Promise.all([once(), once()]);
      assert.deepEqual([one.status, other.status], [201, 201]);
      assert.equal(one.body.shipment_id, other.body.shipment_id);
      assert.equal((await leftOf(order))?.shipped, 1);
    });
  });

  test('a correction while the last parcel leaves: the dispatch carries the old number or the new one, never half', async () => {
    await race(Math.min(RACES, 30), async () => {
      const order = await shop.placeStarted([2]);
      const first = await shop.ship(order, parcelOf(order, [1], { tracking_number: 'OLD' }));
      const path = `/orders/${order.id}/shipments/${first.body.shipment_id}`;
      const [corrected, last] = await Promise.all([
        shop.operator.request('PATCH', path, { tracking_number: 'NEW' }),
        shop.ship(order, parcelOf(order, [1], { tracking_number: 'LAST' })),
      ]);
      assert.deepEqual([corrected.status, last.status], [200, 201]);
      const seen = await shop.see(order);
      assert.deepEqual(
        seen.shipments.map((shipment) => shipment.tracking_number),
        ['NEW', 'LAST'],
      );
      assert.equal((await leftOf(order))?.events.length, 5);
    });
  });
});
