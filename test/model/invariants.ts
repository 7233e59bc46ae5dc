import assert from 'node:assert/strict';
import type { Context } from '../../src/lib/context.ts';
import { type Db, statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import type { OrderState } from '../../src/orders/status.ts';
import { verify } from '../../src/verify/verify.ts';

// What must hold of a database at every quiet moment, whatever happened before: read off the rows alone and judged
// here, with no code of the product. `platen verify` asks some of the same, by other statements.

type LineFacts = {
  readonly id: Uuid;
  readonly sku: string;
  readonly quantity: number;
  readonly cancelled: number;
  readonly shipped: number;
  readonly spoiled: number;
  readonly started: boolean;
  readonly paused: boolean;
  readonly unit_pence: number;
  readonly price_pence: number;
  /** Pieces in parcels. */
  readonly in_parcels: number;
  readonly allocation: {
    readonly allocated: number;
    readonly consumed: number;
    readonly released: number;
    readonly short: number;
  } | null;
  /** Pieces done of each print job. */
  readonly done: readonly number[];
};

type PostingFacts = { readonly kind: string; readonly debit: string; readonly credit: string; readonly pence: number };

/** Everything that the database says of an order. Amounts are pence; postings are summed by kind and accounts. */
export type OrderFacts = {
  readonly id: Uuid;
  readonly account_id: Uuid;
  readonly reference: string;
  readonly source: string;
  readonly state: OrderState;
  readonly held_from: OrderState | null;
  readonly subtotal_pence: number;
  readonly setup_pence: number;
  readonly shipping_pence: number;
  readonly vat_pence: number;
  readonly duty_pence: number;
  readonly total_pence: number;
  readonly balance_paid_pence: number;
  readonly method_paid_pence: number;
  readonly unwanted_pence: number;
  readonly refunded_pence: number;
  readonly refund_owed_pence: number;
  /** What was credited of the sale. */
  readonly credited_pence: number;
  readonly version: number;
  readonly is_paid: boolean;
  readonly attempt_id: Uuid | null;
  readonly lines: readonly LineFacts[];
  readonly events: readonly { readonly sequence: number; readonly event: string }[];
  readonly history: readonly {
    readonly action: string;
    readonly from: OrderState | null;
    readonly to: OrderState;
  }[];
  readonly postings: readonly PostingFacts[];
  /** `at_placing`: made when the order was placed. */
  readonly attempts: readonly {
    readonly id: Uuid;
    readonly state: 'open' | 'unknown' | 'succeeded' | 'failed';
    readonly pence: number;
    readonly is_returned: boolean;
    readonly at_placing: boolean;
  }[];
  readonly shipments: readonly Uuid[];
  /** The kinds of what was left for a person to see to. */
  readonly tasks: readonly string[];
  /** How many of them say that a line is short, and are open. */
  readonly short_tasks: number;
};

const factsSql = (which: string): string => `
  select o.id, o.account_id, o.reference, o.source, o.state, o.hold->>'from' as held_from, o.subtotal_pence, o.setup_pence,
    o.shipping_pence, o.vat_pence, o.duty_pence, o.total_pence, o.balance_paid_pence, o.method_paid_pence, o.unwanted_pence,
    o.refunded_pence, o.refund_owed_pence, o.version, o.paid_at is not null as is_paid, o.attempt_id,
    (select coalesce(sum(c.total_pence), 0)::bigint from order_credit c where c.order_id = o.id) as credited_pence,
    coalesce((select json_agg(json_build_object('id', l.id, 'sku', l.sku, 'quantity', l.quantity, 'cancelled', l.quantity_cancelled,
        'shipped', l.quantity_shipped, 'spoiled', l.quantity_spoiled, 'started', l.started_at is not null,
        'paused', exists (select from line_pause p where p.order_id = l.order_id and p.line_id = l.id),
        'unit_pence', l.unit_price_pence, 'price_pence', l.line_price_pence,
        'in_parcels', (select coalesce(sum(i.quantity), 0) from shipment_item i where i.order_id = l.order_id and i.line_id = l.id),
        'allocation', (select json_build_object('allocated', a.allocated, 'consumed', a.consumed, 'released', a.released, 'short', a.short)
          from allocation a where a.order_id = l.order_id and a.line_id = l.id),
        'done', coalesce((select json_agg(j.quantity_done order by j.ordinal) from print_job j
          where j.order_id = l.order_id and j.line_id = l.id), '[]')) order by l.ordinal)
      from order_line l where l.order_id = o.id), '[]') as lines,
    coalesce((select json_agg(json_build_object('sequence', e.sequence, 'event', e.event) order by e.sequence)
      from event e where e.order_id = o.id), '[]') as events,
    coalesce((select json_agg(json_build_object('action', h.action, 'from', h.from_state, 'to', h.to_state) order by h.created_at, h.id)
      from order_history h where h.order_id = o.id), '[]') as history,
    coalesce((select json_agg(json_build_object('kind', p.kind, 'debit', p.debit_account, 'credit', p.credit_account, 'pence', p.sum))
      from (select kind, debit_account, credit_account, sum(amount_pence) as sum from posting
            where order_id = o.id group by 1, 2, 3) as p), '[]') as postings,
    coalesce((select json_agg(json_build_object('id', t.id, 'state', t.state, 'pence', t.amount_pence,
        'is_returned', t.returned_at is not null, 'at_placing', t.created_at = o.placed_at) order by t.id)
      from payment_attempt t where t.order_id = o.id), '[]') as attempts,
    coalesce((select json_agg(s.id order by s.id) from shipment s where s.order_id = o.id), '[]') as shipments,
    coalesce((select json_agg(k.kind order by k.id) from ops_task k where k.order_id = o.id), '[]') as tasks,
    (select count(*) from ops_task k where k.order_id = o.id and k.kind = 'line_short' and k.closed_at is null) as short_tasks
  from orders o ${which} order by o.id`;

const SOME = statement<OrderFacts>('model_facts_of_some', factsSql('where o.id = any($1::uuid[])'));
const ALL = statement<OrderFacts>('model_facts_of_all', factsSql(''));

/** What the database says of some orders, or of all. */
export async function readOrderFacts(db: Db, ids: readonly Uuid[] | 'all'): Promise<OrderFacts[]> {
  return ids === 'all' ? db.all(ALL, []) : db.all(SOME, [ids]);
}

const ANY_STATE: readonly OrderState[] = [
  'awaiting_payment',
  'placed',
  'on_hold',
  'released',
  'in_production',
  'dispatched',
  'cancelled',
];

type Step = { readonly from: readonly (OrderState | null)[]; readonly to: readonly OrderState[] | 'same' };

/**
 * The state machine: what may be done in which state, and what comes of it (spec 3.1; decisions, "Meaning";
 * operating).
 */
export const STEPS: Readonly<Record<string, Step>> = {
  place: { from: [null], to: ['placed', 'awaiting_payment'] },
  settle: { from: ['awaiting_payment'], to: ['placed'] },
  payment_failed: { from: ['awaiting_payment'], to: 'same' },
  retry_payment: { from: ['awaiting_payment'], to: 'same' },
  share_setup: { from: ['awaiting_payment'], to: 'same' },
  promote: { from: ['placed'], to: ['released'] },
  // One that is held already is held anew when its payment comes back.
  hold: { from: ['placed', 'released', 'on_hold'], to: ['on_hold'] },
  resume: { from: ['on_hold'], to: ['placed', 'released'] },
  start_line: { from: ['released', 'in_production'], to: ['in_production'] },
  finish: { from: ['in_production'], to: 'same' },
  spoil: { from: ['in_production'], to: 'same' },
  pause_line: { from: ['in_production'], to: 'same' },
  resume_line: { from: ['in_production'], to: 'same' },
  ship: { from: ['in_production'], to: ['in_production', 'dispatched'] },
  cancel: { from: ANY_STATE.filter((state) => state !== 'cancelled'), to: ['cancelled'] },
  cancel_lines: { from: ['placed', 'on_hold', 'released', 'in_production'], to: ANY_STATE },
  refund: { from: ANY_STATE.filter((state) => state !== 'awaiting_payment'), to: 'same' },
  refund_paid: { from: ANY_STATE, to: 'same' },
  correct_shipment: { from: ['in_production', 'dispatched', 'cancelled'], to: 'same' },
  change_address: { from: ANY_STATE.filter((state) => state !== 'cancelled' && state !== 'dispatched'), to: 'same' },
  replace_artwork: { from: ['awaiting_payment', 'placed', 'on_hold', 'released', 'in_production'], to: 'same' },
  ask_to_cancel: { from: ANY_STATE.filter((state) => state !== 'cancelled' && state !== 'dispatched'), to: 'same' },
  withdraw_cancellation: {
    from: ANY_STATE.filter((state) => state !== 'cancelled' && state !== 'dispatched'),
    to: 'same',
  },
  refuse_cancellation: {
    from: ANY_STATE.filter((state) => state !== 'cancelled' && state !== 'dispatched'),
    to: 'same',
  },
  replace: { from: ['in_production', 'dispatched', 'cancelled'], to: 'same' },
  unwanted_payment: { from: ANY_STATE, to: 'same' },
  // A payment that comes back holds an order that has not started: that is a step `hold`, unless all of it was to be
  // paid back.
  payment_returned: { from: ANY_STATE, to: 'same' },
  payment_recovered: { from: ANY_STATE, to: 'same' },
  write_off: { from: ANY_STATE, to: 'same' },
  correct_write_off: { from: ANY_STATE, to: 'same' },
  correct_collection: { from: ANY_STATE, to: 'same' },
};

/** The events that a move tells, in their order. */
function eventsOf(order: OrderFacts, move: OrderFacts['history'][number]): string[] {
  const { action, from, to } = move;
  if (action === 'place') {
    if (to === 'placed') return ['order.created'];
    // While a charge is under way nobody knows which event it will be.
    return order.attempts.some((attempt) => attempt.at_placing) ? [] : ['order.payment_failed'];
  }
  if (action === 'settle') return ['order.created'];
  if (action === 'payment_failed') return ['order.payment_failed'];
  if (action === 'hold') return ['order.on_hold'];
  if (action === 'cancel') return ['order.cancelled'];
  if (action === 'start_line') return from === 'released' ? ['order.in_production'] : [];
  const dispatched = to === 'dispatched' && from !== 'dispatched' ? ['order.dispatched'] : [];
  return action === 'ship' ? ['order.shipment_created', ...dispatched] : dispatched;
}

/** What is wrong with an order by itself. */
export function judgeOrder(order: OrderFacts): string[] {
  const problems = [...moneyProblems(order), ...eventProblems(order), ...moveProblems(order), ...pieceProblems(order)];
  return problems.map((problem) => `${order.reference} (${order.state}): ${problem}`);
}

/** Pence of the postings that fit. */
function posted(order: OrderFacts, fits: (posting: PostingFacts) => boolean): number {
  return order.postings.filter(fits).reduce((sum, { pence }) => sum + pence, 0);
}

function differs(what: string, is: number, should: number): string[] {
  return is === should ? [] : [`${what} is ${is} and should be ${should}`];
}

/**
 * What is paid, given back and owed stands in the order as in the books, and what it keeps is what it still charges
 * for.
 */
function moneyProblems(order: OrderFacts): string[] {
  const kind = (name: string) => posted(order, (posting) => posting.kind === name);
  const lies = (account: string) =>
    posted(order, ({ credit }) => credit === account) - posted(order, ({ debit }) => debit === account);
  const taken = posted(order, (p) => p.kind === 'charge' && p.debit === 'customer_balance');
  // An order that waited has become cheaper than what the balance had paid for it.
  const undone = posted(order, (p) => p.kind === 'charge' && p.credit === 'customer_balance');
  const fromBalance = taken - undone;
  const paid = order.balance_paid_pence + order.method_paid_pence + order.unwanted_pence;
  const kept = paid - order.refunded_pence - order.refund_owed_pence;
  // What was set off against a payment that came back, and came again.
  const again = posted(order, (p) => p.kind === 'charge_recovered' && p.credit === 'manual_refunds_owed');
  const sold = kind('sale') - kind('sale_reversed');
  const isWaiting = order.state === 'awaiting_payment';
  const { subtotal_pence, setup_pence, shipping_pence, vat_pence, duty_pence } = order;
  const returned = order.attempts.filter((attempt) => attempt.is_returned).reduce((sum, { pence }) => sum + pence, 0);
  return [
    ...differs('the total', order.total_pence, subtotal_pence + setup_pence + shipping_pence + vat_pence + duty_pence),
    ...differs(
      'the subtotal',
      subtotal_pence,
      order.lines.reduce((sum, line) => sum + line.price_pence, 0),
    ),
    ...order.lines.flatMap((line) => differs('a line price', line.price_pence, line.unit_pence * line.quantity)),
    ...differs('paid from the balance', order.balance_paid_pence, fromBalance),
    ...differs(
      'paid by card or debit',
      order.method_paid_pence + order.unwanted_pence,
      kind('charge') - taken - undone,
    ),
    ...differs('given back', order.refunded_pence, kind('refund') + kind('refund_paid') - again),
    ...differs('owed', order.refund_owed_pence, kind('refund_owed') - kind('refund_paid') + again),
    ...differs('owed in the books', order.refund_owed_pence, lies('manual_refunds_owed')),
    ...(kept < 0 ? [`${-kept} more was given back than was paid`] : []),
    ...differs('what is kept of the money', kept, sold + lies('order_deposits')),
    ...differs('what is sold', sold, order.is_paid ? order.total_pence - order.credited_pence : 0),
    ...differs('deposits', lies('order_deposits'), isWaiting ? kept : 0),
    ...differs('what came back by the provider', returned, kind('charge_returned')),
    ...(lies('receivables') > 0 ? [`${lies('receivables')} more is set off than came back`] : []),
    ...(order.is_paid
      ? differs('what is paid', paid - order.unwanted_pence, order.total_pence)
      : isWaiting || order.state === 'cancelled'
        ? []
        : ['it is not paid for']),
  ];
}

/** Numbered from 1 without a gap, and as many of each as the moves that tell them. */
function eventProblems(order: OrderFacts): string[] {
  const sequences = order.events.map(({ sequence }) => sequence);
  const gaps = sequences.some((sequence, index) => sequence !== index + 1);
  const told = order.events.map(({ event }) => event).toSorted();
  const due = order.history.flatMap((move) => eventsOf(order, move)).toSorted();
  return [
    ...(gaps ? [`its events are numbered ${sequences.join(', ')}`] : []),
    ...differs('the version', order.version, order.events.length),
    ...(told.join() === due.join() ? [] : [`it told ${told.join(', ')} and should have told ${due.join(', ')}`]),
  ];
}

/** A legal path through the state machine, from nothing to where the order is. */
function moveProblems(order: OrderFacts): string[] {
  const problems: string[] = [];
  let state: OrderState | null = null;
  for (const { action, from, to } of order.history) {
    const step = STEPS[action];
    if (step === undefined) problems.push(`nobody knows the step ${action}`);
    else if (!step.from.includes(from)) problems.push(`${action} from ${from}`);
    else if (step.to === 'same' ? to !== from : !step.to.includes(to)) problems.push(`${action} from ${from} to ${to}`);
    if (from !== state) problems.push(`${action} says it was ${from}, and it was ${state}`);
    state = to;
  }
  if (state !== order.state) problems.push(`its history ends in ${state}`);
  return problems;
}

/** The states in which pieces are promised to lines that have not started. */
const PROMISING: readonly OrderState[] = ['released', 'in_production'];

function pieceProblems(order: OrderFacts): string[] {
  const isPromoted = (order.held_from ?? order.state) === 'released' || PROMISING.includes(order.state);
  const left = order.lines.reduce((sum, line) => sum + line.quantity - line.cancelled - line.shipped, 0);
  const shipped = order.lines.reduce((sum, line) => sum + line.shipped, 0);
  const isOver = order.state === 'dispatched' || order.state === 'cancelled';
  return [
    ...order.lines.flatMap((line) => lineProblems(line, isPromoted)),
    ...differs(
      'open tasks about short lines',
      order.short_tasks,
      order.lines.filter(({ allocation }) => (allocation?.short ?? 0) > 0).length,
    ),
    ...(isOver ? differs('pieces left', left, 0) : left === 0 ? ['no piece of it is left'] : []),
    ...order.lines.flatMap((line) =>
      line.paused && (order.state !== 'in_production' || line.quantity === line.cancelled + line.shipped)
        ? ['a line is paused that nobody works on']
        : [],
    ),
    ...(order.state === 'dispatched' && shipped === 0 ? ['nothing of it has shipped'] : []),
    ...differs(
      'parcels told of',
      order.events.filter(({ event }) => event === 'order.shipment_created').length,
      order.shipments.length,
    ),
  ];
}

function lineProblems(line: LineFacts, isPromoted: boolean): string[] {
  const { quantity, cancelled, shipped, started, allocation } = line;
  const open = quantity - cancelled - shipped;
  const short = allocation?.short ?? 0;
  const promised = allocation === null ? 0 : allocation.allocated - allocation.consumed - allocation.released;
  const isSane = open >= 0 && cancelled >= 0 && shipped >= 0 && line.spoiled >= 0 && promised >= 0;
  return [
    ...(isSane
      ? []
      : [`of ${quantity} pieces ${cancelled} are cancelled and ${shipped} shipped, ${promised} promised`]),
    ...differs('pieces shipped', shipped, line.in_parcels),
    ...(started ? [] : differs('pieces promised', promised, isPromoted ? open : 0)),
    ...(started && promised > Math.min(open, line.spoiled)
      ? [`${promised} pieces are promised in place of spoiled ones`]
      : []),
    ...(short < 0 || short > (started ? promised : 0)
      ? [`a line is short of ${short} pieces, and ${promised} are promised`]
      : []),
    ...(started === (allocation?.consumed ?? 0) > 0
      ? []
      : ['a line has started and taken nothing, or the other way round']),
    ...(!started && (shipped > 0 || line.spoiled > 0)
      ? ['pieces of a line that never started have shipped or spoiled']
      : []),
    ...line.done.flatMap((done) => (done < 0 || done > quantity ? [`${done} of ${quantity} pieces are done`] : [])),
  ];
}

// Books and stock
// ---------------------------------------------------------------------------------------------------------

const LEDGER = statement<{ problem: string }>(
  'model_ledger',
  `with side as (
     select credit_account as account, account_id, order_id, amount_pence as pence from posting
     union all
     select debit_account, account_id, order_id, -amount_pence from posting
   )
   select 'the books sum to ' || sum(pence) as problem from side having sum(pence) <> 0
   union all
   select 'a posting of ' || amount_pence || ' pence' from posting where amount_pence <= 0
   union all
   select 'account ' || b.account_id || ' has ' || b.balance_pence || ' on its balance and ' || coalesce(s.pence, 0) || ' in the books'
   from account_balance b left join (
     select account_id, sum(pence) as pence from side where account = 'customer_balance' group by 1
   ) as s on s.account_id = b.account_id
   where b.balance_pence <> coalesce(s.pence, 0) or b.balance_pence < 0
   union all
   select 'account ' || account_id || ' once had ' || balance_after_pence from posting where balance_after_pence < 0
   union all
   select account || ' of order ' || order_id || ' is ' || sum(pence) from side
   where order_id is not null and account <> 'customer_balance'
   group by account, order_id
   having sum(pence) * case when account in ('bank', 'card_clearing', 'direct_debit_clearing', 'receivables', 'refunds') then 0 else 1 end < 0`,
);

const STOCK = statement<{ problem: string }>(
  'model_stock',
  `with running as (
     select sku, id,
       sum(case when kind in ('receipt', 'count', 'consume', 'spoil') then quantity else 0 end) over so_far as on_hand,
       sum(case when kind in ('allocate', 'release', 'consume') then quantity else 0 end) over so_far as allocated
     from stock_movement window so_far as (partition by sku order by id)
   ),
   last as (select distinct on (sku) sku, on_hand, allocated from running order by sku, id desc)
   select 'of ' || sku || ' there once were ' || on_hand || ', ' || allocated || ' promised' as problem
   from running where on_hand < 0 or allocated < 0
   union all
   select 'of ' || s.sku || ' there are ' || s.on_hand || ', ' || s.allocated || ' promised, and its movements make '
     || coalesce(l.on_hand, 0) || ' and ' || coalesce(l.allocated, 0)
   from stock s left join last l on l.sku = s.sku
   where s.on_hand <> coalesce(l.on_hand, 0) or s.allocated <> coalesce(l.allocated, 0) or s.on_hand < 0 or s.allocated < 0
   union all
   select 'of ' || s.sku || ' ' || s.allocated || ' are promised, to lines ' || coalesce(a.promised, 0)
   from stock s left join (
     select sku, sum(allocated - consumed - released) as promised from allocation group by sku
   ) as a on a.sku = s.sku
   where s.allocated <> coalesce(a.promised, 0)`,
);

// An order makes again at most what went out, and one external reference is one order.
const OTHERS = statement<{ problem: string }>(
  'model_others',
  `select 'a line has more pieces made again than were shipped' as problem
   from order_line l join (
     select o.replaces, r.replaces_line, sum(r.quantity - r.quantity_cancelled) as again
     from orders o join order_line r on r.order_id = o.id where o.replaces is not null group by 1, 2
   ) as r on r.replaces = l.order_id and r.replaces_line = l.id
   where r.again > l.quantity_shipped
   union all
   select 'two orders have the reference ' || external_reference
   from orders where external_reference is not null group by external_reference having count(*) > 1
   union all
   select 'attempt ' || a.id || ' is ' || a.state || ' and its order ' || o.reference || ' waits for ' || coalesce(o.attempt_id::text, 'none')
   from payment_attempt a join orders o on o.id = a.order_id
   where (a.state in ('open', 'unknown')) <> (o.attempt_id is not distinct from a.id)`,
);

/**
 * What is wrong with the whole database, a line of text for each: every order, the books, the stock. Empty when all
 * is well.
 */
export async function findBroken(db: Db): Promise<string[]> {
  const orders = (await readOrderFacts(db, 'all')).flatMap(judgeOrder);
  const rows = [...(await db.all(LEDGER, [])), ...(await db.all(STOCK, [])), ...(await db.all(OTHERS, []))];
  return [...rows.map(({ problem }) => problem), ...orders];
}

/** Fails with everything that is wrong with the whole database, by these invariants and by those of `platen verify`. */
export async function assertInvariants(ctx: Pick<Context, 'database' | 'blobs'>): Promise<void> {
  const broken = await findBroken(ctx.database);
  const { checks } = await verify(ctx);
  const found = checks.flatMap(({ name, violations }) => violations.map((violation) => `${name}: ${violation}`));
  assert.deepEqual([...broken, ...found], []);
}
