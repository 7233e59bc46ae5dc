import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { BuyerRefund, Shop } from '../port.ts';
import { ShopFault, writeTo } from '../shop-call.ts';
import { DECIMALS, decimalsOf, fromScale, toScale } from './amounts.ts';
import { refundedLine, refundedPieces } from './orders.ts';
import { thereInWoo, wooRows } from './there.ts';

const PAID = new Set(['processing', 'completed']);
/** Its people have settled the order with the buyer, or nothing was ever paid. */
const SETTLED = new Set(['cancelled', 'refunded', 'failed', 'trash']);
/** What it answers where it has given nothing back: its payment provider refuses, or takes no refunds. */
const REFUSED = new Set(['woocommerce_rest_cannot_create_order_refund', 'woocommerce_rest_invalid_order_refund']);
const REFUNDS_MAX = 100;

/**
 * Has WooCommerce refund pieces of an order, by the payment of the order.
 * WooCommerce knows no key by which a request is done once: our refunds are known by their reason, which names our
 * order. Money is the share of the line that the pieces are, and what rounding has left of it with the last.
 */
export async function refundInWoo(
  shop: Shop,
  { shopOrderId, reference, pieces, isComplete }: BuyerRefund,
  begin: () => Promise<void>,
): Promise<void> {
  const path = `/wp-json/wc/v3/orders/${shopOrderId}`;
  const order = await thereInWoo(shop, 'orders', shopOrderId);
  if (order === undefined || SETTLED.has(textOf(order.status))) return;
  if (!PAID.has(textOf(order.status))) throw new ShopFault('rejected', NOT_PAID);
  const refunds = (await wooRows(shop, `${path}/refunds?per_page=${REFUNDS_MAX}`)).filter(isMembers);
  if (refunds.length >= REFUNDS_MAX) throw new ShopFault('rejected', 'The order has too many refunds in the shop.');
  const reason = `Cancelled by the print shop (${reference})`;
  const ours = refundedPieces(refunds.filter((one) => textOf(one.reason).includes(reference)));
  const all = refundedPieces(refunds);
  const lines = arrayOf(order.line_items).filter(isMembers);
  const parts = pieces.flatMap(({ shopItemId, refunded, made, most }) => {
    const line = lines.find(({ id }) => textOf(id) === shopItemId);
    const there = Math.round(Number(line?.quantity ?? 0)) - (all.get(shopItemId) ?? 0);
    const quantity = Math.min(refunded - (ours.get(shopItemId) ?? 0), there - made, most);
    return line === undefined || quantity <= 0 ? [] : [partOf(line, quantity, { there, refunds })];
  });
  const amount = sumOf(
    parts.flatMap(({ refund_total: total, refund_tax: taxes }) => [total, ...taxes.map((tax) => tax.refund_total)]),
  );
  if (Number(amount) === 0) return;
  if (textOf(order.status) === 'completed' && !isComplete) throw new ShopFault('rejected', COMPLETED_THERE);
  await begin();
  const body = { amount, reason, api_refund: true, api_restock: false, line_items: parts };
  await writeTo(shop, 'POST', `${path}/refunds`, body).catch((error: unknown) => {
    const isRefusal = error instanceof ShopFault && (error.kind === 'rejected' || REFUSED.has(error.code));
    throw isRefusal ? new ShopFault('rejected', REFUSAL) : error;
  });
}

const NOT_PAID =
  'The order is neither processing nor completed in the shop, so the buyer has no money back for what was cancelled. Look at it in the shop.';
const COMPLETED_THERE =
  'The order was completed in the shop, and not by the print shop: whether its buyer has all of it is known there alone. Refund the buyer in the shop if not.';
const REFUSAL =
  'WooCommerce gives the buyer no money back for what was cancelled: its payment provider refuses, or takes no refunds from outside. Refund the buyer in the shop.';

/** What is given back of a line. */
export type RefundPart = {
  readonly id: number;
  readonly quantity: number;
  readonly refund_total: string;
  readonly refund_tax: readonly { readonly id: number; readonly refund_total: string }[];
};

/**
 * The share of pieces of a line, of those that are there: without tax, and of each tax.
 * The last have what is left where that is the share but for rounding; a piece that was taken out for nothing, as for
 * another, leaves its money to the shop. Pure.
 */
export function partOf(
  line: Members,
  quantity: number,
  { there, refunds }: { readonly there: number; readonly refunds: readonly Members[] },
): RefundPart {
  const id = textOf(line.id);
  const before = refunds
    .flatMap((refund) => arrayOf(refund.line_items).filter(isMembers))
    .filter((one) => refundedLine(one) === id);
  const decimals = decimalsOf(line.total);
  const count = Math.max(Math.round(Number(line.quantity)), 1);
  // What is given back of a piece is rounded by less than the smallest unit.
  const rounded = BigInt(Math.max(Math.ceil(count - there), 0)) * 10n ** BigInt(DECIMALS - decimals);
  const shareOf = (total: unknown, given: readonly unknown[]): string => {
    const left = toScale(total) - given.reduce<bigint>((sum, one) => sum + absolute(toScale(one)), 0n);
    const share = (toScale(total) * BigInt(quantity)) / BigInt(count);
    const isRest = share > left || (quantity === there && left - share <= rounded);
    const whole = isRest ? left : share;
    return fromScale(whole < 0n ? 0n : whole, decimals);
  };
  const taxes = arrayOf(line.taxes).filter(isMembers);
  return {
    id: Number(id),
    quantity,
    refund_total: shareOf(
      line.total,
      before.map(({ total }) => total),
    ),
    refund_tax: taxes.map((tax) => ({
      id: Number(textOf(tax.id)),
      refund_total: shareOf(
        tax.total,
        before
          .flatMap((one) => arrayOf(one.taxes).filter(isMembers))
          .filter((one) => textOf(one.id) === textOf(tax.id))
          .map(({ total }) => total),
      ),
    })),
  };
}

function sumOf(amounts: readonly string[]): string {
  return fromScale(
    amounts.reduce((sum, amount) => sum + toScale(amount), 0n),
    Math.max(0, ...amounts.map(decimalsOf)),
  );
}

const absolute = (value: bigint): bigint => (value < 0n ? -value : value);
