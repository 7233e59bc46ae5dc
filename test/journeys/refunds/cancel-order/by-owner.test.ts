import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Transaction } from '../../../../src/billing/schema.ts';
import { ApiError } from '../../../../src/lib/errors.ts';
import { newId, parseId, type Uuid } from '../../../../src/lib/ids.ts';
import type { CreatedOrder, Estimate, Order } from '../../../../src/orders/schema.ts';
import { cancelOrder } from '../../../../src/refunds/cancel-order.ts';
import type { Cancellation } from '../../../../src/refunds/schema.ts';
import { verify } from '../../../../src/verify/verify.ts';
import { openFloor } from '../../../harness/floor.ts';
import type { Answer, Customer, ErrorReply, TestService } from '../../../harness/service.ts';
import { startTestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, servePicture, teeItem } from '../../../harness/shop.ts';
import { balancePence, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService();
  customer = service.customer;
});
after(() => service.stop());

type Cancelled = Answer<Cancellation & Pick<ErrorReply, 'code' | 'detail' | 'request_id'> & { placed_at?: string }>;

const cancel = (id: string, by = customer, body?: unknown): Promise<Cancelled> =>
  by.request('POST', `/orders/${id}/cancel`, body);

async function place(changes: object = {}, by = customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', { ...basket(service), ...changes });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function fetchOrder(id: string, by = customer): Promise<Order> {
  const answer = await by.request<Order>('GET', `/orders/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

function uuidOf(order: { id: string }): Uuid {
  const id = parseId('ord', order.id);
  assert.ok(id);
  return id;
}

/** A refusal without the one member that differs from request to request. */
function sameAs({ body }: Cancelled): object {
  return { ...body, request_id: body.request_id.slice(0, 4) };
}

/** Puts an order where only production and shipping bring it. */
async function putInState(order: { id: string }, state: string): Promise<void> {
  await rows(service, 'update orders set changed_by = transaction_number(), state = $2 where id = $1', [
    uuidOf(order),
    state,
  ]);
}

/** Everything about an order that a cancel may change. */
async function traceOf(order: { id: string }): Promise<unknown> {
  const [found] = await rows<{ trace: unknown }>(
    service,
    `select json_build_object('order', row_to_json(o), 'lines', (select json_agg(l order by l.id) from order_line l
       where l.order_id = o.id), 'events', (select count(*) from event where order_id = o.id), 'history',
       (select count(*) from order_history where order_id = o.id), 'postings', (select count(*) from posting
       where order_id = o.id), 'refunds', (select count(*) from refund where order_id = o.id), 'balance',
       (select balance_pence from account_balance b where b.account_id = o.account_id)) as trace
     from orders o where id = $1`,
    [uuidOf(order)],
  );
  return found?.trace;
}

test('2.6 refunded_gbp: a cancel gives all of the money back to the balance at once, and says so field by field (2.6 fields, 2.6 pending_manual_refund, 2.6 cancellable_until, 3.1 cancel, 4.1 cancel, 4.1 cancel.2, 9.4 cancel, D62)', async () => {
  const before = await balancePence(service, customer);
  const order = await place();
  const { status, body } = await cancel(order.id);
  assert.equal(status, 200);
  assert.deepEqual(body, {
    id: order.id,
    reference: order.reference,
    status: 'cancelled',
    cancelled: true,
    refunded_gbp: order.charged.total,
    pending_manual_refund: [],
    cancellable_until: order.cancellable_until,
  });
  assert.equal(await balancePence(service, customer), before);
  const read = await fetchOrder(order.id);
  assert.deepEqual(
    [read.status, read.payment_status, read.version, read.items.map((line) => line.status), read.warnings],
    ['cancelled', 'refunded', 2, ['cancelled'], []],
  );
  assert.deepEqual(read.actions.cancel, { available: false, until: order.cancellable_until });
  assert.deepEqual(
    read.refunds.map(({ id, created_at: at, ...refund }) => [id.startsWith('rfd_'), at > order.created_at, refund]),
    [
      [
        true,
        true,
        {
          payment_id: null,
          method: 'balance',
          amount: order.charged.total,
          currency: 'GBP',
          status: 'refunded',
          reason: '',
        },
      ],
    ],
  );
  assert.deepEqual(
    read.charges.map(({ charged_at: at, ...charge }) => [at, charge]),
    [[order.created_at, { payment_id: null, method: 'balance', amount: order.charged.total, currency: 'GBP' }]],
  );
});

test('a cancel is announced once as order.cancelled, cancelled_by api, later than what came before (6.3 order.cancelled, 6.1 order.cancelled, 3.1 cancel, 6.2 data.status, 6.2 created_at)', async () => {
  const order = await place();
  await cancel(order.id);
  const events = await rows<{ event: string; sequence: number; data: unknown; created_at: Date }>(
    service,
    'select event, sequence, data, created_at from event where order_id = $1 order by sequence',
    [uuidOf(order)],
  );
  assert.deepEqual(
    events.map(({ event, sequence }) => [event, sequence]),
    [
      ['order.created', 1],
      ['order.cancelled', 2],
    ],
  );
  assert.deepEqual(events[1]?.data, {
    order_id: order.id,
    reference: order.reference,
    status: 'cancelled',
    refunded_gbp: order.charged.total,
    cancelled_by: 'api',
  });
  assert.ok((events[1]?.created_at ?? 0) > (events[0]?.created_at ?? 0));
  const history = await rows<object>(
    service,
    'select action, from_state, to_state, actor from order_history where order_id = $1 order by id desc limit 1',
    [uuidOf(order)],
  );
  assert.deepEqual(history, [{ action: 'cancel', from_state: 'placed', to_state: 'cancelled', actor: 'customer' }]);
});

test('4.1 id: the reference serves as the id, in any case (2.1 reference)', async () => {
  const order = await place();
  const answer = await cancel(order.reference.toLowerCase());
  assert.deepEqual([answer.status, answer.body.id], [200, order.id]);
});

test('2.6 already_cancelled: a repeat is 200 with already_cancelled and gives nothing back again (3.1 repeat cancel, 4.1 cancel.3, E86)', async () => {
  const order = await place();
  const first = await cancel(order.id);
  assert.equal('already_cancelled' in first.body, false);
  const trace = await traceOf(order);
  const repeat = await cancel(order.id);
  assert.deepEqual([repeat.status, repeat.body], [200, { ...first.body, already_cancelled: true }]);
  assert.deepEqual(await traceOf(order), trace);
});

test('E86 fifty cancels at once are one refund and one event; the others are told that it was cancelled (D62)', async () => {
  const before = await balancePence(service, customer);
  const order = await place();
  const answers = await Promise.all(Array.from({ length: 50 }, () => cancel(order.id)));
  assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200]));
  assert.equal(answers.filter(({ body }) => body.already_cancelled === undefined).length, 1);
  assert.equal(new Set(answers.map(({ body }) => body.refunded_gbp)).size, 1);
  assert.equal(await balancePence(service, customer), before);
  const [count] = await rows<object>(
    service,
    `select (select count(*) from posting where order_id = $1 and kind = 'refund') as refunds,
            (select count(*) from event where order_id = $1 and event = 'order.cancelled') as events`,
    [uuidOf(order)],
  );
  assert.deepEqual(count, { refunds: 1, events: 1 });
});

describe('E85 the window closes an hour after placing, to the millisecond (8 cancellation window, 4.1 cancel.4)', () => {
  const caller = () => ({ accountId: customer.accountId, limitedAs: newId(), scopes: new Set<never>() });
  const cancelAt = (id: string, at: number) =>
    cancelOrder({ ...service.ctx, clock: { now: () => new Date(at) } }, caller(), id);

  for (const [name, afterMs] of [
    ['59:59.999', 3_599_999],
    ['60:00.000', 3_600_000],
  ] as const) {
    test(`at ${name} it is cancelled`, async () => {
      const order = await place();
      const result = await cancelAt(order.id, Date.parse(order.created_at) + afterMs);
      assert.deepEqual([result.status, result.refunded_gbp], ['cancelled', order.charged.total]);
    });
  }

  test('at 60:00.001 it is 409 with both times, and nothing has changed', async () => {
    const order = await place();
    const trace = await traceOf(order);
    await assert.rejects(cancelAt(order.id, Date.parse(order.created_at) + 3_600_001), (error) => {
      assert.ok(error instanceof ApiError);
      assert.equal(error.code, 'cancellation_window_closed');
      assert.deepEqual(error.extras, { placed_at: order.created_at, cancellable_until: order.cancellable_until });
      return true;
    });
    assert.deepEqual(await traceOf(order), trace);
  });

  test('7 cancellation_window_closed: the refusal over HTTP has the code and both times, and a fetched order says that no cancel is open (4.1 cancel.4)', async () => {
    const order = await place();
    await rows(service, "update orders set cancellable_until = placed_at + interval '1 millisecond' where id = $1", [
      uuidOf(order),
    ]);
    const { status, body } = await cancel(order.id);
    assert.deepEqual([status, body.code, body.placed_at], [409, 'cancellation_window_closed', order.created_at]);
    assert.equal(Date.parse(body.cancellable_until), Date.parse(order.created_at) + 1);
    assert.equal((await fetchOrder(order.id)).actions.cancel.available, false);
  });

  test('the window is the one that the order was placed with', async () => {
    const order = await place();
    assert.equal(Date.parse(order.cancellable_until) - Date.parse(order.created_at), 3_600_000);
    assert.deepEqual((await fetchOrder(order.id)).actions.cancel, { available: true, until: order.cancellable_until });
  });
});

for (const state of ['dispatched', 'delivered']) {
  test(`E90 an order that is ${state} is 409 conflict, and so it is after the window; nothing changes (4.1 cancel dispatched, 7 conflict)`, async () => {
    const order = await place();
    await putInState(order, state);
    const trace = await traceOf(order);
    const { status, body } = await cancel(order.id);
    assert.deepEqual([status, body.code], [409, 'conflict']);
    await rows(service, "update orders set cancellable_until = placed_at where id = $1 and state = 'dispatched'", [
      uuidOf(order),
    ]);
    const late = await cancel(order.id);
    assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
    await rows(service, "update orders set cancellable_until = placed_at + interval '1 hour' where id = $1", [
      uuidOf(order),
    ]);
    assert.deepEqual(await traceOf(order), trace);
    await putInState(order, 'placed');
  });
}

test('3.1 cancel: an order in any other state is cancelled', async () => {
  const floor = await openFloor(service);
  const moves: Readonly<Record<string, readonly (readonly [move: string, body?: object])[]>> = {
    placed: [],
    on_hold: [['hold', { reason: 'look at it' }]],
    released: [['promote']],
    in_production: [['promote'], ['lines/first/start']],
  };
  for (const [state, steps] of Object.entries(moves)) {
    const order = await place({ items: [teeItem(service, { print_jobs: [] })] });
    const first = order.items.lineItems[0]?.id ?? '';
    for (const [move, body] of steps) await floor.post(`/orders/${order.id}/${move.replace('first', first)}`, body);
    const { body: seen } = await floor.request('GET', `/orders/${order.id}`);
    assert.deepEqual([seen.state, (await cancel(order.id)).status], [state, 200]);
  }
});

test('4.1 cancel unknown: an order that does not exist and one of another account are the same 404 (B39, E90)', async () => {
  const other = await service.openCustomer();
  const order = await place();
  const unknown = await cancel('ord_01h455vb4pex5vsknk084sn02q', other);
  for (const id of [order.id, order.reference, 'PF-22222222', 'nonsense', 'prod_01h455vb4pex5vsknk084sn02q']) {
    const answer = await cancel(id, other);
    assert.deepEqual([answer.status, sameAs(answer)], [404, sameAs(unknown)], id);
  }
  assert.equal((await fetchOrder(order.id)).status, 'pending');
});

test('5.4 it needs orders:write (4.1 scopes)', async () => {
  const reader = await service.openCustomer({ scopes: ['orders:read'] });
  const { status, body } = await cancel('ord_01h455vb4pex5vsknk084sn02q', reader);
  assert.deepEqual([status, body.code], [403, 'insufficient_scope']);
});

test('E91 a body is not looked at, whatever it is', async () => {
  for (const body of ['{ not json', { refund: 'none', cancelled_by: 'ops' }, '[]', 'x'.repeat(20_000)]) {
    const order = await place();
    const answer = await cancel(order.id, customer, body);
    assert.deepEqual([answer.status, answer.body.refunded_gbp], [200, order.charged.total]);
  }
});

test('E92 an order that was never paid is cancelled; there is nothing to give back', async () => {
  const poor = await service.openCustomer();
  const product = await addProduct(service, poor, 'TEE-CLASSIC');
  const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
  const order = await place({ items, shipping_address: HOME }, poor);
  assert.equal(order.payment_status, 'failed');
  const { status, body } = await cancel(order.id, poor);
  assert.deepEqual([status, body.refunded_gbp, body.pending_manual_refund], [200, 0, []]);
  const read = await fetchOrder(order.id, poor);
  assert.deepEqual([read.status, read.payment_status, read.charges, read.refunds], ['cancelled', 'failed', [], []]);
  assert.deepEqual(
    read.warnings.map(({ code }) => code),
    ['blank_garment'],
    'nobody is asked to pay for a cancelled order',
  );
});

let paidByCard = '';

test('D63 what a card paid is not credited: it is listed as owed, and with the credit it is what was paid (2.6 pending_manual_refund)', async () => {
  const before = await balancePence(service, customer);
  const order = await place();
  const totalPence = Math.round(order.charged.total * 100);
  const paymentId = newId();
  paidByCard = order.reference;
  // The order is made one that a card paid in part: two pounds go back to the balance, and a payment stands for them.
  await rows(
    service,
    `with paid as (
       update orders set balance_paid_pence = total_pence - 200, method_paid_pence = 200 where id = $1
       returning account_id, placed_at
     ),
     card as (
       insert into payment (order_id, id, account_id, method, amount_pence, provider_reference, paid_at)
       select $1, $2, account_id, 'card', 200, 'pi_3', placed_at from paid
     ),
     funds as (
       update account_balance b set balance_pence = balance_pence + 200, entries = entries + 1 from paid
       where b.account_id = paid.account_id returning b.account_id, b.balance_pence, b.entries
     )
     insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at, entry,
       balance_after_pence)
     select account_id, gen_random_uuid(), $1, 'charge', 'bank', 'customer_balance', 200, now(), entries, balance_pence
     from funds`,
    [uuidOf(order), paymentId],
  );
  const { body } = await cancel(order.id);
  assert.equal(Math.round(body.refunded_gbp * 100), totalPence - 200);
  assert.deepEqual(
    body.pending_manual_refund.map(({ payment_id: id, ...rest }) => [id.startsWith('pay_'), rest]),
    [[true, { method: 'card', amount_gbp: 2, reference: 'pi_3', paid_at: order.created_at }]],
  );
  assert.equal(await balancePence(service, customer), before);
  const repeat = await cancel(order.id);
  assert.deepEqual(repeat.body, { ...body, already_cancelled: true });
  const read = await fetchOrder(order.id);
  assert.equal(read.payment_status, 'part_refunded');
  assert.deepEqual(
    read.refunds.map(({ method, status }) => `${method} ${status}`),
    ['balance refunded', 'card pending'],
  );
});

describe('E88 a refund that fails leaves the order as it was (4.1 cancel.1, 7 refund_failed)', () => {
  for (const [what, state] of [
    ['its posting is refused', 'P0001'],
    ['its statement runs out of time', '57014'],
    ['its lock is not to be had', '55P03'],
  ] as const) {
    test(`${what}: 502 refund_failed, and the next try cancels it once`, async () => {
      const order = await place();
      const trace = await traceOf(order);
      await service.ctx.database.script(`
        create function refuse_refund() returns trigger language plpgsql as $$
          begin raise exception 'no refunds today' using errcode = '${state}'; end $$;
        create trigger refuse_refund before insert on posting for each row
          when (new.kind = 'refund') execute function refuse_refund();`);
      const { status, body } = await cancel(order.id);
      await service.ctx.database.script('drop function refuse_refund() cascade');
      assert.deepEqual([status, body.code], [502, 'refund_failed']);
      assert.match(body.detail, /safe to try again/);
      assert.deepEqual(await traceOf(order), trace);
      const retry = await cancel(order.id);
      assert.deepEqual([retry.status, retry.body.refunded_gbp], [200, order.charged.total]);
      assert.equal(retry.body.already_cancelled, undefined);
    });
  }

  test('a step after the refund fails: the refund is undone with it', async () => {
    const order = await place();
    const trace = await traceOf(order);
    await service.ctx.database.script(`
      create function refuse_event() returns trigger language plpgsql as $$
        begin raise exception 'no events today'; end $$;
      create trigger refuse_event before insert on event for each row
        when (new.event = 'order.cancelled') execute function refuse_event();`);
    const { status } = await cancel(order.id);
    await service.ctx.database.script('drop function refuse_event() cascade');
    assert.equal(status, 500);
    assert.deepEqual(await traceOf(order), trace);
  });

  test('the database goes away in the middle: 503, and nothing has changed', async () => {
    const order = await place();
    const trace = await traceOf(order);
    await service.ctx.database.script(`
      create function cut_off() returns trigger language plpgsql as $$
        begin perform pg_terminate_backend(pg_backend_pid()); return new; end $$;
      create trigger cut_off before insert on posting for each row
        when (new.kind = 'refund') execute function cut_off();`);
    const { status, body } = await cancel(order.id);
    await service.ctx.database.script('drop function cut_off() cascade');
    assert.deepEqual([status, body.code], [503, 'unavailable']);
    assert.deepEqual(await traceOf(order), trace);
  });
});

test('F98 the reference of a cancelled order returns that order, cancelled, and charges nothing', async () => {
  const order = await place({ external_reference: 'cancelled-1' });
  await cancel(order.id);
  const before = await balancePence(service, customer);
  const again = await customer.request<CreatedOrder>('POST', '/orders', {
    ...basket(service),
    external_reference: 'cancelled-1',
  });
  assert.deepEqual(
    [again.status, again.body.id, again.body.status, again.headers.get('idempotent-replayed')],
    [200, order.id, 'cancelled', 'true'],
  );
  assert.equal(await balancePence(service, customer), before);
});

describe('a setup that a cancelled order paid for', () => {
  async function shop() {
    const owner = await service.openCustomer({ balancePence: 1_000_000 });
    const product = await addProduct(service, owner, 'TEE-CLASSIC');
    const url = await servePicture(service, `/${newId()}.png`, {
      widthPx: 700,
      heightPx: 700,
      colour: `#${newId().slice(-6)}`,
    });
    const areas = [{ print_area: 'left_sleeve', method: 'embroidery', artwork_url: url }];
    const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, decoration: { areas } }];
    const body = { items, shipping_address: HOME };
    const setupOf = async () => {
      const answer = await owner.request<Estimate>('POST', '/orders/estimate', body);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.setup_total;
    };
    return { owner, body, setupOf };
  }

  test('passes to the oldest live order that relied on it: later ones still pay none', async () => {
    const { owner, body, setupOf } = await shop();
    const payer = await place(body, owner);
    assert.ok(payer.charged.setup_total > 0);
    const heir = await place(body, owner);
    const last = await place(body, owner);
    assert.deepEqual([heir.charged.setup_total, last.charged.setup_total], [0, 0]);
    const refunded = await cancel(payer.id, owner);
    assert.equal(refunded.body.refunded_gbp, payer.charged.total);
    assert.equal(await setupOf(), 0);
    const held = await rows<{ paid_by_order: Uuid }>(
      service,
      'select paid_by_order from setup_right where account_id = $1',
      [owner.accountId],
    );
    assert.deepEqual(held, [{ paid_by_order: uuidOf(heir) }]);
    await cancel(heir.id, owner);
    assert.equal(await setupOf(), 0);
  });

  test('is due again when no live order relies on it', async () => {
    const { owner, body, setupOf } = await shop();
    const payer = await place(body, owner);
    const other = await place(body, owner);
    await cancel(other.id, owner);
    await cancel(payer.id, owner);
    assert.equal(await setupOf(), payer.charged.setup_total);
    const again = await place(body, owner);
    assert.equal(again.charged.setup_total, payer.charged.setup_total);
  });
});

test('the statement of the account shows the charge and the refund, each with what it left', async () => {
  const owner = await service.openCustomer({ balancePence: 10_000 });
  const product = await addProduct(service, owner, 'TEE-CLASSIC');
  const items = [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1 }];
  const order = await place({ items, shipping_address: HOME }, owner);
  await cancel(order.id, owner);
  const { body } = await owner.request<{ data: Transaction[] }>('GET', '/account/transactions');
  assert.deepEqual(
    body.data.map(({ type, amount, balance_after: left, order_id: id, reference }) => [
      type,
      amount,
      left,
      id,
      reference,
    ]),
    [
      ['refund', order.charged.total, 100, order.id, order.reference],
      ['charge', -order.charged.total, Math.round(10_000 - order.charged.total * 100) / 100, order.id, order.reference],
      ['top_up', 100, 100, null, ''],
    ],
  );
});

test('the books are in order after all of it', async () => {
  const { checks } = await verify(service.ctx);
  // The card of D63 was put into the books by the test, as a part of what the balance had been charged.
  assert.deepEqual(
    checks.flatMap(({ violations }) => violations).filter((line) => !line.includes(`order ${paidByCard} has`)),
    [],
  );
});
