import { HOME } from '../harness/shop.ts';
import type { Intention, Kind } from './clients-intentions.ts';
import {
  type Account,
  type Call,
  type Entry,
  type KnownLine,
  type KnownOrder,
  SKUS,
  type World,
} from './clients-world.ts';

// What an intention comes to: a request that is the same however often it is sent.

export type Draft = Pick<Entry, 'kind' | 'key' | 'order' | 'account' | 'lineId' | 'items' | 'amountPence'> & {
  /** Undefined: a top-up, which has no door. */
  readonly call: Call | undefined;
};

/** So many of the youngest orders are acted on, most often the very last: that is where clients meet. */
const YOUNG_ORDERS = 14;

/** What a client does now about what it means to do; undefined when there is nothing that it could be done to. */
export function draftOf(world: World, client: number, intention: Intention): Draft | undefined {
  const { kind } = intention;
  const draft = OF_THE_SHOP[kind]?.(world, client, intention);
  if (draft !== undefined) return draft;
  const order = pickOrder(world, intention);
  return order === undefined ? undefined : draftFor(world, client, intention, { kind, order });
}

/** As `draftOf`, for a certain order and kind. */
export function draftFor(
  world: World,
  client: number,
  intention: Intention,
  what: { readonly kind: Kind; readonly order: KnownOrder },
): Draft | undefined {
  const { kind, order } = what;
  const token = world.operators[client]?.token ?? '';
  const make = OF_AN_ORDER[kind];
  const made = make?.({ order, intention, line: pickLine(order.lines, intention.line, kind) });
  if (made === undefined) return undefined;
  const { path, body, method = 'POST', byCustomer = false, ...about } = made;
  const call: Call = {
    door: byCustomer ? 'api' : 'ops',
    method,
    path: `/orders/${order.id}${path}`,
    token: byCustomer ? order.account.token : token,
    ...(body === undefined ? {} : { body }),
    ...(byCustomer || method === 'GET' ? {} : { headers: { 'idempotency-key': intention.key } }),
  };
  return { kind, key: intention.key, order, account: order.account, call, ...about };
}

function pickOrder(world: World, { pick }: Intention): KnownOrder | undefined {
  const young = Math.min(world.orders.length, YOUNG_ORDERS);
  return world.orders[world.orders.length - 1 - Math.floor(pick * pick * young)];
}

/** For what is done to pieces that are left, a line that has some, if there is one. */
function pickLine(lines: readonly KnownLine[], at: number, kind: Kind): KnownLine | undefined {
  const fits = lines.filter(
    (line) => line.left > 0 && (kind === 'start' ? !line.isStarted : kind !== 'ship' || line.isStarted),
  );
  const among = fits.length > 0 ? fits : lines;
  return among[Math.floor(at * among.length)];
}

type OfOrder = { readonly order: KnownOrder; readonly intention: Intention; readonly line: KnownLine | undefined };

type Made = Pick<Entry, 'lineId' | 'items' | 'amountPence'> & {
  readonly path: string;
  readonly body?: object;
  readonly method?: 'GET' | 'PATCH';
  readonly byCustomer?: true;
};

const OF_AN_ORDER: Readonly<Partial<Record<Kind, (of: OfOrder) => Made | undefined>>> = {
  cancel: () => ({ path: '/cancel', byCustomer: true }),
  read: () => ({ path: '', method: 'GET', byCustomer: true }),
  advance: () => ({ path: '', method: 'GET' }),
  promote: () => ({ path: '/promote' }),
  hold: ({ intention }) => ({ path: '/hold', body: { reason: intention.key } }),
  resume: () => ({ path: '/resume' }),
  start: ({ line }) => line && { path: `/lines/${line.id}/start`, lineId: line.id },
  finish: ({ line, intention }) =>
    line && { path: `/lines/${line.id}/finish`, body: { quantity: pieces(line, intention) } },
  spoil: ({ line, intention }) => {
    if (line === undefined) return undefined;
    const quantity = pieces(line, intention);
    const body = { quantity, reason: intention.key };
    return { path: `/lines/${line.id}/spoil`, body, items: [{ id: line.id, quantity }] };
  },
  ship: ({ order, line, intention }) => {
    if (line === undefined) return undefined;
    const isAll = intention.other < 0.4;
    const lines = isAll ? order.lines.filter(({ isStarted, left }) => isStarted && left > 0) : [line];
    const items = (lines.length > 0 ? lines : [line]).map((packed) => ({
      id: packed.id,
      quantity: isAll ? Math.max(packed.left, 1) : pieces(packed, intention),
    }));
    const sent = items.map(({ id, quantity }) => ({ line_id: id, quantity }));
    return { path: '/shipments', body: { carrier: 'Parcels', tracking_number: intention.key, items: sent }, items };
  },
  correct: ({ order, intention }) => {
    const shipments = [...order.shipments];
    const shipment = shipments[Math.floor(intention.line * shipments.length)];
    const body = { tracking_url: `https://track.example/${intention.key}` };
    return shipment === undefined ? undefined : { path: `/shipments/${shipment}`, method: 'PATCH', body };
  },
  cancel_by_ops: ({ intention }) => ({
    path: '/cancel',
    body: { reason: intention.key, ...(intention.other < 0.3 ? { refund: 'none' } : {}) },
  }),
  cancel_pieces: ({ line, intention }) => {
    if (line === undefined) return undefined;
    const quantity = pieces(line, intention);
    const lines = [{ line_id: line.id, quantity }];
    return { path: '/cancel', body: { reason: intention.key, lines }, items: [{ id: line.id, quantity }] };
  },
  refund: ({ intention }) => {
    const amountPence = 1 + Math.floor(intention.amount * 400);
    return { path: '/refunds', body: { amount_gbp: amountPence / 100, reason: intention.key }, amountPence };
  },
  refund_paid: ({ order, intention }) => {
    const payments = [...order.payments];
    const payment = payments[Math.floor(intention.line * payments.length)];
    return payment === undefined ? undefined : { path: `/refunds/${payment}/paid` };
  },
  settle: () => ({ path: '/settle' }),
  retry_payment: () => ({ path: '/retry-payment' }),
  replace: ({ line, intention }) => {
    if (line === undefined) return undefined;
    const items = [{ line_id: line.id, quantity: 1 }];
    return { path: '/replacement', body: { items, reason: intention.key }, items: [{ id: line.id, quantity: 1 }] };
  },
};

