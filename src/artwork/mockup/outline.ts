import type { Size } from '../place.ts';
import { garmentShape } from '../worker/garment-shapes.ts';
import { garmentKindOf, garmentSpotOf } from './garment.ts';

/**
 * The outlines of a garment, and where a print area lies on it.
 * Paths of SVG, and all in thousandths of the side of its picture.
 */
export type GarmentOutline = {
  readonly parts: readonly string[];
  /** Filled darker; null where there is none. */
  readonly inside: string | null;
  readonly lines: readonly string[];
  readonly area: { readonly left: number; readonly top: number; readonly width: number; readonly height: number };
};

/**
 * The outline of a blank garment by its title, for one of its print areas with its template's pixels.
 * Null for what has no picture, and for an area that it does not show. The area lies where a mockup has it.
 */
export function garmentOutline(title: string, printArea: string, { widthPx, heightPx }: Size): GarmentOutline | null {
  const kind = garmentKindOf(title);
  const spot = kind && garmentSpotOf(kind, printArea);
  if (kind === undefined || spot === undefined) return null;
  const { parts, inside = null, seams, stitches } = garmentShape(kind, spot.view);
  const fit = Math.min(spot.width / widthPx, spot.height / heightPx);
  const [width, height] = [widthPx * fit, heightPx * fit];
  const area = { left: spot.left + (spot.width - width) / 2, top: spot.top, width, height };
  return { parts, inside, lines: [...seams, ...stitches], area };
}
