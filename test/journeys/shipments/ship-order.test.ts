import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import type { Event } from '../../../src/webhooks/event-schema.ts';
import { eventually } from '../../harness/context.ts';
import { linesOf, openShippingShop, type Parcel, parcelOf, TOTE } from '../../harness/floor.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeParcels, openParcels, refused, service, shipped, shop, told } from './parcels.ts';

before(openParcels);
after(closeParcels);
afterEach(() => assertSound(service));

describe('parcels', () => {
  test('K177 an order goes in several parcels: each is told of once, and dispatched once, by the last, with all tracking numbers (3.1 order.shipment_created, 3.1 order.dispatched, 6.1 order.shipment_created, 6.1 order.dispatched)', async () => {
    const order = await shop.placeStarted([5, 3]);
    const first = parcelOf(order, [2], { tracking_number: 'RM-A', tracking_url: 'https://track.example/RM-A' });
    const one = await shop.ship(order, first);
    assert.equal(one.status, 201);
    assert.equal(one.body.state, 'in_production');
    assert.deepEqual(
      one.body.lines.map((line) => [line.quantity_shipped, line.status]),
      [
        [2, 'part_shipped'],
        [0, 'printing'],
      ],
    );
    assert.deepEqual(
      one.body.shipments.map(({ id, carrier, tracking_number, tracking_url, items, customs }) => [
        id === one.body.shipment_id,
        carrier,
        tracking_number,
        tracking_url,
        items,
        customs,
      ]),
      [[true, 'Royal Mail', 'RM-A', 'https://track.example/RM-A', first.items, null]],
    );
    const seen = (await shop.request<Order>('GET', `/orders/${order.id}`)).body.items;
    assert.deepEqual(
      seen.map((line) => [line.qty, line.qty_shipped, line.qty_cancelled]),
      [
        [5, 2, 0],
        [3, 0, 0],
      ],
      'its owner sees how many are sent',
    );
    await shipped(order, parcelOf(order, [0, 3], { tracking_number: 'RM-B' }));
    await shipped(order, parcelOf(order, [3], { tracking_number: 'DPD-C', carrier: 'DPD' }));
    const name = order.items.lineItems[0]?.name;
    const item = (quantity: number) => [{ variant_sku: TOTE, name, quantity }];
    const { reference } = order;
    const created = (
      status: string,
      carrier: string,
      tracking_number: string,
      quantity: number,
      url: string | null,
    ) => [
      'order.shipment_created',
      { reference, status, shipment: { tracking_number, carrier, tracking_url: url, items: item(quantity) } },
    ];
    assert.deepEqual(
      (await told(order)).slice(2).map(({ event, data }) => [event, data]),
      [
        created('in_production', 'Royal Mail', 'RM-A', 2, 'https://track.example/RM-A'),
        created('in_production', 'Royal Mail', 'RM-B', 3, null),
        created('dispatched', 'DPD', 'DPD-C', 3, null),
        [
          'order.dispatched',
          { reference, status: 'dispatched', carrier: 'DPD', tracking_numbers: ['RM-A', 'RM-B', 'DPD-C'] },
        ],
      ],
    );
    const owners = await shop.request<Order>('GET', `/orders/${order.id}`);
    assert.equal(owners.body.status, 'dispatched');
    assert.equal(owners.body.shipments.length, 3);
  });

  test('K177 a receiver gets each event of a dispatch with several parcels once, in order, and a correction tells it nothing', async () => {
    const seen = await openShippingShop(service);
    service.stranger.serve('/parcels', { status: 204 });
    const hook = await seen.request('POST', '/webhooks', { url: service.stranger.url('/parcels') });
    assert.equal(hook.status, 201, hook.text);
    const order = await seen.placeStarted([2, 2]);
    const one = await seen.ship(order, parcelOf(order, [2], { tracking_number: 'FIRST' }));
    const path = `/orders/${order.id}/shipments/${one.body.shipment_id}`;
    const corrected = await seen.operator.request('PATCH', path, { tracking_number: 'FIRST-AGAIN' });
    assert.equal(corrected.status, 200, corrected.text);
    await seen.ship(order, parcelOf(order, [0, 2], { tracking_number: 'SECOND' }));
    const expected = [
      'order.created',
      'order.in_production',
      'order.shipment_created',
      'order.shipment_created',
      'order.dispatched',
    ];
    const hits = () =>
      service.stranger.hits
        .filter(({ path }) => path === '/parcels')
        .map((hit) => JSON.parse(hit.body.toString('utf8')) as Event);
    await eventually('five events are delivered', () => hits().length >= expected.length);
    const inOrder = hits().toSorted((a, b) => a.sequence - b.sequence);
    assert.deepEqual(
      inOrder.map(({ event }) => event),
      expected,
    );
    assert.equal(new Set(inOrder.map(({ id }) => id)).size, expected.length);
    const [, , first, , last] = inOrder;
    assert.equal(first?.event === 'order.shipment_created' && first.data.shipment.tracking_number, 'FIRST');
    assert.deepEqual(last?.event === 'order.dispatched' && last.data.tracking_numbers, ['FIRST-AGAIN', 'SECOND']);
  });

  test('3.1 what is cancelled need not ship: the last of the other pieces dispatches the order', async () => {
    const order = await shop.placeStarted([4, 1]);
    const [line] = linesOf(order);
    const cancelled = await shop.operator.request('POST', `/orders/${order.id}/cancel`, {
      reason: 'short',
      items: [{ line_id: line, quantity: 1 }],
    });
    assert.equal(cancelled.status, 200, cancelled.text);
    const tooMany = await refused(() => shop.ship(order, parcelOf(order, [4])));
    assert.equal(tooMany.status, 422);
    assert.equal((await shop.ship(order, parcelOf(order, [3, 1]))).body.state, 'dispatched');
  });

  test('3.1 cancelling what is left after the last parcel dispatches the order, with the corrected tracking', async () => {
    const order = await shop.placeStarted([3]);
    const shipmentId = await shipped(order, parcelOf(order, [2], { tracking_number: 'WRONG' }));
    const path = `/orders/${order.id}/shipments/${shipmentId}`;
    assert.equal((await shop.operator.request('PATCH', path, { tracking_number: 'RIGHT' })).status, 200);
    const cancelled = await shop.operator.request<OpsOrder>('POST', `/orders/${order.id}/cancel`, {
      reason: 'short',
      items: [{ line_id: linesOf(order)[0], quantity: 1 }],
    });
    assert.deepEqual([cancelled.status, cancelled.body.state], [200, 'dispatched'], cancelled.text);
    const last = (await told(order)).at(-1);
    assert.equal(last?.event, 'order.dispatched');
    assert.deepEqual(last.data.tracking_numbers, ['RIGHT']);
    assert.equal((await refused(() => shop.ship(order, parcelOf(order, [1])))).status, 409);
  });

  test('a repeat under the same Idempotency-Key is the same parcel; another parcel under it is 409', async () => {
    const order = await shop.placeStarted([4]);
    const parcel = parcelOf(order, [2]);
    const first = await shop.ship(order, parcel, `key-${order.id}`);
    const repeat = await shop.ship(order, parcel, `key-${order.id}`);
    assert.deepEqual([first.status, repeat.status], [201, 201]);
    assert.equal(repeat.body.shipment_id, first.body.shipment_id);
    assert.equal(repeat.body.shipments.length, 1);
    const other = await refused(() => shop.ship(order, parcelOf(order, [1]), `key-${order.id}`));
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  });

  test('the order can be named by its reference, in any letters', async () => {
    const order = await shop.placeStarted([1]);
    const answer = await shop.ship({ id: order.reference.toLowerCase() }, parcelOf(order, [1]));
    assert.deepEqual([answer.status, answer.body.id], [201, order.id]);
  });

  test('every move is in the history and the audit log with who did it', async () => {
    const order = await shop.placeStarted([1]);
    const shipmentId = await shipped(order, parcelOf(order, [1], { tracking_number: 'WHO' }));
    const move = (await shop.see(order)).history.at(-1);
    assert.deepEqual(
      [move?.action, move?.from, move?.to, move?.actor, move?.reason],
      ['ship', 'in_production', 'dispatched', `operator ${shop.operator.email}`, `${shipmentId}, Royal Mail WHO`],
    );
    const audit = await rows<{ action: string; detail: { tracking_number: string } }>(
      service,
      `select a.action, a.detail from operator_action a join orders o on o.id = a.order_id where o.reference = $1 order by a.id desc limit 1`,
      [order.reference],
    );
    assert.deepEqual([audit[0]?.action, audit[0]?.detail.tracking_number], ['ship', 'WHO']);
  });
});

