import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { issueDueDocuments } from '../../../../src/invoices/issue-due.ts';
import type { CreditNote, Invoice } from '../../../../src/invoices/schema.ts';
import { newId, parseId, type Uuid } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import type { Cancellation } from '../../../../src/refunds/schema.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../../harness/service.ts';
import { addProduct, HOME, problemsOf, servePicture } from '../../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../../harness/written.ts';

type OpsUser = Awaited<ReturnType<TestService['openOperator']>>;

let service: TestService;
let admin: OpsUser;
let customer: Customer;
let productId: string;
before(async () => {
  service = await startTestService();
  admin = await service.openOperator('admin');
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  productId = await addProduct(service, customer, 'TEE-CLASSIC');
});
afterEach(() => assertSound(service));
after(() => service.stop());

const SKU = 'TEE-CLASSIC-WHT-M';
const cents = (amount: number): number => Math.round(amount * 100);

async function place(quantities: readonly number[], by = customer, product = productId): Promise<CreatedOrder> {
  const items = quantities.map((quantity) => ({ product_id: product, variant_sku: SKU, quantity }));
  const answer = await by.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** An order of an account without money. */
async function placeUnpaid(): Promise<{ by: Customer; order: CreatedOrder }> {
  const by = await service.openCustomer();
  const order = await place([1], by, await addProduct(service, by, 'TEE-CLASSIC'));
  assert.equal(order.payment_status, 'failed');
  return { by, order };
}

const lineOf = (order: CreatedOrder, index = 0): string => order.items.lineItems[index]?.id ?? '';

const act = <Body = OpsOrder>(path: string, body?: object, by: OpsUser = admin): Promise<Answer<Body>> =>
  by.request<Body>('POST', `/orders/${path}`, body);

async function done(path: string, body?: object): Promise<OpsOrder> {
  const answer = await act(path, body);
  assert.ok([200, 201].includes(answer.status), answer.text);
  return answer.body;
}

const refused = (path: string, body?: object, by: OpsUser = admin): Promise<Answer<ErrorReply>> =>
  act<ErrorReply>(path, body, by);

const eventsOf = (id: string) =>
  rows<{ event: string; data: Record<string, unknown> }>(
    service,
    'select event, data from event where order_id = $1 order by sequence',
    [parseId('ord', id) ?? ''],
  );

/** What a read of the order shows that an action refused must leave as it was. */
async function stateOf(id: string): Promise<object> {
  const [row] = await rows<object>(
    service,
    `select state, version, refunded_pence, refund_owed_pence, updated_at,
       (select count(*) from refund where order_id = $1) as refunds, (select count(*) from posting where order_id = $1) as postings,
       (select count(*) from order_history where order_id = $1) as moves, (select count(*) from event where order_id = $1) as events,
       (select count(*) from operator_action) as actions
     from orders where id = $1`,
    [parseId('ord', id) ?? ''],
  );
  assert.ok(row);
  return row;
}

/** Turns what the balance paid for an order into a payment by card, postings and all, as if a card had been charged. */
async function payByCard(id: string, pence: number): Promise<string> {
  const orderId = parseId('ord', id) ?? ('' as Uuid);
  const paymentId = newId();
  await service.ctx.database.script(`
    alter table posting disable trigger posting_is_final;
    update orders set balance_paid_pence = balance_paid_pence - ${pence}, method_paid_pence = ${pence} where id = '${orderId}';
    insert into payment_attempt (id, order_id, account_id, method, provider_reference, amount_pence, state, created_at, look_at, settled_at)
      select '${paymentId}', id, account_id, 'card', 'pm_1', ${pence}, 'succeeded', placed_at, placed_at, placed_at from orders where id = '${orderId}';
    insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
      select id, '${paymentId}', account_id, 'card', ${pence}, 'pi_1', placed_at from orders where id = '${orderId}';
    update account_balance b set balance_pence = b.balance_pence + ${pence} from orders o where o.id = '${orderId}' and b.account_id = o.account_id;
    update posting set amount_pence = amount_pence - ${pence}, balance_after_pence = balance_after_pence + ${pence}
      where order_id = '${orderId}' and kind = 'charge';
    insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
      select account_id, '${newId()}', id, 'charge', 'card_clearing', 'order_deposits', ${pence}, placed_at from orders where id = '${orderId}';
    alter table posting enable trigger posting_is_final;`);
  const order = (await customer.request<Order>('GET', `/orders/${id}`)).body;
  return order.charges.find(({ method }) => method === 'card')?.payment_id ?? '';
}

describe('ops cancel of a whole order', () => {
  test('3.1 at any time, also long after the window: all of it goes back, the event says ops, and it cannot happen twice', async () => {
    const before = await balancePence(service, customer);
    const order = await place([3]);
    const [row] = await rows<{ cancellable_until: Date }>(
      service,
      'select cancellable_until from orders where id = $1',
      [parseId('ord', order.id) ?? ''],
    );
    assert.ok(row);
    await service.ctx.database.script(
      `update orders set cancellable_until = cancellable_until - interval '2 days' where id = '${parseId('ord', order.id)}'`,
    );
    const late = await customer.request('POST', `/orders/${order.id}/cancel`);
    assert.equal(late.body.code, 'cancellation_window_closed');
    const cancelled = await done(`${order.reference}/cancel`, { reason: 'The customer rang.' });
    assert.deepEqual(
      [cancelled.state, cancelled.status, cancelled.refunded_gbp, cancelled.refund_owed_gbp],
      ['cancelled', 'cancelled', order.charged.total, 0],
    );
    assert.equal(await balancePence(service, customer), before);
    const told = (await eventsOf(order.id)).at(-1);
    assert.deepEqual(
      [told?.event, told?.data],
      [
        'order.cancelled',
        {
          order_id: order.id,
          reference: order.reference,
          status: 'cancelled',
          refunded_gbp: order.charged.total,
          cancelled_by: 'ops',
        },
      ],
    );
    const move = cancelled.history.at(-1);
    assert.deepEqual(
      [move?.action, move?.from, move?.to, move?.actor, move?.reason],
      ['cancel', 'placed', 'cancelled', `operator ${admin.email}`, 'The customer rang.'],
    );
    const again = await done(`${order.id}/cancel`, { reason: 'Once more.' });
    assert.deepEqual([again.version, again.refunded_gbp], [cancelled.version, order.charged.total]);
    assert.equal(await balancePence(service, customer), before);
  });

  test('`refund: none` keeps the money; production may not, finance may; a goodwill may still give it back', async () => {
    const [production, finance] = [await service.openOperator('production'), await service.openOperator('finance')];
    const order = await place([2]);
    const before = await stateOf(order.id);
    const body = { reason: 'Made to their order.', refund: 'none' };
    const no = await refused(`${order.id}/cancel`, body, production);
    assert.deepEqual([no.status, no.body.code], [403, 'insufficient_scope']);
    assert.match(no.text, /"required_roles":\["finance","admin"\]/);
    assert.deepEqual(await stateOf(order.id), before);
    const kept = (await act(`${order.id}/cancel`, body, finance)).body;
    assert.deepEqual([kept.state, kept.refunded_gbp], ['cancelled', 0]);
    const repeat = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.deepEqual([repeat.refunded_gbp, repeat.already_cancelled], [0, true]);
    const above = await refused(`${order.id}/refunds`, {
      amount_gbp: (cents(order.charged.total) + 1) / 100,
      reason: 'x',
    });
    assert.deepEqual(problemsOf(above), ['amount_gbp out_of_bounds']);
    const back = await done(`${order.id}/refunds`, { amount_gbp: order.charged.total, reason: 'We were wrong.' });
    assert.deepEqual([back.state, back.refunded_gbp], ['cancelled', order.charged.total]);
  });

  test('E92 an order that was never paid for gives back nothing, and `none` keeps nothing', async () => {
    const { order } = await placeUnpaid();
    const cancelled = await done(`${order.id}/cancel`, { reason: 'Forgotten.', refund: 'none' });
    assert.deepEqual([cancelled.state, cancelled.refunded_gbp, cancelled.refunds], ['cancelled', 0, []]);
    const settled = await refused(`${order.id}/settle`);
    assert.deepEqual([settled.status, settled.body.code], [409, 'conflict']);
  });

  test('E92 the part that the balance had paid of an unpaid order goes back out of the deposits, without a credit note', async () => {
    const by = await service.openCustomer({ balancePence: 500 });
    const order = await place([1], by, await addProduct(service, by, 'TEE-CLASSIC'));
    const id = parseId('ord', order.id) ?? '';
    await service.ctx.database.script(`
      update orders set balance_paid_pence = 500 where id = '${id}';
      update account_balance set balance_pence = 0, entries = 2 where account_id = '${by.accountId}';
      insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at, entry, balance_after_pence)
      values ('${by.accountId}', '${newId()}', '${id}', 'charge', 'customer_balance', 'order_deposits', 500, now(), 2, 0);`);
    const answer = await by.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.deepEqual([answer.body.refunded_gbp, answer.body.pending_manual_refund], [5, []]);
    assert.equal(await balancePence(service, by), 500);
    assert.deepEqual((await by.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`)).body.data, []);
  });

  test('stock that was promised goes back to the shelf, and a hold ends', async () => {
    const level = async () =>
      (await rows<{ allocated: number }>(service, `select allocated from stock where sku = '${SKU}'`))[0];
    const before = await level();
    const order = await place([4]);
    await done(`${order.id}/promote`);
    assert.equal((await level())?.allocated, (before?.allocated ?? 0) + 4);
    await done(`${order.id}/hold`, { reason: 'Colour?' });
    const cancelled = await done(`${order.id}/cancel`, { reason: 'No answer.' });
    assert.deepEqual([cancelled.state, cancelled.hold], ['cancelled', null]);
    assert.deepEqual(await level(), before);
    assert.deepEqual(cancelled.tasks, []);
  });

  test('a cancel after a start leaves a task for the shop; the pieces that were taken stay taken', async () => {
    const order = await place([2]);
    await done(`${order.id}/promote`);
    await done(`${order.id}/lines/${lineOf(order)}/start`);
    const [before] = await rows<{ on_hand: number }>(service, `select on_hand from stock where sku = '${SKU}'`);
    const cancelled = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.equal(cancelled.refunded_gbp, order.charged.total);
    const seen = (await admin.request<OpsOrder>('GET', `/orders/${order.id}`)).body;
    assert.deepEqual(
      seen.tasks.map(({ kind }) => kind),
      ['cancelled_after_start'],
    );
    assert.match(seen.tasks[0]?.note ?? '', /2 of TEE-CLASSIC-WHT-M/);
    assert.deepEqual(await rows(service, `select on_hand from stock where sku = '${SKU}'`), [before]);
  });

  test('what has shipped stays a fact, and a dispatched order can be cancelled with all of its money back', async () => {
    const order = await place([2]);
    await done(`${order.id}/promote`);
    await done(`${order.id}/lines/${lineOf(order)}/start`);
    const items = [{ line_id: lineOf(order), quantity: 2 }];
    const shipped = await done(`${order.id}/shipments`, { carrier: 'DPD', tracking_number: 'A1', items });
    assert.equal(shipped.state, 'dispatched');
    const cancelled = await done(`${order.id}/cancel`, { reason: 'Lost on the way.' });
    assert.deepEqual([cancelled.state, cancelled.refunded_gbp], ['cancelled', order.charged.total]);
    assert.deepEqual(
      cancelled.lines.map((line) => [line.quantity_shipped, line.quantity_cancelled]),
      [[2, 0]],
    );
  });
});

describe('ops cancel of pieces', () => {
  test('gives back what they cost with their VAT; nothing else is priced anew, and no event is told', async () => {
    const order = await place([10, 1]);
    const unit = cents(order.items.lineItems[0]?.unit_price ?? 0);
    const before = await balancePence(service, customer);
    const events = (await eventsOf(order.id)).length;
    const changed = await done(`${order.id}/cancel`, {
      reason: 'Three too many.',
      lines: [{ line_id: lineOf(order), quantity: 3 }],
    });
    const net = 3 * unit;
    const back = (await balancePence(service, customer)) - before;
    // VAT is reckoned on what is left at the rate, so that a penny is never lost on the way.
    assert.ok(Math.abs(back - net * 1.2) <= 1, `${back} for ${net}`);
    assert.equal(cents(changed.refunded_gbp), back);
    assert.deepEqual(
      [changed.state, changed.payment_status, changed.total],
      ['placed', 'part_refunded', order.charged.total],
    );
    assert.equal(changed.lines[0]?.quantity_cancelled, 3);
    assert.equal((await eventsOf(order.id)).length, events);
    assert.equal(changed.history.at(-1)?.action, 'cancel_lines');
  });

  test('D62 piece by piece until nothing is left: exactly what was paid, and the last piece is the whole order', async () => {
    const before = await balancePence(service, customer);
    const order = await place([3, 2]);
    for (const lines of [
      [{ line_id: lineOf(order), quantity: 1 }],
      [{ line_id: lineOf(order, 1), quantity: 1 }],
      [{ line_id: lineOf(order), quantity: 2 }],
    ]) {
      assert.equal((await done(`${order.id}/cancel`, { reason: 'x', lines })).state, 'placed');
    }
    const last = await done(`${order.id}/cancel`, { reason: 'All of it.', line_ids: [lineOf(order, 1)] });
    assert.deepEqual([last.state, last.refunded_gbp], ['cancelled', order.charged.total]);
    assert.equal(await balancePence(service, customer), before);
    const told = (await eventsOf(order.id)).filter(({ event }) => event === 'order.cancelled');
    assert.deepEqual(
      told.map(({ data }) => data.refunded_gbp),
      [order.charged.total],
    );
  });

  test('6.3 cancelling what is left beside what has shipped dispatches the order, with the tracking of all parcels', async () => {
    const order = await place([2, 1]);
    await done(`${order.id}/promote`);
    await done(`${order.id}/lines/${lineOf(order)}/start`);
    for (const number of ['T1', 'T2']) {
      const items = [{ line_id: lineOf(order), quantity: 1 }];
      await done(`${order.id}/shipments`, {
        carrier: number === 'T1' ? 'DPD' : 'Royal Mail',
        tracking_number: number,
        items,
      });
    }
    const ended = await done(`${order.id}/cancel`, { reason: 'Out of that colour.', line_ids: [lineOf(order, 1)] });
    assert.deepEqual([ended.state, ended.status], ['dispatched', 'dispatched']);
    const told = (await eventsOf(order.id)).at(-1);
    assert.deepEqual(
      [told?.event, told?.data],
      [
        'order.dispatched',
        { reference: order.reference, status: 'dispatched', carrier: 'Royal Mail', tracking_numbers: ['T1', 'T2'] },
      ],
    );
    const kept = cents(order.charged.total) - cents(ended.refunded_gbp);
    assert.ok(kept > cents(order.charged.shipping_cost), 'shipping stays with what was shipped');
  });

  test('a setup goes back with the last piece that needs it, and its right with it', async () => {
    const url = await servePicture(service, '/setup.png', { widthPx: 700, heightPx: 700, colour: '#123456' });
    const decorated = {
      product_id: productId,
      variant_sku: SKU,
      quantity: 1,
      decoration: { areas: [{ print_area: 'left_sleeve', method: 'embroidery', artwork_url: url }] },
    };
    const plain = { product_id: productId, variant_sku: SKU, quantity: 1 };
    const body = { items: [decorated, plain], shipping_address: HOME };
    const order = (await customer.request<CreatedOrder>('POST', '/orders', body)).body;
    assert.ok(order.charged.setup_total > 0);
    const relying = (await customer.request<CreatedOrder>('POST', '/orders', body)).body;
    assert.equal(relying.charged.setup_total, 0);
    await done(`${order.id}/cancel`, { reason: 'x', line_ids: [lineOf(order)] });
    const [right] = await rows<{ paid_by_order: Uuid }>(
      service,
      "select paid_by_order from setup_right where account_id = $1 and method = 'embroidery'",
      [customer.accountId],
    );
    assert.equal(right?.paid_by_order, parseId('ord', relying.id), 'it passes to the order that relies on it');
    const notes = (await customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes`)).body.data;
    assert.deepEqual(
      notes[0]?.lines.map(({ description }) => description),
      [order.items.lineItems[0]?.name, 'Setup, embroidery'],
    );
  });

  test('refuses lines of no such order, pieces that are not there, and a line twice: 422 with every place, nothing changed', async () => {
    const [order, other] = [await place([2, 1]), await place([1])];
    await done(`${order.id}/cancel`, { reason: 'x', line_ids: [lineOf(order, 1)] });
    const before = await stateOf(order.id);
    const answer = await refused(`${order.id}/cancel`, {
      reason: 'x',
      line_ids: [lineOf(order, 1), 'nonsense'],
      lines: [
        { line_id: lineOf(order), quantity: 3 },
        { line_id: lineOf(order), quantity: 1 },
        { line_id: lineOf(other), quantity: 1 },
      ],
    });
    assert.equal(answer.status, 422);
    assert.deepEqual(problemsOf(answer), [
      'line_ids[0] out_of_bounds',
      'line_ids[1] unknown_line',
      'lines[0].quantity out_of_bounds',
      'lines[1].line_id duplicate',
      'lines[2].line_id unknown_line',
    ]);
    assert.deepEqual(await stateOf(order.id), before);
  });

  for (const [title, body, path] of [
    ['no reason', {}, 'reason'],
    ['a blank reason', { reason: '  ' }, 'reason'],
    ['no lines', { reason: 'x', lines: [] }, 'lines'],
    ['no line ids', { reason: 'x', line_ids: [] }, 'line_ids'],
    ['no pieces', { reason: 'x', lines: [{ line_id: 'line_1', quantity: 0 }] }, 'lines[0].quantity'],
    ['half a refund', { reason: 'x', refund: 'half' }, 'refund'],
  ] as const) {
    test(`refuses ${title}`, async () => {
      const order = await place([1]);
      const answer = await refused(`${order.id}/cancel`, body);
      assert.deepEqual([answer.status, answer.body.errors?.map((problem) => problem.path)], [422, [path]]);
    });
  }

  test('refuses pieces of an order that is cancelled or not paid for, and an order that is not there', async () => {
    const { order: unpaid } = await placeUnpaid();
    const order = await place([2]);
    await done(`${order.id}/cancel`, { reason: 'x' });
    for (const placed of [unpaid, order]) {
      const answer = await refused(`${placed.id}/cancel`, { reason: 'x', line_ids: [lineOf(placed)] });
      assert.deepEqual([answer.status, answer.body.code], [409, 'conflict']);
    }
    assert.equal((await refused('PF-22222222/cancel', { reason: 'x' })).status, 404);
  });
});

describe('goodwill', () => {
  test('gives a part back with its VAT, again and again, never above what is left; then a cancel gives the rest', async () => {
    const before = await balancePence(service, customer);
    const order = await place([2]);
    const total = cents(order.charged.total);
    await done(`${order.id}/refunds`, { amount_gbp: 6, reason: 'A late parcel.' });
    const second = await done(`${order.id}/refunds`, { amount_gbp: 0.01, reason: 'And a penny.' });
    assert.equal(second.refunded_gbp, 6.01);
    const above = await refused(`${order.id}/refunds`, { amount_gbp: (total - 600) / 100, reason: 'x' });
    assert.deepEqual(problemsOf(above), ['amount_gbp out_of_bounds']);
    assert.match(above.body.errors?.[0]?.message ?? '', new RegExp(`£${(total - 601) / 100}`));
    const cancelled = await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.equal(cancelled.body.refunded_gbp, order.charged.total);
    assert.equal(await balancePence(service, customer), before);
    const told = (await eventsOf(order.id)).at(-1);
    assert.equal(told?.data.refunded_gbp, order.charged.total);
  });

  test('refuses what is no amount, and an order that has not been paid for', async () => {
    const order = await place([1]);
    for (const amount of [0, -1, 1.005, '1', null]) {
      const answer = await refused(`${order.id}/refunds`, { amount_gbp: amount, reason: 'x' });
      assert.deepEqual([answer.status, answer.body.errors?.[0]?.path], [422, 'amount_gbp'], String(amount));
    }
    const { order: unpaid } = await placeUnpaid();
    assert.equal((await refused(`${unpaid.id}/refunds`, { amount_gbp: 1, reason: 'x' })).status, 409);
    const production = await service.openOperator('production');
    assert.equal((await refused(`${order.id}/refunds`, { amount_gbp: 1, reason: 'x' }, production)).status, 403);
  });

  test('N the same Idempotency-Key gives it once; another request under it is 409', async () => {
    const order = await place([1]);
    const key = { 'idempotency-key': newId() };
    const give = (amount: number) =>
      admin.request<{ refunded_gbp: number; code: string }>(
        'POST',
        `/orders/${order.id}/refunds`,
        { amount_gbp: amount, reason: 'x' },
        key,
      );
    const answers = await Promise.all([give(1), give(1), give(1)]);
    assert.deepEqual(
      answers.map(({ status, body }) => [status, body.refunded_gbp]),
      [
        [200, 1],
        [200, 1],
        [200, 1],
      ],
    );
    assert.equal((await give(2)).body.code, 'conflict');
  });
});

describe('D63 money that a card paid', () => {
  test('is owed once the balance has its part back, and listed until it was paid out, once', async () => {
    const order = await place([3]);
    const total = cents(order.charged.total);
    const card = total - 200;
    const paymentId = await payByCard(order.id, card);
    const before = await balancePence(service, customer);
    const first = await done(`${order.id}/refunds`, { amount_gbp: 3, reason: 'x' });
    assert.deepEqual([first.refunded_gbp, first.refund_owed_gbp], [2, 1]);
    assert.equal(await balancePence(service, customer), before + 200);
    const cancelled = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.equal(cancelled.refunded_gbp, 2);
    assert.deepEqual(
      cancelled.pending_manual_refund.map((owed) => [owed.payment_id, owed.method, cents(owed.amount_gbp)]),
      [[paymentId, 'card', card]],
    );
    const paid = await done(`${order.id}/refunds/${paymentId}/paid`);
    assert.deepEqual([cents(paid.refunded_gbp), paid.refund_owed_gbp], [total, 0]);
    const again = await done(`${order.id}/refunds/${paymentId}/paid`);
    assert.equal(cents(again.refunded_gbp), total);
    const repeat = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    assert.deepEqual([repeat.refunded_gbp, repeat.pending_manual_refund], [2, []]);
    const [posted] = await rows<{ sum: number }>(
      service,
      "select sum(amount_pence)::bigint as sum from posting where order_id = $1 and kind = 'refund_paid'",
      [parseId('ord', order.id) ?? ''],
    );
    assert.equal(posted?.sum, card);
    assert.equal(await balancePence(service, customer), before + 200);
  });

  test('of a payment that came back nothing is owed: it is set off against what the customer owes, and paid out to nobody', async () => {
    const order = await place([2]);
    const paymentId = await payByCard(order.id, 500);
    const id = parseId('pay', paymentId);
    await service.ctx.database.script(`
      update payment_attempt set returned_at = now() where id = '${id}';
      insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at)
        select account_id, '${newId()}', order_id, 'charge_returned', 'receivables', 'card_clearing', 500, now()
        from payment where id = '${id}';`);
    const before = await balancePence(service, customer);
    const cancelled = (await customer.request<Cancellation>('POST', `/orders/${order.id}/cancel`)).body;
    const fromBalance = cents(order.charged.total) - 500;
    assert.deepEqual([cents(cancelled.refunded_gbp), cancelled.pending_manual_refund], [fromBalance, []]);
    assert.equal(await balancePence(service, customer), before + fromBalance);
    const [left] = await rows<{ receivable: number; owed: number }>(
      service,
      `select sum(case when debit_account = 'receivables' then amount_pence when credit_account = 'receivables' then -amount_pence
                       else 0 end)::bigint as receivable,
              sum(case when 'manual_refunds_owed' in (debit_account, credit_account) then amount_pence else 0 end)::bigint as owed
       from posting where order_id = $1`,
      [parseId('ord', order.id) ?? ''],
    );
    assert.deepEqual(left, { receivable: 0, owed: 0 });
  });

  test('refuses to note a refund of no such payment, of another order, or of which nothing is owed', async () => {
    const order = await place([1]);
    const paymentId = await payByCard(order.id, 100);
    const other = await place([1]);
    for (const [placed, payment] of [
      [order, 'nonsense'],
      [order, 'pay_01h455vb4pex5vsknk084sn02q'],
      [other, paymentId],
    ] as const) {
      assert.equal((await refused(`${placed.id}/refunds/${payment}/paid`)).status, 404);
    }
    assert.equal((await refused(`${order.id}/refunds/${paymentId}/paid`)).body.code, 'conflict');
  });
});

describe('settling by hand', () => {
  test('records the remainder as received and charged: placed and announced, however old; the balance stays as it was', async () => {
    const { by, order } = await placeUnpaid();
    const settled = await done(`${order.id}/settle`);
    assert.deepEqual(
      [settled.state, settled.payment_status, settled.paid_gbp, settled.due_gbp],
      ['placed', 'paid', order.charged.total, 0],
    );
    assert.equal(await balancePence(service, by), 0);
    assert.deepEqual(
      (await eventsOf(order.id)).map(({ event }) => event),
      ['order.payment_failed', 'order.created'],
    );
    const statement = await by.request<Page<{ type: string; amount: number }>>('GET', '/account/transactions');
    assert.deepEqual(
      statement.body.data.map(({ type, amount }) => [type, amount]),
      [
        ['charge', -order.charged.total],
        ['top_up', order.charged.total],
      ],
    );
    const again = await refused(`${order.id}/settle`);
    assert.deepEqual([again.status, again.body.code], [409, 'conflict']);
    const invoice = await by.request<Invoice>('GET', `/orders/${order.id}/invoice`);
    assert.equal(invoice.body.total, order.charged.total);
    const cancelled = await by.request<Cancellation>('POST', `/orders/${order.id}/cancel`);
    assert.equal(cancelled.body.refunded_gbp, order.charged.total);
  });

  test('does nothing to an order that is paid, and takes finance', async () => {
    const order = await place([1]);
    const before = await stateOf(order.id);
    assert.equal((await refused(`${order.id}/settle`)).body.code, 'conflict');
    const production = await service.openOperator('production');
    assert.equal((await refused(`${order.id}/settle`, undefined, production)).status, 403);
    assert.deepEqual(await stateOf(order.id), before);
  });
});

test('the totals of the books are the totals of the invoices less the credit notes, net, duty and VAT by rate', async () => {
  service.shiftMs(120_000);
  await issueDueDocuments(service.ctx);
  const [missing] = await rows<{ count: number }>(
    service,
    `select count(*) from orders o where paid_at is not null and source <> 'replacement'
     and not exists (select from invoice i where i.order_id = o.id)`,
  );
  assert.equal(missing?.count, 0, 'every paid order has its invoice');
  const [open] = await rows<{ count: number }>(service, 'select count(*) from order_credit where noted_at is null');
  assert.equal(open?.count, 0, 'every credit has its note');
  const onPaper = await rows<{ part: string; pence: number }>(
    service,
    `with paper as (select 1 as sign, document from invoice union all select -1, document from credit_note)
     select part, sum(pence)::bigint as pence from (
       select 'net' as part, sign * (document->>'net_pence')::bigint as pence from paper
       union all select 'duty_owed', sign * (document->>'duty_pence')::bigint from paper
       union all select 'vat:' || (rate->>'rate_bp'), sign * (rate->>'vat_pence')::bigint
         from paper, json_array_elements(document->'vat') as rate
     ) as parts group by part having sum(pence) <> 0 order by part`,
  );
  const inBooks = await rows<{ part: string; pence: number }>(
    service,
    `select part, sum(pence)::bigint as pence from (
       select case when account in ('sales', 'setup_fees', 'shipping_income', 'refunds') then 'net' else account end as part, pence
       from (select credit_account as account, amount_pence as pence from posting
             union all select debit_account, -amount_pence from posting) as side
       where account in ('sales', 'setup_fees', 'shipping_income', 'refunds', 'duty_owed') or account like 'vat%'
     ) as parts group by part having sum(pence) <> 0 order by part`,
  );
  assert.deepEqual(inBooks, onPaper);
  assert.ok(onPaper.length >= 2);
});