function pieces(line: KnownLine, { amount }: Intention): number {
  return 1 + Math.floor(amount * Math.max(line.left, 1));
}

type OfShop = (world: World, client: number, intention: Intention) => Draft | undefined;

const OF_THE_SHOP: Readonly<Partial<Record<Kind, OfShop>>> = {
  place: (world, _client, intention) => {
    // Now and then two clients want the same order placed.
    const recent = world.wanted.at(-1);
    const wanted = intention.other < 0.2 && recent !== undefined ? recent : wantedOf(world, intention);
    return placing(wanted, 'place', wanted.account);
  },
  repeat: (world, _client, intention) => {
    const order = pickOrder(world, intention);
    const wanted = world.wanted.find(({ reference }) => reference === order?.externalReference);
    return wanted && placing(wanted, 'repeat', wanted.account);
  },
  steal: (world, _client, intention) => {
    const order = pickOrder(world, intention);
    const wanted = world.wanted.find(({ reference }) => reference === order?.externalReference);
    const thief = world.accounts.find((account) => account !== order?.account);
    return wanted && thief && placing(wanted, 'steal', thief);
  },
  promote_many: (world, client, intention) => {
    const ids = [
      ...new Set([0, 0.3, 0.6].map((by) => pickOrder(world, { ...intention, pick: (intention.pick + by) % 1 })?.id)),
    ];
    const known = ids.filter((id) => id !== undefined);
    if (known.length === 0) return undefined;
    const items = known.map((id) => ({ id, quantity: 1 }));
    return { ...opsDraft(world, client, intention, '/orders/promote', { ids: known }), items };
  },
  receive: (world, client, intention) => {
    const items = SKUS.filter((_sku, index) => index === 0 || intention.other < 0.5).map((sku) => ({
      id: sku,
      quantity: 1 + Math.floor(intention.amount * 40),
    }));
    const body = { items: items.map(({ id, quantity }) => ({ sku: id, quantity })), reference: intention.key };
    return { ...opsDraft(world, client, intention, '/stock/receipts', body), items };
  },
  count: (world, client, intention) => {
    const id = SKUS[Math.floor(intention.line * SKUS.length)] ?? SKUS[0];
    const quantity = 10 + Math.floor(intention.amount * 80);
    const body = { items: [{ sku: id, on_hand: quantity }], reason: intention.key };
    return { ...opsDraft(world, client, intention, '/stock/counts', body), items: [{ id, quantity }] };
  },
  top_up: (world, _client, intention) => {
    const account = world.accounts[Math.floor(intention.line * world.accounts.length)];
    const amountPence = 100 + Math.floor(intention.amount * 1_500);
    return { kind: 'top_up', key: intention.key, order: undefined, account, call: undefined, amountPence };
  },
};

function opsDraft(world: World, client: number, { kind, key }: Intention, path: string, body: object): Draft {
  const token = world.operators[client]?.token ?? '';
  const call: Call = { door: 'ops', method: 'POST', path, token, body, headers: { 'idempotency-key': key } };
  return { kind, key, order: undefined, account: undefined, call };
}

/** Most orders are of those who pay by card or direct debit, once their balance is used up. */
function accountAt(point: number): number {
  if (point < 0.2) return 0;
  if (point < 0.5) return 1;
  return point < 0.8 ? 2 : 3;
}

function wantedOf(world: World, intention: Intention) {
  const account = world.accounts[accountAt(intention.pick)];
  if (account === undefined) throw new Error('there are no accounts');
  const skus = SKUS.filter(
    (_sku, index) => index === Math.floor(intention.line * SKUS.length) || intention.other > 0.7,
  );
  const items = skus.map((sku, index) => ({
    product_id: account.productId,
    variant_sku: sku,
    quantity: 1 + Math.floor(intention.amount * (index === 0 ? 4 : 2)),
    ...(account.isPrinted ? { print_jobs: printJobs(intention.amount) } : {}),
  }));
  const wanted = {
    reference: intention.key,
    account,
    body: { items, shipping_address: HOME, external_reference: intention.key },
  };
  world.wanted.push(wanted);
  return wanted;
}

/** Printed, embroidered with its setup, or blank. */
function printJobs(at: number): object[] {
  if (at < 0.4) return [{ area: 'front', method: 'dtg' }];
  return at < 0.7 ? [{ area: 'left_sleeve', method: 'embroidery' }] : [];
}

function placing(wanted: { reference: string; body: object }, kind: Kind, account: Account): Draft {
  const call: Call = { door: 'api', method: 'POST', path: '/orders', token: account.token, body: wanted.body };
  return { kind, key: wanted.reference, order: undefined, account, call };
}
