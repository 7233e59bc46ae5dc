import type { BaseProductEntry } from '../../catalogue/document.ts';
import type { Size } from '../place.ts';
import { garmentShape } from '../worker/garment-shapes.ts';
import { fittedSpot, garmentSpotOf, shownKindOf } from './garment.ts';

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
 * The outline of a blank for one of its print areas with its template's pixels.
 * The area lies where a mockup has it.
 */
export function garmentOutline(
  entry: BaseProductEntry,
  printArea: string,
  { widthPx, heightPx }: Size,
): GarmentOutline {
  const kind = shownKindOf(entry, printArea);
  const spot = garmentSpotOf(kind, printArea, { widthPx, heightPx });
  if (spot === undefined) throw new Error('a kind that shows a print area has no place for it');
  const { parts, inside = null, seams, stitches } = garmentShape(kind, spot);
  const { left, top, scale } = fittedSpot(spot, { width: widthPx, height: heightPx });
  const area = { left, top, width: widthPx * scale, height: heightPx * scale };
  return { parts, inside, lines: [...seams, ...stitches], area };
}
