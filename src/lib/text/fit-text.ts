import { directionOf, fillLines, lineHeightOf, type MeasuredPart, partsOf, type TextDirection } from './layout.ts';

/** What a line of text measures at a size, in fractions of that size. */
export type LineMetrics = {
  /** How far it moves the pen. */
  readonly advance: number;
  /** Of its ink, from the start of the pen: to the left (negative) and to the right. */
  readonly inkLeft: number;
  readonly inkRight: number;
  /** Of its ink, from the baseline: above and below. */
  readonly inkAbove: number;
  readonly inkBelow: number;
};

/**
 * The faces that draw a text, as the drawing library has them.
 * They are proportional to the size, as outlines are.
 */
export type TextMetrics = {
  readonly measure: (line: string, direction: TextDirection) => LineMetrics;
  /**
   * The common reach of letters above and below the baseline.
   * For the layer's family, in fractions of the size.
   */
  readonly ascent: number;
  readonly descent: number;
};

export type TextToFit = {
  readonly text: string;
  readonly align: 'left' | 'centre' | 'right';
  readonly widthPx: number;
  readonly heightPx: number;
  readonly sizePx: { readonly min: number; readonly max: number };
};

export type FittedText = { readonly sizePx: number; readonly lines: readonly PlacedLine[] };

/** A line with the start of its pen and its ink, in pixels of the box, y downwards. */
export type PlacedLine = {
  readonly text: string;
  readonly direction: TextDirection;
  readonly x: number;
  readonly baseline: number;
  readonly ink: { readonly left: number; readonly top: number; readonly right: number; readonly bottom: number };
};

/** How far measuring in whole units of a reference size may be off. */
const TOLERANCE_PX = 1;

/**
 * Lays a text into a box at the largest whole size of its range at which it fits.
 * It is broken between words where that helps, never inside one, and no ink lies outside the box. The
 * block is centred vertically; equal sizes have equal baselines, whatever the letters. Undefined when
 * the text does not fit at the smallest size.
 */
export function fitText(text: TextToFit, metrics: TextMetrics): FittedText | undefined {
  const paragraphs = text.text.split('\n').map((line) => readParagraph(line, metrics));
  const measured = rememberLines(metrics);
  const at = (sizePx: number): FittedText | undefined => layAt(text, paragraphs, measured, metrics, sizePx);

  const largest = at(text.sizePx.max);
  if (largest !== undefined) return largest;
  let best = at(text.sizePx.min);
  let [fits, tooLarge] = [text.sizePx.min, text.sizePx.max];
  while (best !== undefined && tooLarge - fits > 1) {
    const middle = (fits + tooLarge) >> 1;
    const layout = at(middle);
    if (layout === undefined) tooLarge = middle;
    else [best, fits] = [layout, middle];
  }
  return best;
}

/** Whether a text fits its box at the smallest size. */
export function doesTextFit(text: TextToFit, metrics: TextMetrics): boolean {
  return fitText({ ...text, sizePx: { min: text.sizePx.min, max: text.sizePx.min } }, metrics) !== undefined;
}

type Paragraph = { readonly direction: TextDirection; readonly parts: readonly MeasuredPart[] };
type Line = { readonly text: string; readonly direction: TextDirection };
type MeasureLine = (line: Line) => LineMetrics;

function readParagraph(line: string, { measure }: TextMetrics): Paragraph {
  const direction = directionOf(line);
  const parts = partsOf(line.trim()).map((part) => ({
    ...part,
    advance: measure(part.text, direction).advance,
    spaceAdvance: part.space === '' ? 0 : measure(part.space, direction).advance,
  }));
  return { direction, parts };
}

function rememberLines({ measure }: TextMetrics): MeasureLine {
  const known = new Map<string, LineMetrics>();
  return ({ text, direction }) => {
    const key = `${direction} ${text}`;
    const metrics = known.get(key) ?? measure(text, direction);
    known.set(key, metrics);
    return metrics;
  };
}

function layAt(
  text: TextToFit,
  paragraphs: readonly Paragraph[],
  measure: MeasureLine,
  { ascent, descent }: TextMetrics,
  sizePx: number,
): FittedText | undefined {
  const lines = paragraphs.flatMap((paragraph) => breakEvenly(paragraph, text.widthPx / sizePx));
  const pitch = lineHeightOf(text.text) * sizePx;
  if (lines.length * pitch > text.heightPx) return undefined;
  const top = (text.heightPx - lines.length * pitch) / 2;
  const placed = lines.map((line, index) => {
    const baseline = top + index * pitch + (pitch + (ascent - descent) * sizePx) / 2;
    return placeLine(line, measure(line), text, sizePx, baseline);
  });
  const isInside = ({ ink }: PlacedLine): boolean =>
    ink.left >= -TOLERANCE_PX &&
    ink.top >= -TOLERANCE_PX &&
    ink.right <= text.widthPx + TOLERANCE_PX &&
    ink.bottom <= text.heightPx + TOLERANCE_PX;
  return placed.every(isInside) ? { sizePx, lines: placed } : undefined;
}

/**
 * The fewest lines that the width allows, and of all ways to have so few the one whose longest line is
 * the shortest.
 */
function breakEvenly(paragraph: Paragraph, width: number): Line[] {
  let best = breakLines(paragraph, width);
  let [tooNarrow, fits] = [0, width];
  for (let step = 0; step < BALANCING_STEPS && best.length > 1; step += 1) {
    const middle = (tooNarrow + fits) / 2;
    const lines = breakLines(paragraph, middle);
    if (lines.length > best.length) tooNarrow = middle;
    else [best, fits] = [lines, middle];
  }
  return best;
}

/** To a thousandth of the width. */
const BALANCING_STEPS = 10;

function breakLines({ direction, parts }: Paragraph, width: number): Line[] {
  return fillLines(parts, width).map((line) => ({ text: textOf(line), direction }));
}

/** Without the space at its end. */
function textOf(line: readonly MeasuredPart[]): string {
  return line.map(({ text, space }, index) => (index === line.length - 1 ? text : text + space)).join('');
}

/**
 * Places a line.
 * The pen or the ink, whichever reaches further, decides the width; centred text is centred by the
 * pen.
 */
function placeLine(
  line: Line,
  metrics: LineMetrics,
  { align, widthPx }: TextToFit,
  sizePx: number,
  baseline: number,
): PlacedLine {
  const low = Math.min(0, metrics.inkLeft) * sizePx;
  const high = Math.max(metrics.advance, metrics.inkRight) * sizePx;
  const leftmost = 0 - low;
  const rightmost = widthPx - high;
  const wanted = { left: leftmost, centre: (widthPx - metrics.advance * sizePx) / 2, right: rightmost }[align];
  const x = Math.max(leftmost, Math.min(rightmost, wanted));
  return {
    ...line,
    x,
    baseline,
    ink: {
      left: x + low,
      top: baseline - metrics.inkAbove * sizePx,
      right: x + high,
      bottom: baseline + metrics.inkBelow * sizePx,
    },
  };
}
