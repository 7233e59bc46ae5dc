import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { issueDueDocuments } from '../../../../src/invoices/issue-due.ts';
import type { CreditNote } from '../../../../src/invoices/schema.ts';
import { newId, parseId, type Uuid } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import type { Cancellation } from '../../../../src/refunds/schema.ts';
import { addProduct, HOME, problemsOf, servePicture } from '../../../harness/shop.ts';
import { assertSound, balancePence, rows } from '../../../harness/written.ts';
import {
  act,
  admin,
  cents,
  closeMoneyBack,
  customer,
  done,
  eventsOf,
  openMoneyBack,
  place,
  placeUnpaid,
  productId,
  refused,
  SKU,
  service,
  stateOf,
} from '../money-back.ts';

before(openMoneyBack);
after(closeMoneyBack);
afterEach(() => assertSound(service));

const lineOf = (order: CreatedOrder, index = 0): string => order.items.lineItems[index]?.id ?? '';

describe('ops cancel of a whole order', () => {
  test('3.1 at any time, also long after the window: all of it goes back, the event says ops, and it cannot happen twice (3.1 ops cancel)', async () => {
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
      items: [{ line_id: lineOf(order), quantity: 3 }],
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
    for (const items of [
      [{ line_id: lineOf(order), quantity: 1 }],
      [{ line_id: lineOf(order, 1), quantity: 1 }],
      [{ line_id: lineOf(order), quantity: 2 }],
    ]) {
      assert.equal((await done(`${order.id}/cancel`, { reason: 'x', items })).state, 'placed');
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
    const pieces = [
      { line_id: lineOf(order), quantity: 3 },
      { line_id: lineOf(order), quantity: 1 },
      { line_id: lineOf(other), quantity: 1 },
    ];
    for (const name of ['items', 'lines']) {
      const answer = await refused(`${order.id}/cancel`, { reason: 'x', [name]: pieces });
      assert.equal(answer.status, 422);
      assert.deepEqual(problemsOf(answer), [
        `${name}[0].quantity out_of_bounds`,
        `${name}[1].line_id duplicate`,
        `${name}[2].line_id unknown_line`,
      ]);
    }
    const answer = await refused(`${order.id}/cancel`, { reason: 'x', line_ids: [lineOf(order, 1), 'nonsense'] });
    assert.equal(answer.status, 422);
    assert.deepEqual(problemsOf(answer), ['line_ids[0] out_of_bounds', 'line_ids[1] unknown_line']);
    assert.deepEqual(await stateOf(order.id), before);
  });

  test('pieces are items; the older names lines and line_ids mean the same', async () => {
    const order = await place([4, 1]);
    const cancelled = async (pieces: object) => {
      const { lines } = await done(`${order.id}/cancel`, { reason: 'x', ...pieces });
      return lines.map((line) => line.quantity_cancelled);
    };
    assert.deepEqual(await cancelled({ items: [{ line_id: lineOf(order), quantity: 1 }] }), [1, 0]);
    assert.deepEqual(await cancelled({ lines: [{ line_id: lineOf(order), quantity: 2 }] }), [3, 0]);
    assert.deepEqual(await cancelled({ line_ids: [lineOf(order, 1)] }), [3, 1]);
    const { body } = await customer.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual(
      body.items.map((line) => [line.qty, line.qty_shipped, line.qty_cancelled, line.status]),
      [
        [4, 0, 3, 'queued'],
        [1, 0, 1, 'cancelled'],
      ],
      'its owner sees how many',
    );
  });

  test('pieces under two names, or under a name that is not known, are 422: nothing is cancelled and nothing refunded', async () => {
    const order = await place([2]);
    const before = await stateOf(order.id);
    const pieces = [{ line_id: lineOf(order), quantity: 1 }];
    const both: readonly (readonly [body: object, problems: readonly string[]])[] = [
      [{ items: pieces, lines: pieces }, ['items one_of', 'lines one_of']],
      [{ items: pieces, line_ids: [lineOf(order)] }, ['items one_of', 'line_ids one_of']],
      [{ lines: pieces, line_ids: [lineOf(order)] }, ['lines one_of', 'line_ids one_of']],
      [{ item: pieces }, ['item unknown_field']],
      [{ pieces }, ['pieces unknown_field']],
      [{ items: [{ line_id: lineOf(order), qty: 1 }] }, ['items[0].quantity required', 'items[0].qty unknown_field']],
      [{ items: [], lines: pieces, Lines: 1 }, ['items out_of_bounds', 'Lines unknown_field', 'lines one_of']],
    ];
    for (const [body, problems] of both) {
      const answer = await refused(`${order.id}/cancel`, { reason: 'x', ...body });
      assert.deepEqual([answer.status, problemsOf(answer)], [422, problems]);
    }
    // The last two are near the older names.
    for (const name of ['pieces', 'item', 'lins', 'line_id']) {
      const { body } = await refused(`${order.id}/cancel`, { reason: 'x', [name]: pieces });
      assert.equal(body.errors?.[0]?.message, `${name} is not known here. Did you mean \`items\`?`);
    }
    assert.deepEqual(await stateOf(order.id), before);
  });

  for (const [title, body, path] of [
    ['no reason', {}, 'reason'],
    ['a blank reason', { reason: '  ' }, 'reason'],
    ['no items', { reason: 'x', items: [] }, 'items'],
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
