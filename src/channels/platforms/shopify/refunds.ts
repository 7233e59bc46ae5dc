import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { BuyerRefund, Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { ask, change, gidOf, membersOf, nodesOf, numberOf } from './ask.ts';
import { refuseHidden } from './hidden.ts';
import { piecesOf, readSentPieces } from './sent-pieces.ts';

const LINES_AT_ONCE = 100;
const LINE_PAGES_MAX = 10;
const REFUNDS_MAX = 100;

const READ = `query Refunds($id: ID!) { order(id: $id) { id cancelledAt refunds(first: ${REFUNDS_MAX}) { id note } } }`;

const GIVEN = `query GivenBack($id: ID!) {
  refund(id: $id) { refundLineItems(first: ${LINES_AT_ONCE}) { nodes { quantity lineItem { id } } } }
}`;

const LINES = `query Refundable($id: ID!, $after: String) {
  order(id: $id) {
    lineItems(first: ${LINES_AT_ONCE}, after: $after) {
      nodes { id quantity currentQuantity unfulfilledQuantity refundableQuantity } pageInfo { hasNextPage endCursor }
    }
  }
}`;

const SUGGEST = `query Suggested($id: ID!, $lines: [RefundLineItemInput!]) {
  order(id: $id) {
    suggestedRefund(refundLineItems: $lines) {
      amountSet { presentmentMoney { amount currencyCode } }
      suggestedTransactions { gateway parentTransaction { id } amountSet { presentmentMoney { amount } } }
    }
  }
}`;

const REFUND = `mutation RefundBuyer($input: RefundInput!, $key: String!) {
  refundCreate(input: $input) @idempotent(key: $key) { refund { id } userErrors { field } }
}`;

type Line = { readonly current: number; readonly refundable: number };

/**
 * Has Shopify refund pieces of an order, by the payment that it was paid by.
 * Our refunds are known by their note, which names our order; Shopify does what has one key once. What Shopify suggests
 * is given back, without shipping. Nothing is put back into stock: it was never there.
 */
export async function refundInShopify(
  shop: Shop,
  { shopOrderId, orderedAt, reference, key, pieces }: BuyerRefund,
  begin: () => Promise<void>,
): Promise<void> {
  const id = gidOf('Order', shopOrderId);
  const { order } = await ask(shop, READ, { id });
  if (!isMembers(order)) {
    refuseHidden(shop, orderedAt);
    return;
  }
  // Its people have cancelled it and settled that with the buyer.
  if (textOf(order.cancelledAt) !== '') return;
  const note = `Cancelled by the print shop (${reference})`;
  const ours = await givenBack(shop, order, reference);
  const lines = await refundableLines(shop, id);
  const wanted = pieces.flatMap(({ shopItemId, refunded, made, most }) => {
    const { current = 0, refundable = 0 } = lines.get(shopItemId) ?? {};
    const quantity = Math.min(refunded - (ours.get(shopItemId) ?? 0), current - made, most, refundable);
    return quantity <= 0 ? [] : [{ lineItemId: gidOf('LineItem', shopItemId), quantity, restockType: 'NO_RESTOCK' }];
  });
  if (wanted.length === 0) return;
  const suggested = membersOf(membersOf((await ask(shop, SUGGEST, { id, lines: wanted })).order).suggestedRefund);
  const money = membersOf(membersOf(suggested.amountSet).presentmentMoney);
  if (Number(money.amount ?? 0) === 0) return;
  const transactions = transactionsOf(suggested, id);
  if (transactions.length === 0) throw new ShopFault('rejected', NO_PAYMENT);
  await begin();
  const input = {
    orderId: id,
    note,
    currency: money.currencyCode,
    notify: true,
    refundLineItems: wanted,
    transactions,
  };
  try {
    await change(shop, 'refundCreate', REFUND, { input, key });
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
    throw new ShopFault('rejected', `${error.message} The buyer has no money back: refund them in the shop.`);
  }
}

const NO_PAYMENT =
  'Shopify knows no payment of this order that it could give back. Refund the buyer in the shop, as they have paid.';

/** How many pieces of each line we had given back, by the numbers of the lines. */
async function givenBack(shop: Shop, order: Members, reference: string): Promise<ReadonlyMap<string, number>> {
  const refunds = arrayOf(order.refunds).filter(isMembers);
  if (refunds.length >= REFUNDS_MAX) throw new ShopFault('rejected', 'The order has too many refunds in the shop.');
  const pieces = new Map<string, number>();
  for (const { id } of refunds.filter(({ note }) => textOf(note).includes(reference))) {
    const { refund } = await ask(shop, GIVEN, { id });
    for (const { quantity, lineItem } of nodesOf(membersOf(refund).refundLineItems)) {
      const line = numberOf(membersOf(lineItem).id);
      pieces.set(line, (pieces.get(line) ?? 0) + Number(quantity));
    }
  }
  return pieces;
}

/** The lines of an order by their numbers: pieces that stay in the shop, and those it can refund. */
export async function refundableLines(shop: Shop, id: string): Promise<ReadonlyMap<string, Line>> {
  const nodes: Members[] = [];
  let after: unknown = null;
  for (let page = 0; page < LINE_PAGES_MAX; page += 1) {
    const { lineItems } = membersOf((await ask(shop, LINES, { id, after })).order);
    nodes.push(...nodesOf(lineItems));
    const { hasNextPage, endCursor } = membersOf(membersOf(lineItems).pageInfo);
    if (hasNextPage !== true) break;
    after = endCursor;
  }
  const sent = await readSentPieces(shop, id, nodes);
  return new Map(
    nodes.map((node) => [
      numberOf(node.id),
      { current: piecesOf(node, sent), refundable: Number(node.refundableQuantity) },
    ]),
  );
}

function transactionsOf(suggested: Members, orderId: string): Members[] {
  return arrayOf(suggested.suggestedTransactions)
    .filter(isMembers)
    .flatMap(({ gateway, parentTransaction, amountSet }) => {
      const { amount } = membersOf(membersOf(amountSet).presentmentMoney);
      const parentId = textOf(membersOf(parentTransaction).id);
      return parentId === '' || Number(amount ?? 0) === 0
        ? []
        : [{ orderId, parentId, gateway, amount, kind: 'REFUND' }];
    });
}
