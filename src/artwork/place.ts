/**
 * Where artwork goes on a print area: spec 2.3, `position`.
 * Fractions of the area, a multiplier, degrees clockwise.
 */
export type Position = { readonly x: number; readonly y: number; readonly scale: number; readonly rotation: number };

export type Size = { readonly widthPx: number; readonly heightPx: number };

export type Rectangle = {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
};

/** How to make the canvas from the artwork. All whole pixels but the fields of `Sampling`. */
export type Placement =
  /** No pixel of the artwork lies on the canvas. */
  | { readonly kind: 'nothing' }
  /** Sides stay parallel: crop the artwork, turn and resize it, cut it, and lay it on the canvas. */
  | {
      readonly kind: 'parallel';
      /** Of the artwork after the turn. */
      readonly crop: Rectangle;
      readonly resized: Size;
      readonly cut: Rectangle;
      readonly leftPx: number;
      readonly topPx: number;
      readonly turn: QuarterTurn;
    }
  /** Any angle: crop and resize the upright artwork, then look up each pixel of the canvas in that. */
  | { readonly kind: 'sampled'; readonly crop: Rectangle; readonly resized: Size; readonly sampling: Sampling };

export type QuarterTurn = 0 | 90 | 180 | 270;

/**
 * Maps a point (x, y) of the canvas to the resized crop.
 * The point is (u0 + ux x + uy y, v0 + vx x + vy y).
 */
export type Sampling = {
  readonly u0: number;
  readonly ux: number;
  readonly uy: number;
  readonly v0: number;
  readonly vx: number;
  readonly vy: number;
};

/** What is resized and held in memory as a whole has at most this many pixels, whatever the scale. */
const HELD_PX_MAX = 32_000_000;
/**
 * The largest factor.
 * Past it a single pixel of artwork covers any canvas many times over, and more changes only the
 * arithmetic.
 */
const FACTOR_MAX = 1e9;
/** Sampled artwork that is enlarged this much smoothly needs no more: nearby pixels then nearly agree. */
const ENLARGEMENT_MAX = 8;
/** Artwork around the visible part that a resize reads, in pixels of the coarser of its two sides. */
const MARGIN_PX = 4;

/**
 * Plans a print file (spec 3.2).
 * At scale 1 upright artwork just fits the area (`contain`). It is multiplied by `scale`, turned
 * clockwise about its centre, and its centre is placed at (x, y). Parts outside are not printed and
 * never computed: a plan costs no more than the canvas, whatever the scale. Takes the size of the
 * upright artwork.
 */
export function placeArtwork(artwork: Size, canvas: Size, position: Position): Placement {
  const { factor, centre, degrees } = geometryOf(artwork, canvas, position);
  const turn = quarterTurn(degrees);
  const parallel = turn === undefined ? undefined : placeParallel(artwork, canvas, factor, centre, turn);
  if (parallel !== undefined) return parallel;
  return placeSampled(artwork, canvas, factor, centre, (degrees * Math.PI) / 180);
}

/** Where artwork lies on a canvas, before anything is rounded to pixels. */
export type Geometry = {
  /** Pixels of the canvas for one of the artwork. */
  readonly factor: number;
  readonly centre: Point;
  /** Clockwise, from 0 to below 360. */
  readonly degrees: number;
};

/** The geometry of a position; what is said about a print and what is rendered agree by it. */
export function geometryOf(artwork: Size, canvas: Size, position: Position): Geometry {
  const fit = Math.min(canvas.widthPx / artwork.widthPx, canvas.heightPx / artwork.heightPx);
  return {
    factor: Math.min(fit * position.scale, FACTOR_MAX),
    centre: { x: position.x * canvas.widthPx, y: position.y * canvas.heightPx },
    degrees: ((position.rotation % 360) + 360) % 360,
  };
}

function quarterTurn(degrees: number): QuarterTurn | undefined {
  return degrees === 0 || degrees === 90 || degrees === 180 || degrees === 270 ? degrees : undefined;
}

export type Point = { readonly x: number; readonly y: number };

/**
 * Undefined when the crop would exceed what is held at once.
 * That is a large scale of few pixels, which is sampled.
 */
