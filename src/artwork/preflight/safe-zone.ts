import type { Template } from '../image-pool.ts';
import { geometryOf, type Position, type Size } from '../place.ts';
import type { Remark } from './preflight.ts';

/** Of the shorter side of the area. Garments lie on the platen with a few millimetres of play. */
const SHARE = 0.05;
const MM_MAX = 10;
/** Rounding of a position is no reason to warn. */
const TOLERANCE = 0.002;

/** How far from the edges of a print area artwork should stay, in whole or half millimetres. */
export function safeMarginMm({
  width_mm,
  height_mm,
}: {
  readonly width_mm: number;
  readonly height_mm: number;
}): number {
  return Math.min(MM_MAX, Math.round(2 * SHARE * Math.min(width_mm, height_mm)) / 2);
}

/**
 * Warns of artwork that comes nearer to an edge of its area than the safe margin.
 * What reaches over an edge is clipped, and warned of as that. It is advice for the person who places it; orders are
 * not warned, since a full print is often meant.
 */
export function safeZoneRemarks(
  artwork: Size,
  { printArea, template, marginMm, widthMm }: SafeZone,
  position: Position,
): Remark[] {
  const { factor, centre, degrees } = geometryOf(artwork, template, position);
  const radians = (degrees * Math.PI) / 180;
  const [cos, sin] = [Math.abs(Math.cos(radians)), Math.abs(Math.sin(radians))];
  const halfWidth = (factor * (artwork.widthPx * cos + artwork.heightPx * sin)) / 2;
  const halfHeight = (factor * (artwork.widthPx * sin + artwork.heightPx * cos)) / 2;
  const nearest = Math.min(
    centre.x - halfWidth,
    template.widthPx - centre.x - halfWidth,
    centre.y - halfHeight,
    template.heightPx - centre.y - halfHeight,
  );
  const slack = TOLERANCE * template.widthPx;
  const marginPx = (marginMm * template.widthPx) / widthMm;
  if (nearest < -slack || nearest >= marginPx - slack) return [];
  const message = `The artwork for ${printArea} comes within ${marginMm} mm of the edge of the print area.`;
  return [{ code: 'outside_safe_zone', message: `${message} A garment can lie a little off its place.` }];
}

type SafeZone = {
  readonly printArea: string;
  readonly template: Template;
  readonly marginMm: number;
  readonly widthMm: number;
};
