/** A figure over time: seconds since the beginning, and its value then. */
export type Sample = { readonly seconds: number; readonly value: number };

/** What a line through samples says: how much comes in an hour, and how much of the spread the line explains. */
export type Trend = { readonly perHour: number; readonly fit: number; readonly mean: number };

/** Fits a line through samples by least squares. */
export function trendOf(samples: readonly Sample[]): Trend {
  const n = samples.length;
  const mean = samples.reduce((sum, { value }) => sum + value, 0) / n;
  const meanSeconds = samples.reduce((sum, { seconds }) => sum + seconds, 0) / n;
  let across = 0;
  let along = 0;
  let spread = 0;
  for (const { seconds, value } of samples) {
    across += (seconds - meanSeconds) * (value - mean);
    along += (seconds - meanSeconds) ** 2;
    spread += (value - mean) ** 2;
  }
  if (n < 3 || along === 0 || spread === 0) return { perHour: 0, fit: 0, mean };
  return { perHour: (across / along) * 3_600, fit: across ** 2 / (along * spread), mean };
}

/** A line that explains less than this is no trend: the figure goes up and down. */
const FIT_MIN = 0.6;
/** Memory that a process fills once, caches and arenas, comes in the first part of a run. */
const SETTLED_AFTER = 1 / 3;

/**
 * Says why a figure grows, or undefined when it does not.
 * A single value says nothing: what counts is the line through the samples of the last two thirds. It is a trend when
 * it explains most of them and would add more than `share` of the mean within the time of the run.
 */
export function growth(samples: readonly Sample[], share: number): string | undefined {
  const last = samples.at(-1)?.seconds ?? 0;
  const settled = samples.filter(({ seconds }) => seconds >= last * SETTLED_AFTER);
  const { perHour, fit, mean } = trendOf(settled);
  const span = last - (settled[0]?.seconds ?? last);
  const added = (perHour * span) / 3_600;
  if (fit < FIT_MIN || added <= share * Math.max(mean, 1)) return undefined;
  return `grows by ${perHour.toFixed(1)} an hour, from a mean of ${mean.toFixed(1)} (the line explains ${Math.round(fit * 100)} %)`;
}
