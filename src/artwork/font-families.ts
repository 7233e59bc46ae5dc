/** The font families that a template may name. Their faces are found by `font-faces.ts`, in an image child only. */
export const FONT_FAMILIES = ['Noto Sans', 'Noto Sans Arabic', 'Noto Sans JP', 'Oswald', 'Pacifico'] as const;
export type FontFamily = (typeof FONT_FAMILIES)[number];

/**
 * Whether a name is that of a family which is here.
 *
 * Names are compared exactly and are never part of a path.
 */
export function isFontFamily(name: string): name is FontFamily {
  return FONT_FAMILIES.some((family) => family === name);
}
