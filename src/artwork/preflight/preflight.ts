import { quoted } from '../../lib/errors.ts';
import type { Template } from '../image-pool.ts';
import type { ImageReport } from '../inspect.ts';
import { geometryOf, type Position } from '../place.ts';
import { shareOutside } from './share-outside.ts';

/** What is known of an image; a report of long ago lacks some of it, and nothing is said about that. */
export type ArtworkFacts = Pick<ImageReport, 'widthPx' | 'heightPx'> &
  Partial<Pick<ImageReport, 'hasAlpha' | 'colourSpace' | 'iccProfile' | 'isWideGamut' | 'edgeColour'>>;

/** A print area, and what is printed on it by which method. */
export type PrintSpot = {
  readonly printArea: string;
  readonly template: Template;
  /** The least dots per inch that the method prints well. */
  readonly minDpi: number;
  /** The colour of what is printed on, as `#rrggbb`; undefined when it is not known. */
  readonly ground: string | undefined;
};

/** Something about artwork that will not print as it looks. The caller is warned and decides. */
export type Remark = {
  readonly code:
    | 'clipped'
    | 'opaque_background'
    | 'colour_converted'
    | 'low_resolution'
    | 'upscaled'
    | 'outside_safe_zone';
  readonly message: string;
};

/** How artwork will print: the size on the product, the dots per inch, the share that is cut off. */
export type PrintReport = {
  readonly widthMm: number;
  readonly heightMm: number;
  readonly dpi: number;
  readonly shareOutside: number;
};

const MM_PER_INCH = 25.4;
/** Less than a hundredth is a bleed, or the rounding of an editor. */
const CLIPPED_MIN = 0.01;
/** Enlarged by less, a print looks like one of the area's own pixels. */
const ENLARGED_MAX = 1.25;
/** Of 255: a colour with no channel below is white. */
const WHITE_MIN = 240;
/** Of 255: a background this near to the product's colour in every channel is not seen as a box. */
const SAME_COLOUR_MAX = 32;

/** Reports how an image prints at a position of a print area, by the geometry of the renderer. */
export function printReport(artwork: ArtworkFacts, template: Template, position: Position): PrintReport {
  const { factor } = geometryOf(artwork, template, position);
  const millimetres = (px: number): number => Math.round((px * factor * MM_PER_INCH * 10) / template.dpi) / 10;
  return {
    widthMm: millimetres(artwork.widthPx),
    heightMm: millimetres(artwork.heightPx),
    dpi: Math.round(template.dpi / factor),
    shareOutside: shareOutside(artwork, template, position),
  };
}

/** What is to be said about an image at a position of a print area, colours included. */
export function printRemarks(artwork: ArtworkFacts, spot: PrintSpot, position: Position): Remark[] {
  const report = printReport(artwork, spot.template, position);
  return [
    ...resolutionRemarks(report.dpi, spot),
    ...clippedRemarks(report.shareOutside, spot),
    ...backgroundRemarks(artwork, spot),
    ...colourRemarks(artwork, spot.printArea),
  ];
}

/** At most one of the two: what is softer than the method needs, or else what is only enlarged. */
export function resolutionRemarks(dpi: number, { printArea, template, minDpi }: Omit<PrintSpot, 'ground'>): Remark[] {
  // A template that is coarser than its method asks for no more than it has.
  const needed = Math.min(minDpi, template.dpi);
  if (dpi < needed) {
    const message = `The artwork for ${printArea} prints at ${dpi} dpi; below ${needed} it looks soft.`;
    return [{ code: 'low_resolution', message }];
  }
  if (dpi * ENLARGED_MAX >= template.dpi) return [];
  const times = Math.round((10 * template.dpi) / dpi) / 10;
  const message = `The artwork for ${printArea} is enlarged ${times} times, from ${dpi} to ${template.dpi} dpi.`;
  return [{ code: 'upscaled', message: `${message} More pixels print sharper.` }];
}

function clippedRemarks(share: number, { printArea }: PrintSpot): Remark[] {
  if (share < CLIPPED_MIN) return [];
  // Never 100 %: some of it is seen.
  const percent = Math.min(99, Math.round(100 * share));
  const message = `${percent} % of the artwork for ${printArea} lies outside the print area and is not printed.`;
  return [{ code: 'clipped', message }];
}

/** A photograph may fill its area; the mistake is one colour all around that the product does not have. */
function backgroundRemarks({ edgeColour }: ArtworkFacts, { printArea, ground }: PrintSpot): Remark[] {
  if (edgeColour === undefined || edgeColour === null || ground === undefined) return [];
  const on = channelsOf(ground);
  if (on.every((value) => value >= WHITE_MIN)) return [];
  if (channelsOf(edgeColour).every((value, index) => Math.abs(value - (on[index] ?? 0)) <= SAME_COLOUR_MAX)) return [];
  const box = `The artwork for ${printArea} has an opaque background of ${edgeColour}`;
  const message = `${box}, which prints as a box on ${ground}. Make the background transparent.`;
  return [{ code: 'opaque_background', message }];
}

/** What is to be said about the colours of an image, on a print area or on whatever it may be printed. */
export function colourRemarks(
  { colourSpace, isWideGamut, iccProfile }: ArtworkFacts,
  printArea: string | undefined,
): Remark[] {
  const artwork = printArea === undefined ? 'The artwork' : `The artwork for ${printArea}`;
  if (colourSpace === 'cmyk') {
    return [
      { code: 'colour_converted', message: `${artwork} is CMYK. It is converted to sRGB; its colours can shift.` },
    ];
  }
  if (isWideGamut !== true) return [];
  const profile =
    iccProfile === null || iccProfile === undefined ? 'a colour profile' : `the profile ${quoted(iccProfile)}`;
  const message = `${artwork} has ${profile}, which is wider than sRGB. It is converted to sRGB; strong colours dull.`;
  return [{ code: 'colour_converted', message }];
}

function channelsOf(colour: string): readonly number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
