import { textOf } from '../members.ts';
import type { AskedOrders, OrderFate, OrderHere, Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, change, gidOf, membersOf, nodesOf, numberOf } from './ask.ts';
import { readAssignedLines } from './fulfillment-orders.ts';
import { piecesOf, readSentPieces } from './sent-pieces.ts';

const AT_ONCE = 50;
/** Requests beyond these are seen once others are answered. */
const PAGES_MAX = 20;
/** Each answer is a call, and a shop has other things that wait. */
const ANSWERS_MAX = 40;

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

/**
 * Answers a bounded number of requests to our fulfilment service that can be answered.
 * True where there may be more.
 * A request is what it is in Shopify until it is answered, so nothing is remembered here. One that Shopify refuses to
 * have answered was answered before, or is no request any more.
 */
export async function answerRequests(shop: Shop, here: AskedOrders): Promise<boolean> {
  const wanted = await answerAll(shop, here, {
    of: 'FULFILLMENT_REQUESTED',
    answerTo: async ({ orderId }, fates) => TO_WANTED[fates.get(orderId)?.fate ?? 'waiting'],
  });
  const unwanted = await answerAll(shop, here, {
    of: 'CANCELLATION_REQUESTED',
    answerTo: (request, fates) => answerToCancel(shop, here, request, fates.get(request.orderId)),
  });
  return wanted || unwanted;
}

/** Goes through all requests of a kind: one that cannot be answered yet holds up none that can. */
async function answerAll(
  shop: Shop,
  here: AskedOrders,
  by: {
    readonly of: 'FULFILLMENT_REQUESTED' | 'CANCELLATION_REQUESTED';
    readonly answerTo: (
      request: Request,
      fates: ReadonlyMap<string, OrderHere>,
    ) => Promise<Answer | undefined> | Answer | undefined;
  },
): Promise<boolean> {
  let given = 0;
  let after: unknown = null;
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const asked = membersOf((await ask(shop, ASKED, { of: by.of, after })).assignedFulfillmentOrders);
    const requests = nodesOf(asked).map(({ id, orderId }) => ({ id: textOf(id), orderId: numberOf(orderId) }));
    const fates = requests.length === 0 ? new Map() : await here.fatesOf([...new Set(requests.map(orderIdOf))]);
    for (const request of requests) {
      const answer = await by.answerTo(request, fates);
      if (answer === undefined) continue;
      await give(shop, request.id, answer);
      given += 1;
      if (given >= ANSWERS_MAX) return true;
    }
    const { hasNextPage, endCursor } = membersOf(asked.pageInfo);
    if (hasNextPage !== true) break;
    after = endCursor;
  }
  return false;
}

const orderIdOf = ({ orderId }: Request): string => orderId;

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
  if (known?.fate === 'open') return undefined;
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

async function give(shop: Shop, id: string, { name, message }: Answer): Promise<void> {
  try {
    await change(shop, name, mutation(name), { id, message });
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
  }
}
