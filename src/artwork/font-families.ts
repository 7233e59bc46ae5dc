/**
 * The font families that a template may name.
 * `font-faces.ts` finds their faces, in an image child only.
 */
export const FONT_FAMILIES = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans JP', 'Oswald', 'Pacifico'] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];

/** Whether a family of this name exists. Names are compared exactly and are never part of a path. */
export function isFontFamily(name: string): name is FontFamily {
  return FONT_FAMILIES.some((family) => family === name);
}
