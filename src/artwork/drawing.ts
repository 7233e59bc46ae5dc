import type { Rectangle } from './place.ts';

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