describe('what cannot ship', () => {
  test('422 for more than is left, with what is left; for a line twice; for a line of another order: nothing is written', async () => {
    const order = await shop.placeStarted([5]);
    const other = await shop.placeStarted([1]);
    await shipped(order, parcelOf(order, [3]));
    const [line = ''] = linesOf(order);
    const foreign = linesOf(other)[0] ?? '';
    const cases: readonly [readonly { line_id: string; quantity: number }[], readonly string[], RegExp][] = [
      [[{ line_id: line, quantity: 3 }], ['items[0].quantity out_of_bounds'], /2 of 5 pieces are left/],
      [
        [
          { line_id: line, quantity: 1 },
          { line_id: line, quantity: 1 },
        ],
        ['items[1].line_id duplicate'],
        /second time/,
      ],
      [
        [
          { line_id: foreign, quantity: 1 },
          { line_id: 'line_nonsense', quantity: 1 },
        ],
        ['items[0].line_id unknown_line', 'items[1].line_id unknown_line'],
        /not a line of the order/,
      ],
    ];
    for (const [items, problems, detail] of cases) {
      const answer = await refused(() => shop.ship(order, { ...parcelOf(order, []), items }));
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(problemsOf(answer), problems);
      assert.match(answer.text, detail);
    }
  });

  test('422 for each member of the wrong shape, all at once', async () => {
    const order = await shop.placeStarted([1]);
    const shapes: readonly [object, readonly string[]][] = [
      [{}, ['carrier', 'items']],
      [{ ...parcelOf(order, [1]), carrier: ' ', tracking_number: 'a\nb' }, ['carrier', 'tracking_number']],
      [
        { ...parcelOf(order, [1]), carrier: 'x'.repeat(101), tracking_number: 'x'.repeat(101) },
        ['carrier', 'tracking_number'],
      ],
      [{ ...parcelOf(order, [1]), items: [] }, ['items']],
      [{ ...parcelOf(order, [1]), items: [{ line_id: linesOf(order)[0], quantity: 0 }] }, ['items[0].quantity']],
      [{ ...parcelOf(order, [1]), items: [{ line_id: linesOf(order)[0], quantity: 1.5 }] }, ['items[0].quantity']],
      ...[
        'javascript:alert(1)',
        'ftp://a.example/',
        'https://',
        'https://a b',
        `https://a.example/${'x'.repeat(2_048)}`,
      ].map((url): [object, readonly string[]] => [{ ...parcelOf(order, [1]), tracking_url: url }, ['tracking_url']]),
      [{ ...parcelOf(order, [1]), tracking_url: 'https://user:secret@a.example/' }, ['tracking_url']],
      [{ ...parcelOf(order, [1]), tracking_url: 'http://[::1/' }, ['tracking_url']],
    ];
    for (const [body, paths] of shapes) {
      const answer = await refused(() => shop.operator.request('POST', `/orders/${order.id}/shipments`, body));
      assert.equal(answer.status, 422, JSON.stringify(body));
      const problems = problemsOf(answer);
      assert.deepEqual(new Set(problems.map((problem) => problem.split(' ')[0])), new Set(paths));
    }
  });

  test('409 for a line that has not started; the others of the parcel do not ship either', async () => {
    const order = await shop.place([1, 1]);
    const early = await refused(() => shop.ship(order, parcelOf(order, [1])));
    assert.deepEqual([early.status, early.body.code], [409, 'conflict'], 'not promoted');
    assert.equal((await shop.operator.request('POST', `/orders/${order.id}/promote`)).status, 200);
    const unstarted = await refused(() => shop.ship(order, parcelOf(order, [1])));
    assert.deepEqual([unstarted.status, unstarted.body.code], [409, 'conflict'], 'nothing started');
    await shop.start(order, linesOf(order)[0] ?? '');
    const half = await refused(() => shop.ship(order, parcelOf(order, [1, 1])));
    assert.equal(half.status, 409);
    assert.match(half.text, new RegExp(linesOf(order)[1] ?? ''));
    assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
  });

  test('409 for an order that is cancelled, dispatched, held or waits for money', async () => {
    const cancelled = await shop.placeStarted([2]);
    assert.equal((await shop.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
    const dispatched = await shop.placeStarted([1]);
    await shipped(dispatched, parcelOf(dispatched, [1]));
    const held = await shop.place([1]);
    const hold = await shop.operator.request('POST', `/orders/${held.id}/hold`, { reason: 'print quality' });
    assert.equal(hold.status, 200, hold.text);
    const placed = await shop.place([1]);
    for (const order of [cancelled, dispatched, held, placed]) {
      const answer = await refused(() => shop.ship(order, parcelOf(order, [1])));
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
    }
  });

  test('3.1 a dispatched order is not cancelled by its owner', async () => {
    const order = await shop.placeStarted([1]);
    await shipped(order, parcelOf(order, [1]));
    const answer = await refused(() => shop.request('POST', `/orders/${order.id}/cancel`));
    assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
  });

  test('404 for an unknown order; 403 for who may not ship', async () => {
    const order = await shop.placeStarted([1]);
    const unknown = await refused(() => shop.ship({ id: 'ord_01h455vb4pex5vsknk084sn02q' }, parcelOf(order, [1])));
    assert.equal(unknown.status, 404);
    for (const role of ['viewer', 'finance'] as const) {
      const operator = await service.openOperator(role);
      for (const [method, path, body] of [
        ['POST', 'shipments', parcelOf(order, [1])],
        ['PATCH', 'shipments/shp_01h455vb4pex5vsknk084sn02q', { carrier: 'DPD' }],
        ['PATCH', 'address', { city: 'York' }],
      ] as const) {
        const answer = await refused(() => operator.request(method, `/orders/${order.id}/${path}`, body));
        assert.deepEqual([answer.status, answer.body.code], [403, 'insufficient_scope']);
      }
    }
  });
});

describe('parcels that cannot be followed', () => {
  const placeUntracked = (totes: readonly number[]): Promise<CreatedOrder> =>
    shop.placeStarted(totes, { shipping_service: 'Standard Letter' });
  const untracked = (order: CreatedOrder, quantities: readonly number[], tracking: object): Parcel => {
    const { tracking_number: _, ...parcel } = parcelOf(order, quantities);
    return { ...parcel, ...tracking } as Parcel;
  };

  test('6.3 a parcel of an order whose service is not tracked ships without a number: "" in its event, and none in the list of those', async () => {
    const order = await placeUntracked([2, 1]);
    const one = await shop.ship(order, untracked(order, [1], {}));
    assert.equal(one.status, 201, one.text);
    assert.equal(one.body.history.at(-1)?.reason, `${one.body.shipment_id}, Royal Mail`);
    const two = await shop.ship(order, untracked(order, [1], { tracking_number: '' }));
    assert.equal(two.status, 201, two.text);
    const last = await shop.ship(order, parcelOf(order, [0, 1], { tracking_number: 'UPGRADED' }));
    assert.equal(last.body.state, 'dispatched');
    const owners = await shop.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual(
      owners.body.shipments.map(({ tracking_number }) => tracking_number),
      ['', '', 'UPGRADED'],
    );
    const events = (await told(order)).slice(2);
    assert.deepEqual(
      events.map(({ data }) => (data.shipment as { tracking_number: string } | undefined)?.tracking_number),
      ['', '', 'UPGRADED', undefined],
    );
    assert.deepEqual(events.at(-1)?.data.tracking_numbers, ['UPGRADED']);
  });

  test('an order of which no parcel can be followed is dispatched with an empty list; a number that turns up is noted, and taken back', async () => {
    const order = await placeUntracked([1]);
    const { body } = await shop.ship(order, untracked(order, [1], {}));
    assert.deepEqual((await told(order)).at(-1)?.data.tracking_numbers, []);
    const path = `/orders/${order.id}/shipments/${body.shipment_id}`;
    for (const [tracking_number, reason] of [
      ['FOUND', 'tracking_number none → FOUND'],
      ['', 'tracking_number FOUND → none'],
    ] as const) {
      const answer = await shop.operator.request<OpsOrder>('PATCH', path, { tracking_number });
      assert.equal(answer.status, 200, answer.text);
      assert.equal(answer.body.shipments[0]?.tracking_number, tracking_number);
      assert.equal(answer.body.history.at(-1)?.reason, `${body.shipment_id}: ${reason}`);
    }
  });

  test('422 without a number where the service is tracked, beside what else is wrong; nor can a number be taken away there', async () => {
    const order = await shop.placeStarted([2]);
    for (const tracking of [{}, { tracking_number: '' }]) {
      const answer = await refused(() => shop.ship(order, untracked(order, [1], tracking)));
      assert.equal(answer.status, 422);
      assert.deepEqual(problemsOf(answer), ['tracking_number required']);
    }
    const foreign = { ...untracked(order, [], {}), items: [{ line_id: 'line_nonsense', quantity: 1 }] };
    const both = await refused(() => shop.ship(order, foreign));
    assert.deepEqual(problemsOf(both), ['tracking_number required', 'items[0].line_id unknown_line']);
    const shipmentId = await shipped(order, parcelOf(order, [1]));
    const path = `/orders/${order.id}/shipments/${shipmentId}`;
    const taken = await refused(() => shop.operator.request('PATCH', path, { tracking_number: '' }));
    assert.deepEqual([taken.status, problemsOf(taken)], [422, ['tracking_number required']]);
  });
});

test('platen verify finds pieces without their parcel, a parcel that nobody was told of, and an order that is dispatched by name alone', async () => {
  const order = await shop.placeStarted([2]);
  await shipped(order, parcelOf(order, [1]));
  const parcels = 'the shipped pieces of a line are those in its parcels, and each parcel has one event';
  const dispatches = 'an order is dispatched when the last of its pieces has shipped, and then only, and says so once';
  const broken = async (text: string, undo: string): Promise<readonly string[]> => {
    await rows(service, text, [order.reference]);
    const { checks } = await verify(service.ctx);
    await rows(service, undo, [order.reference]);
    // The two that are about parcels; what else is wrong with such an order is for others to find.
    const found = checks.flatMap(({ name, violations }) => violations.map(() => name));
    return found.filter((name) => name === parcels || name === dispatches).toSorted();
  };
  const id = '(select id from orders where reference = $1)';
  const pieces = `update order_line set quantity_shipped = quantity_shipped`;
  assert.deepEqual(await broken(`${pieces} + 1 where order_id = ${id}`, `${pieces} - 1 where order_id = ${id}`), [
    dispatches,
    parcels,
  ]);
  const shipment = `insert into shipment (order_id, id, account_id, carrier, tracking_number, shipping_address, shipped_at, updated_at)
    select id, id, account_id, 'DPD', 'GHOST', shipping_address, placed_at, placed_at from orders where reference = $1`;
  assert.deepEqual(
    await broken(shipment, `delete from shipment where tracking_number = 'GHOST' and order_id = ${id}`),
    [parcels],
  );
  const state = (name: string) =>
    `update orders set changed_by = transaction_number(), state = '${name}' where reference = $1`;
  assert.deepEqual(await broken(state('dispatched'), state('in_production')), [dispatches]);
});
