import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import { FIRST_ID, LAST_ID, newId, publicId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import { closeWindow, type Floor, openFloor, placeOrder, ship } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, TEE_WHITE_M } from '../../harness/shop.ts';

// Each test breaks the books as a bug might, sees that `platen verify` says so, and puts them right again.

let service: TestService;
let order: CreatedOrder;
let floor: Floor;
before(async () => {
  // Without workers: nothing is issued or sent beside the test.
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service, 'admin');
});
beforeEach(async () => {
  const placed = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
  assert.equal(placed.status, 201, placed.text);
  order = placed.body;
});
after(() => service.stop());

async function broken(): Promise<string[]> {
  const { checks } = await verify(service.ctx);
  return checks.filter(({ violations }) => violations.length > 0).map(({ name }) => name);
}

const script = (text: string): Promise<void> => service.ctx.database.script(text);

/** Changes what is final, as only somebody at the database could. */
const forced = (table: string, text: string): Promise<void> =>
  script(`alter table ${table} disable trigger user; ${text}; alter table ${table} enable trigger user`);

describe('platen verify finds', () => {
  test('nothing in books that are in order', async () => {
    assert.deepEqual(await broken(), []);
  });

  test('a balance that is not what its entries left', async () => {
    await script('update account_balance set balance_pence = balance_pence + 1');
    assert.ok((await broken()).includes('cached balances equal their postings'));
    await script('update account_balance set balance_pence = balance_pence - 1');
  });

  test('an entry that does not follow from the one before', async () => {
    await forced('posting', "update posting set balance_after_pence = balance_after_pence + 1 where kind = 'top_up'");
    assert.deepEqual(await broken(), ["every entry of an account's statement follows from the one before"]);
    await forced('posting', "update posting set balance_after_pence = balance_after_pence - 1 where kind = 'top_up'");
  });

  test('money given back for an order that is not there, although all sums agree', async () => {
    await script(`
      with funds as (
        update account_balance set balance_pence = balance_pence + 5000, entries = entries + 1
        where account_id = '${service.customer.accountId}' returning account_id, balance_pence, entries
      )
      insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at, entry,
        balance_after_pence)
      select account_id, gen_random_uuid(), gen_random_uuid(), 'refund', 'order_deposits', 'customer_balance', 5000, now(),
        entries, balance_pence from funds`);
    assert.deepEqual(await broken(), [
      'no posting but a top-up, what was taken back of one, or one of an entry of the books is without its order',
    ]);
    await forced('posting', "delete from posting where kind = 'refund' and amount_pence = 5000");
    await script('update account_balance set balance_pence = balance_pence - 5000, entries = entries - 1');
  });

  test('an order that the search has passed and does not find, and one that it finds although it is not there', async () => {
    const SEARCH = 'every order that is older than the search can be found in it';
    const passed = `update order_search_progress set filled_through = '${LAST_ID}'`;
    await script(`${passed}; delete from order_search`);
    assert.deepEqual(await broken(), [SEARCH]);
    await script(`update order_search_progress set filled_through = '${FIRST_ID}'`);
    assert.deepEqual(await broken(), []);
    const nobody = `'${service.customer.accountId}', gen_random_uuid(), 'amount', '1'`;
    await script(`insert into order_search values (${nobody})`);
    assert.deepEqual(await broken(), [SEARCH]);
    await script(`delete from order_search where term = '1'`);
  });

  test('a payment by card that no payment stands for', async () => {
    const change = (by: string) => script(`update orders set ${by} where reference = '${order.reference}'`);
    await change('method_paid_pence = 100, balance_paid_pence = balance_paid_pence - 100');
    assert.ok((await broken()).includes('what a card or direct debit paid of an order is what its payments say'));
    await change('method_paid_pence = 0, balance_paid_pence = balance_paid_pence + 100');
  });

  test('an invoice that shows another total, and a missing number', async () => {
    const invoice = await service.customer.request('GET', `/orders/${order.id}/invoice`);
    assert.equal(invoice.status, 200);
    const total = (pence: string) =>
      `update invoice set document = jsonb_set(document::jsonb, '{total_pence}', to_jsonb(${pence}))::json`;
    await forced('invoice', total('1'));
    assert.deepEqual(await broken(), ['an invoice shows what its order was charged']);
    await forced('invoice', total(`(select total_pence from orders o where o.id = order_id)`));
    await forced('invoice', 'update invoice set number = number + 1');
    assert.deepEqual(await broken(), ['no number of an invoice or a credit note is missing']);
    await forced('invoice', 'update invoice set number = number - 1');
  });

  const RIGHTS =
    'every setup right is held by a live order that is paid and relies on it, or waits and is charged the setup itself';

  test('a setup right that a cancelled order holds, and a cancelled order with pieces left', async () => {
    const embroidered = { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] };
    const items = basket(service).items.map((item) => ({ ...item, ...embroidered }));
    const placed = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service, { items }));
    await script(
      `update orders set changed_by = transaction_number(), state = 'cancelled' where reference = '${placed.body.reference}'`,
    );
    const names = await broken();
    assert.ok(names.includes(RIGHTS));
    assert.ok(names.includes('a cancelled order has its event, and nothing of it is left to make'));
    await script(
      `update orders set changed_by = transaction_number(), state = 'placed' where reference = '${placed.body.reference}'`,
    );
  });

  test('an order of a shop that is noted as another order than it became', async () => {
    const [channel, row] = [newId(), newId()];
    const account = `'${service.customer.accountId}'`;
    await script(`
      insert into channel (account_id, id, platform, name, state, connected_at)
        values (${account}, '${channel}', 'signed', 'Shop', 'active', now());
      insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, digest, items,
        ordered_at, received_at, ended_at, order_id)
        select ${account}, '${row}', '${channel}', '5001', '#1', now(), 'placed', '', '[]', now(), now(), now(), id
        from orders where reference = '${order.reference}'`);
    const ONE = 'a placed order of a shop is one order here, which came from a shop and has its number';
    assert.deepEqual(await broken(), [ONE]);
    const called = (reference: string) =>
      script(`update orders set changed_by = transaction_number(), source = 'channel', external_reference = '${reference}'
        where reference = '${order.reference}'`);
    await called(`${publicId('chan', channel)}:5001`);
    assert.deepEqual(await broken(), []);
    for (const other of [`${publicId('chan', newId())}:5001`, `${publicId('chan', channel)}:5002`, '5001']) {
      await called(other);
      assert.deepEqual(await broken(), [ONE], other);
    }
    await called(`${publicId('chan', channel)}:5001`);
    for (const [items, isRight] of [
      [[{ id: '1', line: 0 }, { id: '2' }], true],
      [[{ id: '1', line: 7 }], false],
      [
        [
          { id: '1', line: 0 },
          { id: '2', line: 0 },
        ],
        false,
      ],
    ] as const) {
      await script(`update channel_order set items = '${JSON.stringify(items)}' where id = '${row}'`);
      assert.deepEqual(await broken(), isRight ? [] : [ONE], JSON.stringify(items));
    }
    await script(`delete from channel_order where id = '${row}'; delete from channel where id = '${channel}';
      update orders set changed_by = transaction_number(), source = 'api', external_reference = null
        where reference = '${order.reference}'`);
  });

  test('an order of a linked shop that is not reported, or is as what it is not', async () => {
    const REPORTED =
      'every placed order of a linked shop is reported to it, and what was reported are parcels of that order';
    const [channel, row] = [newId(), newId()];
    const account = `'${service.customer.accountId}'`;
    const where = `where reference = '${order.reference}'`;
    await script(`
      insert into channel (account_id, id, platform, name, state, connected_at)
        values (${account}, '${channel}', 'woocommerce', 'Shop', 'active', now());
      insert into channel_link (account_id, channel_id, address, sealed, since, next_sync_at)
        values (${account}, '${channel}', 'https://shop.example', '', now(), 'infinity');
      insert into channel_order (account_id, id, channel_id, shop_order_id, shop_number, changed_at, state, digest, items,
        ordered_at, received_at, ended_at, order_id)
        select ${account}, '${row}', '${channel}', '5001', '#1', now(), 'placed', '', '[]', now(), now(), now(), id
        from orders ${where}`);
    assert.ok((await broken()).includes(REPORTED), 'it has no report');
    const reported = (what: object) =>
      script(`
      insert into channel_report (account_id, shop_order_id, channel_id, reported)
        values (${account}, '${row}', '${channel}', '${JSON.stringify(what)}')
      on conflict (account_id, shop_order_id) do update set reported = excluded.reported`);
    await reported({ parcels: { [newId()]: 'x' } });
    assert.ok((await broken()).includes(REPORTED), 'it was reported of a parcel that is none');
    await reported({});
    assert.equal((await broken()).includes(REPORTED), false);
    await script(`delete from channel_order where id = '${row}'; delete from channel_link where channel_id = '${channel}';
      delete from channel where id = '${channel}'`);
  });

  const STATE = 'an order is in the state that its history says, and each move begins where the one before ended';
  const TOLD = 'every public move has its event, and every such event has its move';
  const STARTED = 'an order in production has a line that has started, and none has before';
  const LISTED = 'what is still to be printed is on the list of its station';
  const set = (reference: string, what: string) => script(`update orders set ${what} where reference = '${reference}'`);

  test('an order that was put on hold, or anywhere, without a move', async () => {
    await set(order.reference, `state = 'on_hold', hold = '{"code":"x","reason":"x","from":"placed"}'`);
    assert.deepEqual(await broken(), [STATE]);
    await set(order.reference, `state = 'placed', hold = null`);
    await script(`update order_history set from_state = 'on_hold' where to_state = 'placed' and from_state is null`);
    assert.deepEqual(await broken(), [STATE]);
    await script(`update order_history set from_state = null where from_state = 'on_hold' and action = 'place'`);
  });

  test('an order in production of which no line has started, and a line that has before its order has', async () => {
    const { reference, id } = order;
    await floor.post(`/orders/${id}/promote`);
    await set(reference, `state = 'in_production'`);
    assert.ok((await broken()).includes(STARTED));
    await set(reference, `state = 'released'`);
    await script(
      `update order_line set started_at = now() where order_id = (select id from orders where reference = '${reference}')`,
    );
    assert.ok((await broken()).includes(STARTED));
    await script(
      `update order_line set started_at = null where order_id = (select id from orders where reference = '${reference}')`,
    );
  });

  test('a paused line of an order that is not in production, and one of which nothing is left', async () => {
    const PAUSED = 'a paused line has pieces left, and its order is in production';
    const items = basket(service).items.map((item) => ({ ...item, print_jobs: [] }));
    const { id } = await placeOrder(service, { items: [...items, ...items] });
    await floor.post(`/orders/${id}/promote`);
    await script(`
      insert into line_pause (account_id, order_id, line_id, code, reason, opened_at)
      select l.account_id, l.order_id, l.id, 'ink', 'no ink', now() from order_line l
      where l.order_id = (select id from orders where state = 'released' order by id desc limit 1) and l.ordinal = 0`);
    assert.deepEqual(await broken(), [PAUSED]);
    const { lines } = await floor.post(`/orders/${id}/start`, { line_ids: [await lineOf(id, 1)] });
    assert.deepEqual(await broken(), []);
    const left = `where id = (select line_id from line_pause)`;
    await script(`update order_line set quantity_cancelled = quantity ${left}`);
    assert.ok((await broken()).includes(PAUSED));
    await script(`update order_line set quantity_cancelled = 0 ${left}`);
    await floor.post(`/orders/${id}/lines/${lines[0]?.id}/resume`);
  });

  test('a request to cancel whose task is closed, and one that is open for an order that has ended', async () => {
    const ASKED = 'a request to cancel is open with its task, and no longer than its order goes on';
    const placed = await placeOrder(service, basket(service));
    await closeWindow(service, placed);
    const path = `/orders/${placed.id}/cancellation-request`;
    assert.equal((await service.customer.request('POST', path, { reason: 'changed_mind' })).status, 201);
    assert.deepEqual(await broken(), []);
    const task = 'where id = (select task_id from cancellation_request)';
    await script(`update ops_task set closed_at = now() ${task}`);
    assert.deepEqual(await broken(), [ASKED]);
    await script(`update ops_task set closed_at = null ${task}`);
    await script(`update cancellation_request set state = 'withdrawn', ended_at = now()`);
    assert.deepEqual(await broken(), [ASKED]);
    await script(`update ops_task set closed_at = now() ${task}`);
    assert.deepEqual(await broken(), []);
  });

  const lineOf = async (id: string, index: number) =>
    (await floor.request('GET', `/orders/${id}`)).body.lines[index]?.id;

  test('a print job that is to be made and that no station is shown', async () => {
    await floor.post(`/orders/${order.id}/promote`);
    const change = (to: string) =>
      script(
        `update print_job set ${to} where order_id = (select id from orders where reference = '${order.reference}')`,
      );
    for (const [wrong, right] of [
      ['is_open = false', 'is_open = true'],
      ['promoted_at = null', 'promoted_at = now()'],
    ]) {
      await change(wrong ?? '');
      assert.deepEqual(await broken(), [LISTED], wrong);
      await change(right ?? '');
    }
  });

  test('what a line is short of that does not add up, and blanks that are free while it is short', async () => {
    const SHORT =
      'the pieces that a started line needs are taken, allocated or short, and no short line waits for blanks that are free';
    const SPOILED =
      'no more pieces of a line are shipped and cancelled, or done, than there are, and each spoiled one was taken from stock or promised';
    const sku = 'TEE-CLASSIC-SKY-2XL';
    await floor.post('/stock/counts', { items: [{ sku, on_hand: 2 }] }, 201);
    const items = basket(service).items.map((item) => ({ ...item, variant_sku: sku, quantity: 2, print_jobs: [] }));
    const { id } = await placeOrder(service, { items });
    await floor.post(`/orders/${id}/promote`);
    const { lines } = await floor.post(`/orders/${id}/start`, {});
    await floor.post(`/orders/${id}/lines/${lines[0]?.id}/spoil`, { quantity: 2, reason: 'torn' });
    assert.deepEqual(await broken(), []);
    const plant = (what: string, of: string = 'allocation') => script(`update ${of} set ${what} where sku = '${sku}'`);
    for (const [wrong, right, found, of] of [
      ['released = 1', 'released = 0', [SHORT], 'allocation'],
      ['short_since = null, short = 0', 'short_since = clock_timestamp(), short = 2', [SHORT], 'allocation'],
      [
        'allocated = allocated - 1, for_spoiled = 1, short = 1',
        'allocated = allocated + 1, for_spoiled = 2, short = 2',
        [SHORT, SPOILED],
        'allocation',
      ],
      ['quantity_spoiled = 1', 'quantity_spoiled = 2', [SPOILED], 'order_line'],
      ['quantity_spoiled = 3', 'quantity_spoiled = 2', [SHORT, SPOILED], 'order_line'],
      ['on_hand = 1', 'on_hand = 0', [SHORT], 'stock'],
      [
        'quantity_cancelled = 1',
        'quantity_cancelled = 0',
        ['a line of a promoted order holds its pieces until it starts, and only a started one has taken them'],
        'order_line',
      ],
    ] as const) {
      await plant(wrong, of);
      const names = await broken();
      for (const name of found) assert.ok(names.includes(name), `${wrong} is found: ${names.join('; ')}`);
      await plant(right, of);
    }
    assert.deepEqual(await broken(), []);
  });

  const blank = () =>
    placeOrder(service, { items: basket(service).items.map((item) => ({ ...item, print_jobs: [] })) });
  const started = async () => {
    const made = await blank();
    await floor.post(`/orders/${made.id}/promote`);
    return floor.post(`/orders/${made.id}/lines/${made.items.lineItems[0]?.id}/start`);
  };
  /** For each move that is reported of, an order that has made it. */
  const moves: Readonly<Record<string, () => Promise<{ reference: string }>>> = {
    on_hold: async () => {
      const made = await blank();
      await floor.post(`/orders/${made.id}/hold`, { reason: 'a question' });
      return floor.post(`/orders/${made.id}/resume`);
    },
    in_production: started,
    dispatched: async () => {
      const made = await started();
      return ship(floor, made.id, [{ line_id: made.lines[0]?.id, quantity: 1 }]);
    },
    cancelled: async () => {
      const made = await blank();
      return floor.post(`/orders/${made.id}/cancel`, { reason: 'asked for' });
    },
    payment_failed: async () => {
      const poor = await service.openCustomer();
      const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
      return placeOrder(
        service,
        { items: [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }] },
        poor,
      );
    },
  };
  for (const [move, make] of Object.entries(moves)) {
    test(`an order that became ${move} and never said so, and one that said so and never did`, async () => {
      const { reference } = await make();
      assert.deepEqual(await broken(), [], 'as it should be');
      const ofOrder = `order_id = (select id from orders where reference = '${reference}')`;
      await script(`update event set event = 'order.hushed' where event = 'order.${move}' and ${ofOrder}`);
      assert.ok((await broken()).includes(TOLD), 'a move without its event');
      await script(`update event set event = 'order.${move}' where event = 'order.hushed' and ${ofOrder}`);
      const to = move === 'payment_failed' ? 'awaiting_payment' : move;
      const ofMove = `to_state = '${to}' and ${ofOrder} and from_state is distinct from to_state`;
      await script(`update order_history set to_state = 'delivered', reason = 'hushed' where ${ofMove}`);
      assert.ok((await broken()).includes(TOLD), 'an event without its move');
      await script(`update order_history set to_state = '${to}', reason = '' where reason = 'hushed' and ${ofOrder}`);
    });
  }

  test('nothing again, once each of them is put right', async () => {
    assert.deepEqual(await broken(), []);
  });
});
