import { geometryOf, type Point, type Position, type Size } from '../place.ts';

/** Less is the rounding of an editor that filled the area. */
const SHARE_MIN = 1e-9;

/**
 * How much of the placed artwork lies outside its print area and is cut off: from 0 to 1, by area.
 * The geometry is the renderer's (`placeArtwork`), without its rounding to pixels. Takes the size of the upright
 * artwork.
 */
export function shareOutside(artwork: Size, canvas: Size, position: Position): number {
  const placed = placedCorners(artwork, canvas, position);
  // Most artwork lies inside, and an order has up to 20,000 prints.
  if (placed.every(({ x, y }) => x >= 0 && y >= 0 && x <= canvas.widthPx && y <= canvas.heightPx)) return 0;
  const whole = areaOf(placed);
  const share = 1 - areaOf(cutToCanvas(placed, canvas)) / whole;
  return share < SHARE_MIN ? 0 : Math.min(1, share);
}

function placedCorners(artwork: Size, canvas: Size, position: Position): readonly Point[] {
  const { factor, centre, degrees } = geometryOf(artwork, canvas, position);
  const cos = Math.cos((degrees * Math.PI) / 180);
  const sin = Math.sin((degrees * Math.PI) / 180);
  const right = (artwork.widthPx * factor) / 2;
  const below = (artwork.heightPx * factor) / 2;
  // Clockwise as it is seen: y grows downwards.
  return [
    [-right, -below],
    [right, -below],
    [right, below],
    [-right, below],
  ].map(([x = 0, y = 0]) => ({ x: centre.x + cos * x - sin * y, y: centre.y + sin * x + cos * y }));
}

/** The part of a convex polygon on the canvas, cut by each side in turn (Sutherland and Hodgman). */
function cutToCanvas(polygon: readonly Point[], { widthPx, heightPx }: Size): readonly Point[] {
  const inside: readonly ((point: Point) => number)[] = [
    ({ x }) => x,
    ({ x }) => widthPx - x,
    ({ y }) => y,
    ({ y }) => heightPx - y,
  ];
  return inside.reduce(cutBySide, polygon);
}

/** The part of a polygon where `inside` is not negative. */
function cutBySide(polygon: readonly Point[], inside: (point: Point) => number): readonly Point[] {
  return polygon.flatMap((to, index) => {
    const from = polygon.at(index - 1) ?? to;
    const [before, after] = [inside(from), inside(to)];
    const kept = after >= 0 ? [to] : [];
    if (before >= 0 === after >= 0) return kept;
    const at = before / (before - after);
    return [{ x: from.x + at * (to.x - from.x), y: from.y + at * (to.y - from.y) }, ...kept];
  });
}

/** The area of a polygon, by the shoelace formula. */
function areaOf(polygon: readonly Point[]): number {
  const doubled = polygon.reduce((sum, to, index) => {
    const from = polygon.at(index - 1) ?? to;
    return sum + from.x * to.y - to.x * from.y;
  }, 0);
  return Math.abs(doubled) / 2;
}
