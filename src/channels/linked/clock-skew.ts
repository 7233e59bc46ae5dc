/** A clock that is off by less is not off. */
const SKEW_MIN_MS = 5_000;

/**
 * By how much a shop's clock is ahead of ours, in ms; 0 where it may be right.
 * `date` is the header of an answer that was asked for and had at these times of ours: while it was under way its clock
 * may have shown any time between them.
 */
export function clockSkewMs(date: string, askedAt: Date, hadAt: Date): number {
  const shown = Date.parse(date);
  if (Number.isNaN(shown)) return 0;
  const [asked, had] = [askedAt.getTime(), hadAt.getTime()];
  const skew = shown < asked ? shown - asked : Math.max(shown - had, 0);
  return Math.abs(skew) < SKEW_MIN_MS ? 0 : skew;
}
