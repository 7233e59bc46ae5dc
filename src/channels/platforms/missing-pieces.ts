import type { CancelledPieces, OrderReport } from './port.ts';

/**
 * Lines of which a shop has pieces that will not be sent, by how many of each it has itself.
 * What the shop has taken back itself was cancelled here for that, and is no news to it. Pure.
 */
export function missingPieces(
  { cancelled }: Pick<OrderReport, 'cancelled'>,
  there: ReadonlyMap<string, number>,
): CancelledPieces[] {
  return cancelled.flatMap((one) => {
    const missing = Math.min(one.cancelled, (there.get(one.shopItemId) ?? 0) - one.made);
    return missing > 0 ? [{ ...one, cancelled: missing }] : [];
  });
}
