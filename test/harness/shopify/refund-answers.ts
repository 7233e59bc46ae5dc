import { type GraphQLResolveInfo, getDirectiveValues } from 'graphql';
import { gid, lineView } from './answers.ts';
import { type DoubleOrder, type DoubleRefund, type DoubleShop, nextNumber, takeOpen } from './shop-state.ts';

// What the double answers about refunds: what it suggests, and what was given back.

type LineInput = { lineItemId: string; quantity: number };
type RefundInput = {
  orderId: string;
  note: string;
  refundLineItems: LineInput[];
  transactions: { amount: string; parentId: string }[];
};

const idOf = (text: string): string => text.split('/').at(-1) ?? '';
const moneyBag = (amount: string) => {
  const money = { amount, currencyCode: 'GBP' };
  return { presentmentMoney: money, shopMoney: money };
};

/** What an order answers about its refunds. */
export function refundsOfOrder(shop: DoubleShop, order: DoubleOrder) {
  return {
    refunds: order.refunds.map((one) => refundView(shop, order, one)),
    suggestedRefund: ({ refundLineItems = [] }: { refundLineItems?: LineInput[] }) => {
      const amount = worthOf(order, refundLineItems);
      const transaction = { gateway: 'shopify_payments', parentTransaction: { id: gid('OrderTransaction', '1') } };
      return { amountSet: moneyBag(amount), suggestedTransactions: [{ ...transaction, amountSet: moneyBag(amount) }] };
    },
  };
}

/** The root's part about refunds: one without a key is an error, and one of a key is done once. */
export function refundAnswersOf(shop: DoubleShop, touched: (order: DoubleOrder) => void) {
  const all = () => [...shop.orders.values()].flatMap((order) => order.refunds.map((one) => ({ order, one })));
  return {
    refund: ({ id }: { id: string }) => {
      const found = all().find(({ one }) => gid('Refund', one.id) === id);
      return found === undefined ? null : refundView(shop, found.order, found.one);
    },
    refundCreate: ({ input }: { input: RefundInput }, _context: unknown, info: GraphQLResolveInfo) => {
      const key = keyOf(info);
      const known = all().find(({ one }) => one.key === key);
      if (known !== undefined) return { refund: refundView(shop, known.order, known.one), userErrors: [] };
      const order = shop.orders.get(idOf(input.orderId));
      const refused = (field: string) => ({ userErrors: [{ field: [field], message: 'is refused' }] });
      if (order === undefined || shop.refusesRefunds) return refused('transactions');
      const lines = input.refundLineItems.map(({ lineItemId, quantity }) => ({ lineId: idOf(lineItemId), quantity }));
      for (const { lineId, quantity } of lines) {
        const line = order.lines.find(({ id }) => id === lineId);
        if (line === undefined || line.currentQuantity < quantity) return refused('refundLineItems');
      }
      for (const { lineId, quantity } of lines) {
        const line = order.lines.find(({ id }) => id === lineId);
        if (line !== undefined) line.currentQuantity -= quantity;
        takeOpen(order, lineId, quantity);
      }
      const amount = input.transactions.reduce((sum, one) => sum + Number(one.amount), 0).toFixed(2);
      const made: DoubleRefund = { id: nextNumber(), key, note: input.note, amount, lines };
      order.refunds.push(made);
      touched(order);
      return { refund: refundView(shop, order, made), userErrors: [] };
    },
  };
}

function keyOf({ fieldNodes: [field], schema, variableValues }: GraphQLResolveInfo): string {
  const directive = schema.getDirective('idempotent');
  const given = directive && field ? getDirectiveValues(directive, field, variableValues) : undefined;
  if (typeof given?.key !== 'string') throw new Error('The @idempotent directive is required for this mutation.');
  return given.key;
}

function worthOf(order: DoubleOrder, lines: readonly LineInput[]): string {
  const worth = lines.map(({ lineItemId, quantity }) => {
    const line = order.lines.find(({ id }) => id === idOf(lineItemId));
    return Number(line?.price ?? '20.00') * quantity;
  });
  return worth.reduce((sum, one) => sum + one, 0).toFixed(2);
}

function refundView(shop: DoubleShop, order: DoubleOrder, { id, note, lines }: DoubleRefund) {
  return {
    id: gid('Refund', id),
    note,
    refundLineItems: () => ({
      nodes: lines.flatMap(({ lineId, quantity }) => {
        const line = order.lines.find((one) => one.id === lineId);
        return line === undefined ? [] : [{ quantity, lineItem: lineView(shop, line, order) }];
      }),
    }),
  };
}
