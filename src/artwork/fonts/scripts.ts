/**
 * Scripts by their names in Unicode, which are those of its property `Script`.
 * Letters of the first nine come from families that a template may name. Those of the others have a face each, to
 * which a text of any family falls back.
 */
export const BUNDLED_SCRIPTS = [
  'Latin',
  'Cyrillic',
  'Greek',
  'Devanagari',
  'Arabic',
  'Han',
  'Hiragana',
  'Katakana',
  'Hebrew',
  'Armenian',
  'Georgian',
  'Ethiopic',
  'Bengali',
  'Gujarati',
  'Gurmukhi',
  'Kannada',
  'Malayalam',
  'Oriya',
  'Sinhala',
  'Tamil',
  'Telugu',
  'Khmer',
  'Lao',
  'Myanmar',
  'Thai',
] as const;

/** Scripts whose fonts are packages that a print shop adds, since few need them or they are large. */
export const PACKAGED_SCRIPTS = ['Hangul', 'Tibetan', 'Cherokee', 'Javanese', 'Syriac', 'Thaana'] as const;

export type Script = (typeof BUNDLED_SCRIPTS)[number] | (typeof PACKAGED_SCRIPTS)[number];

const PATTERNS = [...BUNDLED_SCRIPTS, ...PACKAGED_SCRIPTS].map((script): [Script, RegExp] => [
  script,
  new RegExp(`\\p{Script=${script}}`, 'u'),
]);

/** The script of a character, base and marks together; undefined for signs and other scripts. */
export function scriptOf(cluster: string): Script | undefined {
  return PATTERNS.find(([, pattern]) => pattern.test(cluster))?.[0];
}
