const DAY_MS = 86_400_000;

/** Until when a problem can be reported; null while nothing was shipped. */
export function reportableUntil(lastShippedAt: Date | null, windowDays: number): Date | null {
  return lastShippedAt === null ? null : new Date(lastShippedAt.getTime() + windowDays * DAY_MS);
}

/** Pieces of a line that can be reported: those that were shipped and are in no problem. */
export function reportablePieces(line: { readonly shipped: number; readonly reported: number }): number {
  return Math.max(0, line.shipped - line.reported);
}
