/** What lies on the plane: its centre and its sides in millimetres from the area's upper left corner, turned clockwise. */
export type Box = {
  readonly x: number;
  readonly y: number;
  readonly widthMm: number;
  readonly heightMm: number;
  readonly degrees: number;
};

export type Point = { readonly x: number; readonly y: number };

/** Which corner or side is pulled: -1 is left or top, 1 is right or bottom, 0 is neither. */
export type Grip = { readonly sx: -1 | 0 | 1; readonly sy: -1 | 0 | 1 };

/** The straight lines that things snap to: `xs` are upright, `ys` level. */
export type Lines = { readonly xs: readonly number[]; readonly ys: readonly number[] };

const NO_LINES: Lines = { xs: [], ys: [] };
const QUARTER = 90;
/** A turn snaps to multiples of this, when it comes this near. */
const TURN_STEP = 15;
const TURN_NEAR = 3;

/** The upright box around a turned one. */
export function boundsOf({ x, y, widthMm, heightMm, degrees }: Box): {
  left: number;
  top: number;
  right: number;
  bottom: number;
} {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const halfWidth = (widthMm * cos + heightMm * sin) / 2;
  const halfHeight = (widthMm * sin + heightMm * cos) / 2;
  return { left: x - halfWidth, top: y - halfHeight, right: x + halfWidth, bottom: y + halfHeight };
}

/** The edges and the centre of boxes, as lines to snap to. */
export function linesOf(boxes: readonly Box[]): Lines {
  return boxes.reduce<Lines>((lines, box) => {
    const { left, top, right, bottom } = boundsOf(box);
    return { xs: [...lines.xs, left, box.x, right], ys: [...lines.ys, top, box.y, bottom] };
  }, NO_LINES);
}

/** What a gesture made of a box, and the lines that it snapped to. */
export type Snapped = { readonly box: Box; readonly lines: Lines };

/** Moves a box; its edges and its centre snap to lines that are at most `nearMm` away. */
export function moveBox(box: Box, by: Point, lines: Lines, nearMm: number): Snapped {
  const moved = { ...box, x: box.x + by.x, y: box.y + by.y };
  const { left, top, right, bottom } = boundsOf(moved);
  const across = nearest([left, moved.x, right], lines.xs, nearMm);
  const down = nearest([top, moved.y, bottom], lines.ys, nearMm);
  return {
    box: { ...moved, x: moved.x + (across?.by ?? 0), y: moved.y + (down?.by ?? 0) },
    lines: { xs: across === undefined ? [] : [across.line], ys: down === undefined ? [] : [down.line] },
  };
}

function nearest(
  edges: readonly number[],
  lines: readonly number[],
  nearMm: number,
): { line: number; by: number } | undefined {
  const found = edges
    .flatMap((edge) => lines.map((line) => ({ line, by: line - edge })))
    .filter(({ by }) => Math.abs(by) <= nearMm);
  return found.toSorted((a, b) => Math.abs(a.by) - Math.abs(b.by))[0];
}

export type Limits = { readonly minMm: number; readonly maxMm: number };

/**
 * Pulls a corner or a side of a box to a point; the opposite one stays where it is.
 * `keepsRatio` keeps the shape. Upright boxes snap to lines that are at most `nearMm` away.
 */
export function pullBox(
  box: Box,
  { sx, sy }: Grip,
  to: Point,
  { keepsRatio, minMm, maxMm, lines, nearMm }: Limits & { keepsRatio: boolean; lines: Lines; nearMm: number },
): Snapped {
  const isUpright = box.degrees % QUARTER === 0 && box.degrees % (2 * QUARTER) === 0;
  const xs = isUpright && sx !== 0 ? nearest([to.x], lines.xs, nearMm) : undefined;
  const ys = isUpright && sy !== 0 ? nearest([to.y], lines.ys, nearMm) : undefined;
  const anchor = fromBox(box, { x: (-sx * box.widthMm) / 2, y: (-sy * box.heightMm) / 2 });
  const snapped = { x: xs?.line ?? to.x, y: ys?.line ?? to.y };
  const pulled = turned({ x: snapped.x - anchor.x, y: snapped.y - anchor.y }, -box.degrees);
  const wanted = { width: pulled.x * sx, height: pulled.y * sy };
  let size = {
    width: sx === 0 ? box.widthMm : clamp(wanted.width, minMm, maxMm),
    height: sy === 0 ? box.heightMm : clamp(wanted.height, minMm, maxMm),
  };
  if (keepsRatio) {
    const factor = ratioOf(box, { sx, sy }, wanted, { across: xs !== undefined, down: ys !== undefined });
    const low = minMm / Math.min(box.widthMm, box.heightMm);
    const high = maxMm / Math.max(box.widthMm, box.heightMm);
    const kept = clamp(factor, low, Math.max(low, high));
    size = { width: box.widthMm * kept, height: box.heightMm * kept };
  }
  const half = turned({ x: (sx * size.width) / 2, y: (sy * size.height) / 2 }, box.degrees);
  return {
    box: { ...box, x: anchor.x + half.x, y: anchor.y + half.y, widthMm: size.width, heightMm: size.height },
    lines: { xs: xs === undefined ? [] : [xs.line], ys: ys === undefined ? [] : [ys.line] },
  };
}

/** The factor of a pull that keeps the shape: by the side that snapped, or else along the diagonal. */
function ratioOf(
  { widthMm, heightMm }: Box,
  { sx, sy }: Grip,
  { width, height }: { width: number; height: number },
  snapped: { across: boolean; down: boolean },
): number {
  if (sy === 0 || (snapped.across && sx !== 0)) return width / widthMm;
  if (sx === 0 || snapped.down) return height / heightMm;
  return (width * widthMm + height * heightMm) / (widthMm ** 2 + heightMm ** 2);
}

/** Turns a box so that its upper side faces a point; near a multiple of 15 degrees, or with `isStepped`, to that. */
export function turnBox(box: Box, to: Point, isStepped: boolean): Box {
  const exact = (Math.atan2(to.y - box.y, to.x - box.x) * 180) / Math.PI + QUARTER;
  const step = Math.round(exact / TURN_STEP) * TURN_STEP;
  const degrees = isStepped || Math.abs(exact - step) <= TURN_NEAR ? step : Math.round(exact * 10) / 10;
  return { ...box, degrees: wrapped(degrees) };
}

/** Degrees from above -180 to 180. */
export function wrapped(degrees: number): number {
  const turn = ((degrees % 360) + 360) % 360;
  return turn > 180 ? turn - 360 : turn;
}

/** Makes a box larger or smaller about its centre. */
export function scaleBox(box: Box, factor: number, { minMm, maxMm }: Limits): Box {
  const low = minMm / Math.min(box.widthMm, box.heightMm);
  const high = Math.max(low, maxMm / Math.max(box.widthMm, box.heightMm));
  const kept = clamp(factor, low, high);
  return { ...box, widthMm: box.widthMm * kept, heightMm: box.heightMm * kept };
}

/** A point of the box's own upright plane, from its centre, as a point of the area. */
export function fromBox(box: Box, point: Point): Point {
  const { x, y } = turned(point, box.degrees);
  return { x: box.x + x, y: box.y + y };
}

function turned({ x, y }: Point, degrees: number): Point {
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)];
  return { x: x * cos - y * sin, y: x * sin + y * cos };
}

function clamp(value: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, value));
}
