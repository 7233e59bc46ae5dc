import assert from 'node:assert/strict';
import type { Kind } from './clients-intentions.ts';
import type { Account, Entry, Facts, KnownOrder, Reply, World } from './clients-world.ts';

// What clients may be told, whatever the others did meanwhile, and what they learn by it.

/** The refusals that some order of events explains. `refund_failed` needs a card or direct debit besides. */
const REFUSALS: Readonly<Record<Kind, readonly string[]>> = {
  place: ['out_of_stock'],
  repeat: [],
  steal: ['duplicate_external_reference'],
  cancel: ['conflict', 'cancellation_window_closed', 'refund_failed'],
  read: [],
  advance: [],
  promote: ['conflict', 'out_of_stock'],
  promote_many: [],
  hold: ['conflict'],
  resume: ['conflict'],
  start: ['conflict', 'out_of_stock', 'artwork_not_ready'],
  finish: ['conflict', 'validation_failed', 'pieces_short'],
  spoil: ['conflict', 'validation_failed'],
  ship: ['conflict', 'validation_failed', 'pieces_short'],
  correct: [],
  cancel_by_ops: ['refund_failed'],
  cancel_pieces: ['conflict', 'validation_failed', 'refund_failed'],
  refund: ['conflict', 'validation_failed'],
  refund_paid: ['conflict'],
  settle: ['conflict'],
  retry_payment: ['conflict'],
  top_up: [],
  receive: [],
  count: [],
  replace: ['validation_failed'],
  callback: ['unavailable'],
  weather: [],
};

/** What is refused for certain once a fact is known: time only runs one way. */
const REFUSED_ONCE: readonly { readonly fact: keyof Facts; readonly kinds: readonly Kind[] }[] = [
  { fact: 'isPaid', kinds: ['settle', 'retry_payment'] },
  { fact: 'isBegun', kinds: ['promote', 'hold', 'resume', 'settle', 'retry_payment'] },
  {
    fact: 'isGone',
    kinds: [
      'promote',
      'hold',
      'resume',
      'start',
      'finish',
      'spoil',
      'ship',
      'settle',
      'retry_payment',
      'cancel_pieces',
    ],
  },
];

/** The test and the service each measure the database's clock. */
const CLOCKS_APART_MS = 1_000;

/** Fails for an answer that no order of events explains. */
export function judge(entry: Entry, reply: Reply): void {
  const { kind, facts, order } = entry;
  const what = `${kind} ${entry.key} of ${order?.id ?? entry.account?.id ?? 'the shop'}: ${reply.status} ${JSON.stringify(reply.body).slice(0, 1_500)}`;
  const { status, code } = reply;
  if (status >= 400) {
    assert.ok(code !== undefined && REFUSALS[kind].includes(code), `${what}\nis no answer to it`);
    const hasMethod = order?.account.hasMethod ?? false;
    assert.ok(code !== 'refund_failed' || hasMethod, `${what}\nand nothing could be under way at the provider`);
  }
  for (const { fact, kinds } of REFUSED_ONCE) {
    if (facts?.[fact] === true && kinds.includes(kind)) assert.ok(status >= 400, `${what}\nalthough ${fact} was known`);
  }
  if (kind === 'cancel' && facts?.isCancelled === true) assert.equal(status, 200, `${what}\nalthough it was cancelled`);
  if (kind === 'cancel' && facts?.isGone === true && status === 200) {
    const { already_cancelled: isRepeat } = reply.body as { already_cancelled?: boolean };
    assert.equal(isRepeat, true, `${what}\nalthough it was over before`);
  }
  if (code === 'cancellation_window_closed') {
    const { cancellable_until: until } = reply.body as { cancellable_until: string };
    assert.ok(reply.at.getTime() > Date.parse(until) - CLOCKS_APART_MS, `${what}\nbefore the window closed`);
  }
  if (kind === 'repeat') assert.equal(status, 200, `${what}\nalthough the order was there`);
  if (kind === 'steal') assert.equal(status, 409, `${what}\nalthough the reference is another's`);
  if (kind === 'promote_many') judgeMany(reply, what);
}

