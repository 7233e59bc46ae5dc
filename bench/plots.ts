import { goalFigureOf, type Quantile, type Row, reachedOf } from './figures.ts';
import type { Cost } from './processor-clock.ts';
import { bar, type Colour, dot, line, picture, text, WIDTH } from './svg.ts';
import { goalText, shown } from './table.ts';

/** The plots of the rows as SVG, by the names of their files; one for which there are no rows is left out. */
export function plotsOf(rows: readonly Row[]): Readonly<Record<string, string>> {
  const plots = {
    goals: goalsPlot(rows),
    'processor-time': processorTimePlot(rows),
    latency: latencyPlot(rows),
  };
  return Object.fromEntries(Object.entries(plots).flatMap(([name, svg]) => (svg === undefined ? [] : [[name, svg]])));
}

const MARGIN = 20;
/** Where the axis begins, right of the names. */
const LEFT = 420;
const RIGHT = WIDTH - 40;
const TOP = 84;

// Goals ---------------------------------------------------------------------------------------------------------------

const GOAL_ROW = 42;
const FILLS = { yes: 'full', first: 'ring', no: 'ring' } as const;
const COLOURS = { yes: 'reached', first: 'first', no: 'missed' } as const;

/** Each goal as 1 on an axis of doublings: right of it is reached, whether more or less is wanted. */
function goalsPlot(rows: readonly Row[]): string | undefined {
  const points = rows.flatMap((row) => goalPoint(row) ?? []);
  if (points.length === 0) return undefined;
  const exponents = points.flatMap(({ lowest, highest }) => [Math.log2(lowest), Math.log2(highest)]);
  const first = Math.min(-1, Math.floor(Math.min(...exponents)));
  const last = Math.max(1, Math.ceil(Math.max(...exponents)));
  const x = (share: number): number => LEFT + ((Math.log2(share) - first) / (last - first)) * (RIGHT - LEFT);
  const bottom = TOP + points.length * GOAL_ROW;
  const ticks = Array.from({ length: last - first + 1 }, (_, index) => 2 ** (first + index));
  const axis = ticks.flatMap((share) => [
    line([x(share), TOP - 8], [x(share), bottom], share === 1 ? 'text' : 'grid', share === 1 ? { width: 1.5 } : {}),
    text(x(share), TOP - 14, tickText(share), {
      anchor: 'middle',
      size: 'small',
      colour: share === 1 ? 'text' : 'muted',
    }),
  ]);
  const marks = points.flatMap(({ row, median, lowest, highest, near, reached }, index) => {
    const y = TOP + index * GOAL_ROW + GOAL_ROW / 2;
    const colour = COLOURS[reached];
    return [
      text(MARGIN, y - 3, row.what),
      text(MARGIN, y + 13, figureText(row), { colour: 'muted', size: 'small' }),
      ...(near === undefined ? [] : [line([x(near), y - 12], [x(near), y + 12], 'first', { width: 2, dash: '3 3' })]),
      line([x(lowest), y], [x(highest), y], colour, { width: 3 }),
      dot(x(median), y, colour, FILLS[reached]),
    ];
  });
  const title = 'How near each goal is';
  const legend =
    'Right of the line, a full dot: reached. Dot: median; bar: lowest to highest round; dashed: a first goal.';
  return picture(title, bottom + MARGIN, [
    text(MARGIN, 32, title, { size: 'title' }),
    text(MARGIN, 52, legend, { colour: 'muted' }),
    ...axis,
    ...marks,
  ]);
}

function tickText(share: number): string {
  if (share === 1) return 'the goal';
  return share < 1 ? `1/${1 / share}` : `${share} ×`;
}

/** Shares of the goal; where less is wanted, the goal's share of the figure. */
function goalPoint(row: Row) {
  const { goal } = row;
  const figure = goalFigureOf(row);
  const reached = reachedOf(row);
  if (goal === undefined || figure === undefined || reached === undefined) return undefined;
  const share = (value: number): number => (goal.is === 'at least' ? value / goal.value : goal.value / value);
  const ends = [share(figure.lowest), share(figure.highest)];
  const near = goal.first === undefined ? undefined : share(goal.first);
  return { row, reached, near, median: share(figure.median), lowest: Math.min(...ends), highest: Math.max(...ends) };
}

