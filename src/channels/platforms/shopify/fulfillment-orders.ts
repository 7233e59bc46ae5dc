import { type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ask, membersOf, nodesOf, numberOf } from './ask.ts';

// Fulfilment orders say who sends what of an order, from where.

/** Which fulfilment service and location of a shop are ours; empty where there is none. */
export type OurPlace = { readonly handle: string; readonly locationId: string };

/** Whose a fulfilment order is: our service's, the shop's own, or another service's. */
export type AssignedTo = 'us' | 'shop' | 'others';

/** A line of a fulfilment order: pieces of a line of the order, in all and those that are left. */
export type AssignedLine = {
  readonly id: string;
  /** The number of the line of the order. */
  readonly line: string;
  readonly total: number;
  readonly left: number;
  /** The line of the order, as far as it says how many pieces it has. */
  readonly of: Members;
};

/** A fulfilment order, with its lines where they were read. */
export type Assigned = {
  readonly id: string;
  readonly status: string;
  readonly requestStatus: string;
  readonly fulfillAt: unknown;
  readonly locationId: string;
  readonly of: AssignedTo;
  readonly lines?: readonly AssignedLine[];
};

/** What is read of a fulfilment order beside its lines. */
const ASSIGNED_FIELDS = 'id status requestStatus fulfillAt assignedLocation { location { id isFulfillmentService } }';

/** Fulfilment orders that are read of an order at the most; an ordinary one has one or two. */
const ASSIGNED_MAX = 260;
/** Those that are read with several orders in one query, which may cost 1,000 points. */
const ASSIGNED_AT_ONCE = 10;
const MORE_ASSIGNED_AT_ONCE = 50;
/** An empty page may say that there is another. */
const ASSIGNED_PAGES_MAX = Math.ceil(ASSIGNED_MAX / MORE_ASSIGNED_AT_ONCE);

const connection = (page: string): string =>
  `fulfillmentOrders(${page}) { nodes { ${ASSIGNED_FIELDS} } pageInfo { hasNextPage endCursor } }`;

/** What is read of an order, so that `readAssigned` reads the rest. */
export const FIRST_ASSIGNED = connection(`first: ${ASSIGNED_AT_ONCE}`);

const MORE_ASSIGNED = `query MoreAssigned($id: ID!, $after: String) {
  order(id: $id) { ${connection(`first: ${MORE_ASSIGNED_AT_ONCE}, after: $after`)} }
}`;

const LINES_AT_ONCE = 100;
const LINE_PAGES_MAX = 10;

const LINES = `query AssignedLines($id: ID!, $after: String) {
  fulfillmentOrder(id: $id) {
    lineItems(first: ${LINES_AT_ONCE}, after: $after) {
      nodes { id totalQuantity remainingQuantity lineItem { id quantity currentQuantity unfulfilledQuantity } } pageInfo { hasNextPage endCursor }
    }
  }
}`;

const ENDED = new Set(['CLOSED', 'CANCELLED', 'INCOMPLETE']);
/** What the shop has asked us not to send. */
const TAKEN_BACK = new Set(['CANCELLATION_REQUESTED', 'CANCELLATION_ACCEPTED']);
/** What was never asked of us, or not taken by us. */
const NOT_ASKED = new Set(['UNSUBMITTED', 'REJECTED']);

/** Reads a fulfilment order beside its lines. Pure. */
export function assignedOf(node: Members, { locationId: ours }: OurPlace): Assigned {
  const { id: locationId, isFulfillmentService } = membersOf(membersOf(node.assignedLocation).location);
  const isOurs = ours !== '' && textOf(locationId) === ours;
  return {
    id: textOf(node.id),
    status: textOf(node.status),
    requestStatus: textOf(node.requestStatus),
    fulfillAt: node.fulfillAt,
    locationId: textOf(locationId),
    of: isOurs ? 'us' : isFulfillmentService === true ? 'others' : 'shop',
  };
}

/**
 * The fulfilment orders of an order that was read with the first of them.
 * Undefined where they are more than `ASSIGNED_MAX`: what is held or taken back of it would not be known.
 */
export async function readAssigned(
  shop: Pick<Shop, 'call'>,
  order: Members,
  ours: OurPlace,
): Promise<Assigned[] | undefined> {
  const nodes = nodesOf(order.fulfillmentOrders);
  let { hasNextPage, endCursor } = membersOf(membersOf(order.fulfillmentOrders).pageInfo);
  for (let page = 0; hasNextPage === true; page += 1) {
    if (nodes.length >= ASSIGNED_MAX || page >= ASSIGNED_PAGES_MAX) return undefined;
    const more = membersOf((await ask(shop, MORE_ASSIGNED, { id: order.id, after: endCursor })).order);
    nodes.push(...nodesOf(more.fulfillmentOrders));
    ({ hasNextPage, endCursor } = membersOf(membersOf(more.fulfillmentOrders).pageInfo));
  }
  return nodes.map((node) => assignedOf(node, ours));
}