function judgeMany(reply: Reply, what: string): void {
  const { results } = reply.body as { results: { ok: boolean; code?: string }[] };
  for (const { ok, code } of results) assert.ok(ok || REFUSALS.promote.includes(code ?? ''), what);
}

type OpsOrderBody = {
  readonly id: string;
  readonly state: string;
  readonly payment_status: string;
  readonly lines: readonly {
    readonly id: string;
    readonly variant_sku: string;
    readonly quantity: number;
    readonly quantity_cancelled: number;
    readonly quantity_shipped: number;
    readonly started_at: string | null;
  }[];
  readonly charges: readonly { readonly payment_id: string | null }[];
  readonly shipments: readonly { readonly id: string }[];
};

const OPS_READERS: readonly Kind[] = [
  'advance',
  'promote',
  'hold',
  'resume',
  'start',
  'finish',
  'spoil',
  'ship',
  'correct',
  'cancel_by_ops',
  'cancel_pieces',
  'refund',
  'refund_paid',
  'settle',
  'retry_payment',
  'replace',
];

/** What is kept of an answer for the books: a long run has tens of thousands. */
export function keptOf({ kind, lineId }: Entry, body: unknown): unknown {
  if (kind === 'place' || kind === 'repeat' || kind === 'cancel' || kind === 'promote_many') return body;
  if (kind !== 'start') return undefined;
  const { lines = [] } = body as { lines?: { id: string; allocation: unknown }[] };
  return { lines: lines.filter(({ id }) => id === lineId).map(({ id, allocation }) => ({ id, allocation })) };
}

/** Notes for all clients what an answer says for certain. */
export function learn(world: World, entry: Entry, reply: Reply): void {
  if (reply.status >= 400) return;
  const { kind, order, account } = entry;
  if ((kind === 'place' || kind === 'repeat') && account !== undefined) learnPlaced(world, account, entry, reply.body);
  if (kind === 'cancel' && order !== undefined) Object.assign(order.facts, { isGone: true, isCancelled: true });
  if (OPS_READERS.includes(kind) && order !== undefined) learnOrder(world, order.account, reply.body as OpsOrderBody);
}

function learnPlaced(world: World, account: Account, entry: Entry, body: unknown): void {
  const placed = body as {
    id: string;
    payment_status: string;
    items: { lineItems: { id: string; variant_sku: string; quantity: number }[] };
  };
  const known = world.byId.get(placed.id) ?? addOrder(world, account, placed.id, entry.key);
  if (known.lines.length === 0) {
    known.lines = placed.items.lineItems.map(({ id, variant_sku, quantity }) => ({
      id,
      sku: variant_sku,
      quantity,
      isStarted: false,
      left: quantity,
    }));
  }
  if (placed.payment_status === 'paid') known.facts.isPaid = true;
}

function addOrder(world: World, account: Account, id: string, externalReference: string | undefined): KnownOrder {
  const order: KnownOrder = {
    id,
    account,
    externalReference,
    lines: [],
    state: 'placed',
    facts: { isPaid: false, isBegun: false, isGone: false, isCancelled: false },
    shipments: new Set(),
    payments: new Set(),
  };
  world.orders.push(order);
  world.byId.set(id, order);
  return order;
}

function learnOrder(world: World, account: Account, seen: OpsOrderBody): void {
  // A replacement is an order of its own from here on.
  const order = world.byId.get(seen.id) ?? addOrder(world, account, seen.id, undefined);
  order.lines = seen.lines.map((line) => ({
    id: line.id,
    sku: line.variant_sku,
    quantity: line.quantity,
    isStarted: line.started_at !== null,
    left: line.quantity - line.quantity_cancelled - line.quantity_shipped,
  }));
  order.state = seen.state;
  for (const { id } of seen.shipments) order.shipments.add(id);
  for (const { payment_id: id } of seen.charges) if (id !== null) order.payments.add(id);
  const { facts } = order;
  if (seen.payment_status === 'paid') facts.isPaid = true;
  if (seen.lines.some(({ started_at: at }) => at !== null)) facts.isBegun = true;
  if (seen.state === 'dispatched' || seen.state === 'cancelled') facts.isGone = true;
  if (seen.state === 'cancelled') facts.isCancelled = true;
}
