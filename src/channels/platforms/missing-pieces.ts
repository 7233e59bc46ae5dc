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

/** All pieces of an order that are cancelled here so far. Pure. */
export function cancelledInAll({ cancelled }: Pick<OrderReport, 'cancelled'>): number {
  return cancelled.reduce((sum, one) => sum + one.cancelled, 0);
}

/**
 * What the people of a shop read of pieces that will not be sent.
 * Those that they know of leave as many as before when others are cancelled, so that the note then has the count of
 * all. By that a text is known that says so already, whatever was refunded since: cancelled pieces only become more.
 * Pure.
 */
export function missingNote(
  report: Pick<OrderReport, 'cancelled' | 'reference'>,
  missing: readonly CancelledPieces[],
): { readonly note: string; readonly isIn: (text: string) => boolean } {
  const all = cancelledInAll(report);
  const order = `of its order ${report.reference}`;
  const whole = `has cancelled ${listed(report.cancelled)} ${order}:`;
  const counted = `${order} (${all} in all):`;
  const isAll = cancelledInAll({ cancelled: missing }) === all;
  const what = isAll ? whole : `has cancelled ${listed(missing)} ${counted}`;
  return {
    note: `The print shop ${what} not to be sent.`,
    isIn: (text) => text.includes(whole) || text.includes(counted),
  };
}

function listed(pieces: readonly CancelledPieces[]): string {
  return pieces.map(({ title, cancelled }) => `${cancelled} × ${title}`).join(', ');
}
