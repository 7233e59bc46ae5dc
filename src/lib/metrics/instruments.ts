import { Counter, Gauge, Histogram } from 'prom-client';

// Metrics of the whole process, in the library's default registry, which `/metrics` shows. Declared once, beside the
// code that they measure. A label has few values that the code knows: never an id, an account or a text from outside.

type Labels<Label extends string> = Readonly<Record<Label, string>>;

type Declaration<Label extends string> = {
  readonly name: string;
  readonly help: string;
  readonly labels: readonly Label[];
};

/**
 * Declares a counter and returns what adds to it.
 * `series` are shown as 0 from the start: the first increase of a series that was never shown is lost to `increase()`.
 */
export function createCounter<Label extends string>(
  declaration: Declaration<Label> & { readonly series?: readonly Labels<Label>[] },
): (labels: Labels<Label>, by?: number) => void {
  const { name, help, labels, series = [] } = declaration;
  const counter = new Counter({ name, help, labelNames: labels });
  for (const one of series) counter.inc(one, 0);
  return (of, by = 1) => counter.inc(of, by);
}

/** Declares a histogram of seconds and returns what observes milliseconds. */
export function createHistogram<Label extends string>(
  declaration: Declaration<Label> & {
    readonly bucketsSeconds: readonly number[];
    readonly series: readonly Labels<Label>[];
  },
): (labels: Labels<Label>, ms: number) => void {
  const { name, help, labels, bucketsSeconds, series } = declaration;
  const histogram = new Histogram({ name, help, labelNames: labels, buckets: [...bucketsSeconds] });
  for (const one of series) histogram.zero(one);
  return (of, ms) => histogram.observe(of, ms / 1_000);
}

export type SampledGauge<Label extends string> = {
  readonly set: (labels: Labels<Label>, value: number) => void;
  /** Shows nothing until the next value: an old one would be taken for a present one. */
  readonly clear: () => void;
};

/** Declares a gauge that shows nothing before its first value. */
export function createGauge<Label extends string>(declaration: Declaration<Label>): SampledGauge<Label> {
  const { name, help, labels } = declaration;
  const gauge = new Gauge({ name, help, labelNames: labels });
  const clear = (): void => {
    gauge.reset();
    // Without labels a reset shows 0.
    if (labels.length === 0) gauge.remove();
  };
  clear();
  return { set: (of, value) => gauge.set(of, value), clear };
}

/**
 * Declares a gauge whose values are read with each scrape.
 * Only of what this process has in memory.
 */
export function createReadGauge<Label extends string>(
  declaration: Declaration<Label> & { readonly read: () => readonly (readonly [Labels<Label>, number])[] },
): void {
  const { name, help, labels, read } = declaration;
  const gauge: Gauge<Label> = new Gauge({
    name,
    help,
    labelNames: labels,
    collect: () => {
      gauge.reset();
      for (const [of, value] of read()) gauge.set(of, value);
    },
  });
}
