import { textOf } from '../members.ts';
import type { AskedOrders, OrderFate, OrderHere, Shop } from '../port.ts';
import { isRejected } from '../shop-call.ts';
import { ask, change, gidOf, membersOf, nodesOf, numberOf } from './ask.ts';
import { readAssignedLines } from './fulfillment-orders.ts';
import { piecesOf, readSentPieces } from './sent-pieces.ts';

const AT_ONCE = 50;
/** Requests beyond these are seen once others are answered. */
const PAGES_MAX = 20;
/** Of a kind in one sync: each is a call or some, and a shop has other things that wait. */
const LOOKED_AT_MAX = 40;

const ASKED = `query Asked($of: FulfillmentOrderAssignmentStatus!, $after: String) {
  assignedFulfillmentOrders(first: ${AT_ONCE}, after: $after, assignmentStatus: $of) {
    nodes { id orderId } pageInfo { hasNextPage endCursor }
  }
}`;

const mutation = (name: string): string =>
  `mutation Answer($id: ID!, $message: String) { ${name}(id: $id, message: $message) { fulfillmentOrder { id } userErrors { field } } }`;

type Answer = { readonly name: string; readonly message: string };

const ACCEPT_CANCEL: Answer = {
  name: 'fulfillmentOrderAcceptCancellationRequest',
  message: 'Nothing of it is made.',
};
const REJECT_CANCEL: Answer = {
  name: 'fulfillmentOrderRejectCancellationRequest',
  message: 'It is made already.',
};

const TO_WANTED: Readonly<Partial<Record<OrderFate, Answer>>> = {
  taken: { name: 'fulfillmentOrderAcceptFulfillmentRequest', message: 'It is made.' },
  kept: { name: 'fulfillmentOrderAcceptFulfillmentRequest', message: 'It is made.' },
  declined: { name: 'fulfillmentOrderRejectFulfillmentRequest', message: 'The print shop does not make this order.' },
};

type Request = { readonly id: string; readonly orderId: string };

type ToAnswer = {
  readonly of: 'FULFILLMENT_REQUESTED' | 'CANCELLATION_REQUESTED';
  /** Whether nothing can be answered yet to a request for what is known of its order here. */
  readonly isOpen: (known: OrderHere | undefined) => boolean;
  readonly answerTo: (request: Request, known: OrderHere | undefined) => Promise<Answer | undefined>;
};

/**
 * Answers a bounded number of requests to our fulfilment service that can be answered.
 * True where there may be more.
 * A request is what it is in Shopify until it is answered, so nothing is remembered here. One that Shopify refuses to
 * have answered was answered before, or is no request any more.
 */
export async function answerRequests(shop: Shop, here: AskedOrders): Promise<boolean> {
  const toWanted = (known: OrderHere | undefined) => TO_WANTED[known?.fate ?? 'waiting'];
  const wanted = await answerAll(shop, here, {
    of: 'FULFILLMENT_REQUESTED',
    isOpen: (known) => toWanted(known) === undefined,
    answerTo: async (_request, known) => toWanted(known),
  });
  const unwanted = await answerAll(shop, here, {
    of: 'CANCELLATION_REQUESTED',
    isOpen: (known) => known?.fate === 'open',
    answerTo: (request, known) => answerToCancel(shop, here, request, known),
  });
  return wanted || unwanted;
}

/** Goes through all requests of a kind: one that cannot be answered holds up none that can. */
async function answerAll(shop: Shop, here: AskedOrders, by: ToAnswer): Promise<boolean> {
  const requests = fromAny(await readRequests(shop, by.of));
  let looked = 0;
  let given = 0;
  for (let at = 0; at < requests.length; at += AT_ONCE) {
    const some = requests.slice(at, at + AT_ONCE);
    const fates = await here.fatesOf([...new Set(some.map(({ orderId }) => orderId))]);
    for (const request of some) {
      const known = fates.get(request.orderId);
      if (by.isOpen(known)) continue;
      if (looked >= LOOKED_AT_MAX || here.isOver()) return given > 0;
      looked += 1;
      await here.apart(request.orderId, async () => {
        const answer = await by.answerTo(request, known);
        if (answer !== undefined && (await give(shop, request.id, answer))) given += 1;
      });
    }
  }
  return false;
}

async function readRequests(shop: Shop, of: ToAnswer['of']): Promise<Request[]> {
  const requests: Request[] = [];
  let after: unknown = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const asked = membersOf((await ask(shop, ASKED, { of, after })).assignedFulfillmentOrders);
    requests.push(...nodesOf(asked).map(({ id, orderId }) => ({ id: textOf(id), orderId: numberOf(orderId) })));
    const { hasNextPage, endCursor } = membersOf(asked.pageInfo);
    if (hasNextPage !== true) break;
    after = endCursor;
  }
  return requests;
}

/** All, from one of them on that is chosen by chance: beyond the bound none is left out for good. */
function fromAny(requests: readonly Request[]): Request[] {
  const from = Math.floor(Math.random() * requests.length);
  return [...requests.slice(from), ...requests.slice(0, from)];
}

/**
 * What is answered to a cancel of one fulfilment order; undefined while that is open.
 * An order that is not cancelled as a whole is read first, since the notice may be lost: what its shop has taken back
 * is then cancelled here, as far as that is possible. The request is granted once nothing of its pieces is made.
 */
async function answerToCancel(
  shop: Shop,
  here: AskedOrders,
  { id, orderId }: Request,
  known: OrderHere | undefined,
): Promise<Answer | undefined> {
  if (known?.fate === 'declined') return ACCEPT_CANCEL;
  if (known?.fate === 'kept') return REJECT_CANCEL;
  await here.readAnew(orderId);
  const now = (await here.fatesOf([orderId])).get(orderId);
  if (now?.fate === 'open') return undefined;
  if (now?.fate === 'declined') return ACCEPT_CANCEL;
  const lines = await readAssignedLines(shop, id);
  const sent = await readSentPieces(
    shop,
    gidOf('Order', orderId),
    lines.map(({ of }) => of),
  );
  const isMade = lines.some(
    ({ line, left, of }) => left > 0 && (now?.pieces.get(line) ?? 0) > piecesOf(of, sent) - left,
  );
  if (!isMade) return ACCEPT_CANCEL;
  return now?.fate === 'waiting' ? undefined : REJECT_CANCEL;
}

/** Whether Shopify has taken an answer. */
async function give(shop: Shop, id: string, { name, message }: Answer): Promise<boolean> {
  try {
    await change(shop, name, mutation(name), { id, message });
    return true;
  } catch (error) {
    if (!isRejected(error)) throw error;
    return false;
  }
}
