import { installedFamilies, installedFonts, type PackagedFamily, packageOfFamily } from './font-packages.ts';
import type { Script } from './scripts.ts';

/** A family in words that help to choose one, and the scripts that it has letters of its own for. */
export type FontFamilyFacts = {
  /** Its folder in `data/fonts`. */
  readonly folder: string;
  readonly style: string;
  readonly scripts: readonly Script[];
};

const LATIN = ['Latin'] as const;
const LATIN_CYRILLIC = ['Latin', 'Cyrillic'] as const;

/** The families that come with the service and that a template may name. */
export const BUNDLED_FAMILIES = {
  'Noto Sans': { folder: 'noto-sans', style: 'sans-serif', scripts: ['Latin', 'Cyrillic', 'Greek', 'Devanagari'] },
  'Noto Sans Arabic': { folder: 'noto-sans-arabic', style: 'sans-serif', scripts: ['Latin', 'Arabic'] },
  'Noto Sans JP': {
    folder: 'noto-sans-jp',
    style: 'sans-serif',
    scripts: ['Latin', 'Han', 'Hiragana', 'Katakana'],
  },
  Oswald: { folder: 'oswald', style: 'condensed', scripts: LATIN_CYRILLIC },
  Pacifico: { folder: 'pacifico', style: 'surf script', scripts: LATIN_CYRILLIC },
  'Alfa Slab One': { folder: 'alfa-slab-one', style: 'slab serif', scripts: LATIN },
  'Archivo Black': { folder: 'archivo-black', style: 'heavy grotesque', scripts: LATIN },
  Bangers: { folder: 'bangers', style: 'comic', scripts: LATIN },
  Caveat: { folder: 'caveat', style: 'handwriting', scripts: LATIN_CYRILLIC },
  'Courier Prime': { folder: 'courier-prime', style: 'typewriter', scripts: LATIN },
  Fredoka: { folder: 'fredoka', style: 'rounded', scripts: ['Latin', 'Hebrew'] },
  Graduate: { folder: 'graduate', style: 'varsity', scripts: LATIN },
  'Great Vibes': { folder: 'great-vibes', style: 'formal script', scripts: LATIN_CYRILLIC },
  'Kaushan Script': { folder: 'kaushan-script', style: 'brush', scripts: LATIN },
  'Playfair Display': { folder: 'playfair-display', style: 'serif', scripts: LATIN_CYRILLIC },
  'Saira Stencil One': { folder: 'saira-stencil-one', style: 'stencil', scripts: LATIN },
  UnifrakturMaguntia: { folder: 'unifrakturmaguntia', style: 'blackletter', scripts: LATIN },
} as const satisfies Record<string, FontFamilyFacts>;

export type BundledFamily = keyof typeof BUNDLED_FAMILIES;

/**
 * A font family that a template may name.
 * `worker/font-faces.ts` finds its faces, in an image child only.
 */
export type FontFamily = BundledFamily | PackagedFamily;

/**
 * Whether a family of this name is here.
 * Names are compared exactly and are never part of a path.
 */
export function isFontFamily(name: string): name is FontFamily {
  return fontFamilies().some((family) => family === name);
}

/** The families that a template may name here: those of the service, then those of installed packages. */
export function fontFamilies(): readonly FontFamily[] {
  return [...(Object.keys(BUNDLED_FAMILIES) as BundledFamily[]), ...installedFamilies()];
}

/** What a family is like, if it is here. */
export function familyFacts(name: string): Pick<FontFamilyFacts, 'style' | 'scripts'> | undefined {
  if (!isFontFamily(name)) return undefined;
  const packaged = installedFonts().find(({ family }) => family === name);
  if (packaged !== undefined) return { style: 'sans-serif', scripts: ['Latin', ...packaged.scripts] };
  const bundled: Readonly<Record<string, FontFamilyFacts>> = BUNDLED_FAMILIES;
  return bundled[name];
}

/** Says that a family is not here, and which package would bring it. */
export function absentFontMessage(name: string): string {
  const brought = packageOfFamily(name);
  const cure = brought === undefined ? '' : ` The print shop can install it: ${brought.name} ${brought.version}.`;
  return `The font ${name} is not available.${cure}`;
}
