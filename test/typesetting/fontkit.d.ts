/** What the tests use of fontkit, which comes without types: a glyph's outline by its number in the font. */
declare module 'fontkit' {
  type Command = {
    readonly command: 'moveTo' | 'lineTo' | 'quadraticCurveTo' | 'bezierCurveTo' | 'closePath';
    readonly args: readonly number[];
  };
  export type Font = {
    readonly unitsPerEm: number;
    readonly numGlyphs: number;
    readonly getGlyph: (id: number) => { readonly path: { readonly commands: readonly Command[] } };
  };
  export function create(bytes: Buffer): Font;
}
