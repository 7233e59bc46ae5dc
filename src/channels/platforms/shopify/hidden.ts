import type { Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';

/**
 * The age from which Shopify shows an order only to an app with the scope `read_all_orders`.
 * It says 60 days. One less, as it counts by a clock of its own: better a word too many than a parcel that is lost.
 */
const HIDDEN_AFTER_MS = 59 * 86_400_000;

/**
 * Throws `ShopFault` where an order that Shopify does not show is too old to be shown.
 * A younger one was deleted there, and there is nothing left to write to.
 */
export function refuseHidden({ latest }: Pick<Shop, 'latest'>, orderedAt: Date): void {
  const now = latest?.().getTime() ?? Number.POSITIVE_INFINITY;
  if (now - orderedAt.getTime() >= HIDDEN_AFTER_MS) throw new ShopFault('rejected', HIDDEN);
}

const HIDDEN =
  'Shopify shows the print shop no order that is older than 60 days, as its app has not the scope read_all_orders. Enter the tracking number in Shopify by hand, and refund there what was cancelled.';
