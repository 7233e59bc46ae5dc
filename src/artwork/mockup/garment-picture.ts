import { OUTLINES } from '../../catalogue/document.ts';
import { type GarmentShape, outlinedShape, panelShape } from '../worker/garment-shapes.ts';
import type { GarmentKind, GarmentView, OutlinedKind } from './garment.ts';

/** The side of a picture in the units of its outlines. */
const UNITS = 1_000;
const WALL = '#f1f0ec';
/** Of 255: a colour with less light has its seams and folds in a lighter one. */
const DARK_MAX = 96;

type Drawn = { readonly view: GarmentView; readonly colourHex: string };

/**
 * A garment without a print, from one side, in a colour (`#rrggbb`).
 * A panel has the size of a print area.
 */
export type BlankGarment =
  | (Drawn & { readonly kind: OutlinedKind })
  | (Drawn & { readonly kind: 'panel'; readonly panel: PanelSize });
type PanelSize = { readonly widthMm: number; readonly heightMm: number };

/** The address of the picture of a blank garment. It holds nothing of an account, so it is not signed. */
export function garmentUrl(
  baseUrl: string,
  { kind, view, colourHex, panel }: Drawn & { readonly kind: GarmentKind; readonly panel: PanelSize },
): string {
  const size = kind === 'panel' ? `-${panel.widthMm}x${panel.heightMm}` : '';
  return `${baseUrl}/garments/${kind}-${view}-${colourHex.slice(1).toLowerCase()}${size}.svg`;
}

/** The garment of the last part of such an address; undefined for any other text. */
export function readGarmentName(name: string): BlankGarment | undefined {
  const [, of = '', side = '', hex = '', width, height] =
    /^([a-z]+)-(front|back)-([0-9a-f]{6})(?:-([1-9][0-9]{0,3})x([1-9][0-9]{0,3}))?\.svg$/.exec(name) ?? [];
  const kind = OUTLINES.find((one) => one === of);
  const drawn: Drawn = { view: side === 'back' ? 'back' : 'front', colourHex: `#${hex}` };
  if (kind === 'panel') {
    if (width === undefined || height === undefined) return undefined;
    return { ...drawn, kind, panel: { widthMm: Number(width), heightMm: Number(height) } };
  }
  return kind === undefined || width !== undefined ? undefined : { ...drawn, kind };
}

/**
 * Draws a garment without a print as SVG, by the outlines of the mockups.
 * It stands behind the artwork while a person places it; the mockup itself is drawn by the code of print files.
 */
export function garmentSvg(garment: BlankGarment): string {
  const { colourHex } = garment;
  const shape = shapeOf(garment);
  const isDark = lightOf(colourHex) < DARK_MAX;
  const ink = isDark ? '#ffffff' : '#000000';
  const lines = (paths: readonly string[], width: number, strength: number): string[] =>
    paths.map(
      (path) => `<path d="${path}" fill="none" stroke="${ink}" stroke-width="${width}" stroke-opacity="${strength}"/>`,
    );
  const parts = shape.parts.map(
    (path) => `<path d="${path}" fill="${colourHex}" stroke="${ink}" stroke-width="1.8" stroke-opacity="0.22"/>`,
  );
  const inside =
    shape.inside === undefined
      ? []
      : [
          `<path d="${shape.inside}" fill="${colourHex}"/><path d="${shape.inside}" fill="#000000" fill-opacity="0.3"/>`,
        ];
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${UNITS} ${UNITS}" width="${UNITS}" height="${UNITS}">`,
    `<rect width="${UNITS}" height="${UNITS}" fill="${WALL}"/>`,
    ...parts,
    ...inside,
    ...lines(shape.folds, 14, 0.05),
    ...lines(shape.seams, 3, 0.24),
    ...lines(shape.stitches, 1.6, 0.18),
    '</svg>',
  ].join('');
}

function shapeOf(garment: BlankGarment): GarmentShape {
  if (garment.kind !== 'panel') return outlinedShape(garment.kind, garment.view);
  const { widthMm, heightMm } = garment.panel;
  return panelShape({ widthPx: widthMm, heightPx: heightMm });
}

function lightOf(colour: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
  return 0.299 * red + 0.587 * green + 0.114 * blue;
}
