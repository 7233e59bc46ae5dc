import type { Rectangle } from './place.ts';

/**
 * How files are made. It grows when a change shows in the file: in a pixel, a font or a chunk.
 * Old files are then not reused as new ones, and a placed order keeps the version that it was placed with. Version 2
 * adds an sRGB profile to what version 1 made; version 3 takes each letter of a text from the face that has it whole.
 */
export type RecipeVersion = 1 | 2 | 3;

/** The version of the recipes of new personalised pieces, by which their texts are judged, too. */
export const NEWEST_OF_TEXTS: RecipeVersion = 3;

/** One thing to draw on a print file. Boxes are in pixels of the print area's template. */
export type Drawing = TextDrawing | PictureDrawing;

export type TextDrawing = {
  readonly kind: 'text';
  readonly box: Rectangle;
  /** Lines are divided by `\n`. */
  readonly text: string;
  /** A family of `FONT_FAMILIES`. */
  readonly font: string;
  /** `#rrggbb`; emoji have colours of their own. */
  readonly color: string;
  readonly align: 'left' | 'centre' | 'right';
  readonly sizePx: { readonly min: number; readonly max: number };
};

export type PictureDrawing = {
  readonly kind: 'picture';
  readonly box: Rectangle;
  /** `cover` fills the box and is cut at its edges; `contain` shows the whole image. Both are centred. */
  readonly fit: 'contain' | 'cover';
  readonly designHash: string;
};

/** Whether a text can be drawn, found before anything is drawn. */
export type TextVerdict =
  | { readonly kind: 'fits' }
  /** It does not fit even at its smallest size. */
  | { readonly kind: 'too_large' }
  /** Characters that no font has. */
  | { readonly kind: 'missing'; readonly characters: readonly string[] };