function figureText(row: Row): string {
  const figure = shown(goalFigureOf(row)?.median ?? Number.NaN);
  if (row.goal?.of !== 'ratio') return `${figure}${row.unit.startsWith('/') ? '' : ' '}${row.unit}; ${goalText(row)}`;
  return `${figure} of ${row.against ?? ''}; ${goalText(row)}`;
}

// Processor time ------------------------------------------------------------------------------------------------------

const BAR_ROW = 34;
const BAR = 16;
/** Of a page or a large order it is on another scale; the table has it. */
const SHOWN_PER: readonly string[] = ['an order', 'an estimate', 'a read'];

type Bar = { readonly name: string; readonly segments: readonly { readonly colour: Colour; readonly value: number }[] };

/** Milliseconds of processor time of one order, estimate or read, part by part. */
function processorTimePlot(rows: readonly Row[]): string | undefined {
  const bars = new Map<string, Bar>();
  for (const { what, against, cost } of rows) {
    if (cost === undefined || !SHOWN_PER.includes(cost.per)) continue;
    const add = (name: string, of: Cost): void => {
      // What several are compared with stands there once.
      if (!bars.has(name)) bars.set(name, { name, segments: segmentsOf(of) });
    };
    add(what, cost.ours);
    if (cost.theirs !== undefined && against !== undefined) add(against, cost.theirs);
  }
  const legend: readonly (readonly [Colour, string])[] = [
    ['postgres', 'PostgreSQL'],
    ['mainThread', 'main thread'],
    ['otherThreads', 'other threads that serve'],
    ['load', 'load'],
  ];
  return barPlot('Processor time of one, in ms', [...bars.values()], legendOf(legend));
}

function segmentsOf({ postgres, mainThread, service, load }: Cost): Bar['segments'] {
  return [
    { colour: 'postgres', value: postgres },
    { colour: 'mainThread', value: mainThread },
    { colour: 'otherThreads', value: Math.max(0, service - mainThread) },
    { colour: 'load', value: load },
  ];
}

function legendOf(entries: readonly (readonly [Colour, string])[]): string[] {
  return entries.flatMap(([colour, name], index) => {
    const x = MARGIN + index * 190;
    return [bar(x, 45, 12, 12, colour), text(x + 18, 56, name, { colour: 'muted' })];
  });
}

// Latency -------------------------------------------------------------------------------------------------------------

/** How long orders took that came at a fixed rate. */
function latencyPlot(rows: readonly Row[]): string | undefined {
  const row = rows.find(({ quantiles }) => quantiles !== undefined);
  if (row?.quantiles === undefined) return undefined;
  const name = (share: number): string =>
    share === 0.5 ? 'half of the orders' : `${shownPercent(share)} of the orders`;
  const bars = row.quantiles.map(
    ({ share, ms }: Quantile): Bar => ({
      name: `${name(share)} were answered within`,
      segments: [{ colour: 'reached', value: ms }],
    }),
  );
  const legend = `${row.what}: ${goalText(row)}. Each bar is the median of the rounds.`;
  return barPlot('How long orders take that come at a fixed rate, in ms', bars, [
    text(MARGIN, 52, legend, { colour: 'muted' }),
  ]);
}

function shownPercent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

// Shared --------------------------------------------------------------------------------------------------------------

function barPlot(title: string, bars: readonly Bar[], legend: readonly string[]): string | undefined {
  if (bars.length === 0) return undefined;
  const totals = bars.map(({ segments }) => segments.reduce((sum, { value }) => sum + value, 0));
  // Room for the number behind the longest.
  const scale = (RIGHT - LEFT - 40) / Math.max(...totals);
  const drawn = bars.flatMap(({ name, segments }, index) => {
    const y = TOP + index * BAR_ROW;
    let x = LEFT;
    const parts = segments.map(({ colour, value }) => {
      const part = bar(x, y, value * scale, BAR, colour);
      x += value * scale;
      return part;
    });
    return [
      text(LEFT - 10, y + 13, name, { anchor: 'end' }),
      ...parts,
      text(x + 8, y + 13, shown(totals[index] ?? Number.NaN), { colour: 'muted' }),
    ];
  });
  return picture(title, TOP + bars.length * BAR_ROW + MARGIN / 2, [
    text(MARGIN, 32, title, { size: 'title' }),
    ...legend,
    line([LEFT, TOP - 6], [LEFT, TOP + bars.length * BAR_ROW - 8], 'grid'),
    ...drawn,
  ]);
}