function placeParallel(
  artwork: Size,
  canvas: Size,
  factor: number,
  centre: Point,
  turn: QuarterTurn,
): Placement | undefined {
  const sideways = turn === 90 || turn === 270;
  const turned = sideways ? { widthPx: artwork.heightPx, heightPx: artwork.widthPx } : artwork;
  const across = placeSpan(turned.widthPx, canvas.widthPx, factor, centre.x);
  const down = placeSpan(turned.heightPx, canvas.heightPx, factor, centre.y);
  if (across === undefined || down === undefined) return { kind: 'nothing' };
  const largest = Math.max(HELD_PX_MAX, canvas.widthPx * canvas.heightPx);
  if (across.resizedLength * down.resizedLength > largest) return undefined;
  return {
    kind: 'parallel',
    crop: { left: across.cropStart, top: down.cropStart, width: across.cropLength, height: down.cropLength },
    resized: { widthPx: across.resizedLength, heightPx: down.resizedLength },
    cut: { left: across.cutStart, top: down.cutStart, width: across.cutLength, height: down.cutLength },
    leftPx: across.canvasStart,
    topPx: down.canvasStart,
    turn,
  };
}

type Span = {
  cropStart: number;
  cropLength: number;
  resizedLength: number;
  cutStart: number;
  cutLength: number;
  canvasStart: number;
};

/** One axis of `placeParallel`; undefined when nothing of it is visible. */
function placeSpan(length: number, canvasLength: number, factor: number, centre: number): Span | undefined {
  const placedLength = Math.max(1, Math.round(length * factor));
  const start = Math.round(centre - placedLength / 2);
  const visibleStart = Math.max(0, start);
  const visibleEnd = Math.min(canvasLength, start + placedLength);
  // Written so that it also holds for NaN.
  if (!(visibleEnd > visibleStart)) return undefined;

  const exact = placedLength / length;
  const margin = Math.ceil(MARGIN_PX * Math.max(1, 1 / exact));
  const isWhole = visibleEnd - visibleStart === placedLength;
  const cropStart = isWhole ? 0 : Math.max(0, Math.floor((visibleStart - start) / exact) - margin);
  const cropEnd = isWhole ? length : Math.min(length, Math.ceil((visibleEnd - start) / exact) + margin);
  const resizedStart = Math.round(cropStart * exact);
  const resizedEnd = Math.round(cropEnd * exact);
  return {
    cropStart,
    cropLength: cropEnd - cropStart,
    resizedLength: resizedEnd - resizedStart,
    cutStart: visibleStart - start - resizedStart,
    cutLength: visibleEnd - visibleStart,
    canvasStart: visibleStart,
  };
}

function placeSampled(artwork: Size, canvas: Size, factor: number, centre: Point, radians: number): Placement {
  const cos = Math.cos(radians) / factor;
  const sin = Math.sin(radians) / factor;
  // From a point of the canvas back to one of the artwork: the turn reversed about the centre.
  const across: Linear = { at0: artwork.widthPx / 2 - cos * centre.x - sin * centre.y, perX: cos, perY: sin };
  const down: Linear = { at0: artwork.heightPx / 2 + sin * centre.x - cos * centre.y, perX: -sin, perY: cos };
  const margin = Math.ceil(MARGIN_PX * Math.max(1, 1 / factor));
  const columns = visibleRange(across, canvas, artwork.widthPx, margin);
  const rows = visibleRange(down, canvas, artwork.heightPx, margin);
  if (columns === undefined || rows === undefined) return { kind: 'nothing' };

  // No finer than the canvas shows, and no larger than is held at once; the sampling enlarges the rest.
  const enlargement = Math.min(factor, ENLARGEMENT_MAX, Math.sqrt(HELD_PX_MAX / (columns.length * rows.length)));
  const resized = {
    widthPx: Math.max(1, Math.round(columns.length * enlargement)),
    heightPx: Math.max(1, Math.round(rows.length * enlargement)),
  };
  const perColumn = resized.widthPx / columns.length;
  const perRow = resized.heightPx / rows.length;
  return {
    kind: 'sampled',
    crop: { left: columns.start, top: rows.start, width: columns.length, height: rows.length },
    resized,
    sampling: {
      u0: (across.at0 - columns.start) * perColumn,
      ux: across.perX * perColumn,
      uy: across.perY * perColumn,
      v0: (down.at0 - rows.start) * perRow,
      vx: down.perX * perRow,
      vy: down.perY * perRow,
    },
  };
}

type Linear = { at0: number; perX: number; perY: number };

/** The whole pixels of the artwork, along one axis, that the canvas can show. */
function visibleRange(
  along: Linear,
  canvas: Size,
  length: number,
  margin: number,
): { start: number; length: number } | undefined {
  const corners = [0, canvas.widthPx].flatMap((x) =>
    [0, canvas.heightPx].map((y) => along.at0 + along.perX * x + along.perY * y),
  );
  const low = Math.min(...corners);
  const high = Math.max(...corners);
  if (!(low < length && high > 0)) return undefined;
  const start = Math.max(0, Math.floor(low) - margin);
  return { start, length: Math.min(length, Math.ceil(high) + margin) - start };
}
