import { textOf } from '../members.ts';
import type { OrderFate, Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, change, nodesOf, numberOf } from './ask.ts';

const AT_ONCE = 20;

const ASKED = `query Asked {
  wanted: assignedFulfillmentOrders(first: ${AT_ONCE}, assignmentStatus: FULFILLMENT_REQUESTED) { nodes { id orderId } }
  unwanted: assignedFulfillmentOrders(first: ${AT_ONCE}, assignmentStatus: CANCELLATION_REQUESTED) { nodes { id orderId } }
}`;

const mutation = (name: string): string =>
  `mutation Answer($id: ID!, $message: String) { ${name}(id: $id, message: $message) { fulfillmentOrder { id } userErrors { field } } }`;

type Answer = { readonly name: string; readonly message: string };

const TO_WANTED: Readonly<Partial<Record<OrderFate, Answer>>> = {
  taken: { name: 'fulfillmentOrderAcceptFulfillmentRequest', message: 'It is made.' },
  kept: { name: 'fulfillmentOrderAcceptFulfillmentRequest', message: 'It is made.' },
  declined: { name: 'fulfillmentOrderRejectFulfillmentRequest', message: 'The print shop does not make this order.' },
};
const TO_UNWANTED: Readonly<Partial<Record<OrderFate, Answer>>> = {
  declined: { name: 'fulfillmentOrderAcceptCancellationRequest', message: 'Nothing of it is made.' },
  kept: { name: 'fulfillmentOrderRejectCancellationRequest', message: 'It is made already.' },
};

/**
 * Answers the requests to our fulfilment service that can be answered.
 * A request is what it is in Shopify until it is answered, so nothing is remembered here. One that Shopify refuses to
 * have answered was answered before, or is no request any more.
 */
export async function answerRequests(
  shop: Shop,
  fatesOf: (orderIds: readonly string[]) => Promise<ReadonlyMap<string, OrderFate>>,
): Promise<void> {
  const data = await ask(shop, ASKED);
  const wanted = nodesOf(data.wanted).map((node) => ({ node, answers: TO_WANTED }));
  const unwanted = nodesOf(data.unwanted).map((node) => ({ node, answers: TO_UNWANTED }));
  const asked = [...wanted, ...unwanted].map(({ node, answers }) => ({
    id: textOf(node.id),
    orderId: numberOf(node.orderId),
    answers,
  }));
  if (asked.length === 0) return;
  const fates = await fatesOf([...new Set(asked.map(({ orderId }) => orderId))]);
  for (const { id, orderId, answers } of asked) {
    const answer = answers[fates.get(orderId) ?? 'open'];
    if (answer !== undefined) await give(shop, id, answer);
  }
}

async function give(shop: Shop, id: string, { name, message }: Answer): Promise<void> {
  try {
    await change(shop, name, mutation(name), { id, message });
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
  }
}