/** All fulfilment orders of an order, as `readAssigned`; whose they are is not said. */
export async function readAllAssigned(shop: Pick<Shop, 'call'>, orderId: string): Promise<Assigned[] | undefined> {
  const order = { id: orderId, fulfillmentOrders: { nodes: [], pageInfo: { hasNextPage: true, endCursor: null } } };
  return readAssigned(shop, order, { handle: '', locationId: '' });
}

/** Why an order of which `readAssigned` says nothing is left alone. */
export const TOO_MANY_ASSIGNED = `The order has more than ${ASSIGNED_MAX} fulfilment orders in Shopify, which is more than can be read. Ship it from there, or split it.`;

/** The lines of a fulfilment order. */
export async function readAssignedLines(shop: Pick<Shop, 'call'>, id: string): Promise<AssignedLine[]> {
  const lines: AssignedLine[] = [];
  let after: unknown = null;
  for (let page = 0; page < LINE_PAGES_MAX; page += 1) {
    const { lineItems } = membersOf((await ask(shop, LINES, { id, after })).fulfillmentOrder);
    for (const { id: lineId, totalQuantity: total, remainingQuantity: left, lineItem } of nodesOf(lineItems)) {
      const of = membersOf(lineItem);
      const counts = { total: Number(total ?? 0), left: Number(left ?? 0) };
      lines.push({ id: textOf(lineId), line: numberOf(of.id), ...counts, of });
    }
    const { hasNextPage, endCursor } = membersOf(membersOf(lineItems).pageInfo);
    if (hasNextPage !== true) break;
    after = endCursor;
  }
  return lines;
}

/** Whether a fulfilment order has ended, or may go on. Pure. */
export function isEnded({ status }: Assigned): boolean {
  return ENDED.has(status);
}

/** Whether a fulfilment order must wait: for its shop, or for its day. Pure. */
export function isWaiting({ status }: Assigned): boolean {
  return status === 'ON_HOLD' || status === 'SCHEDULED';
}

/**
 * Whether what an order is depends on the lines of its fulfilment orders.
 * So where some of it was taken back from us, or waits while the rest does not. Pure.
 */
export function dependsOnLines(all: readonly Assigned[]): boolean {
  const own = all.filter((one) => one.of !== 'others');
  if (own.some((one) => one.of === 'us' && TAKEN_BACK.has(one.requestStatus))) return true;
  const open = own.filter((one) => !isEnded(one));
  return open.some(isWaiting) && !open.every(isWaiting);
}

/** Pieces of a line that were taken back from us: all of them, and those that are not sent by now. */
export type PiecesBack = { readonly all: number; readonly left: number };

/**
 * Pieces that the shop has taken back from our service, by the numbers of their lines.
 * Where that was granted, Shopify makes a new fulfilment order for them that no one is asked for: at our location or,
 * once it is moved, at the shop's. They are not to be made before its people ask for them. Lines of which nothing was
 * taken back are what they are, wherever they stand. Pure.
 */
export function takenBack(all: readonly Assigned[]): ReadonlyMap<string, PiecesBack> {
  const ofUs = all.filter((one) => one.of === 'us' && TAKEN_BACK.has(one.requestStatus));
  const wanted = new Set(ofUs.flatMap(({ lines = [] }) => lines.map(({ line }) => line)));
  // One that has lost its lines to the new one may be of any that stand at our location.
  const isAny = ofUs.some(({ lines = [] }) => lines.length === 0);
  const pieces = new Map<string, PiecesBack>();
  for (const one of all.filter(({ of, status }) => of !== 'others' && status !== 'CANCELLED')) {
    for (const { line, total, left } of one.lines ?? []) {
      const isAskedBack = one.requestStatus === 'CANCELLATION_REQUESTED' && !isEnded(one);
      const back = isAskedBack ? left : NOT_ASKED.has(one.requestStatus) ? total : 0;
      if (back === 0 || !(wanted.has(line) || (isAny && one.of === 'us'))) continue;
      const before = pieces.get(line) ?? { all: 0, left: 0 };
      pieces.set(line, { all: before.all + back, left: before.left + Math.min(left, back) });
    }
  }
  return pieces;
}
