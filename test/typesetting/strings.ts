import { BUNDLED_FAMILIES, type BundledFamily } from '../../src/artwork/fonts/families.ts';
import { BUNDLED_SCRIPTS, type Script } from '../../src/artwork/fonts/scripts.ts';
import { facesOfText } from '../../src/artwork/worker/font-faces.ts';
import { clustersOf } from '../../src/lib/text/layout.ts';
import { SENTENCES } from './samples.ts';

/** A text to set, in the family of its layer. */
export type Sample = { readonly family: BundledFamily; readonly text: string };

type Random = () => number;

/** Numbers from 0 to 1 that are the same in every run (mulberry32). */
export function seeded(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const FAMILIES = Object.keys(BUNDLED_FAMILIES) as BundledFamily[];
const LATIN_WORDS =
  'AVATAR Type Wave office fluffy affix fjord Łódź źdźbło Ærø Straße Ñandú Đặng Žofie coup’d’œil “1987” №7 (R&B) Yes! Tö.'.split(
    ' ',
  );
const MIXED_WORDS = [
  'שלום',
  'עולם',
  'مرحبا',
  'سلام',
  'abc',
  'Café',
  '2026',
  '(12)',
  '[a]',
  '٣٤',
  '-5',
  '50%',
  '£3',
  '!',
  'שָׁלוֹם',
];

/** As many texts as are asked for, of every script, every family and both directions mixed, without repeats. */
export function generateSamples(count: number, random: Random): readonly Sample[] {
  const samples = new Map<string, Sample>();
  const makers = [
    ...BUNDLED_SCRIPTS.flatMap((script) => [
      (): Sample => ({ family: 'Noto Sans', text: fromSentence(script, random) }),
      (): Sample => ({ family: 'Noto Sans', text: fromAlphabet(script, random) }),
    ]),
    ...FAMILIES.map((family) => (): Sample => ({ family, text: join(LATIN_WORDS, ' ', random) })),
    ...FAMILIES.slice(0, 5).map((family) => (): Sample => ({ family, text: join(MIXED_WORDS, ' ', random) })),
  ];
  for (let at = 0; samples.size < count; at += 1) {
    const { family, text } = makers[at % makers.length]?.() ?? { family: 'Noto Sans', text: '' };
    const composed = text.normalize('NFC').trim();
    if (composed === '' || facesOfText(family, composed, []).missing.length > 0) continue;
    samples.set(`${family} ${composed}`, { family, text: composed });
  }
  return [...samples.values()];
}

/** A few words that follow each other, or as many characters where words are not divided by spaces. */
function fromSentence(script: Script, random: Random): string {
  const sentence = pick(
    SENTENCES.filter(([, of]) => of === script).map(([, , text]) => text),
    random,
  );
  const spaced = sentence.split(' ');
  const parts = spaced.length > 3 ? spaced : clustersOf(sentence);
  const start = Math.floor(random() * parts.length);
  return parts.slice(start, start + 1 + Math.floor(random() * 6)).join(parts === spaced ? ' ' : '');
}

/** Letters of a script at random with its marks, most of which nobody wrote before. */
function fromAlphabet(script: Script, random: Random): string {
  const { letters, marks, digits } = alphabetOf(script);
  return Array.from({ length: 1 + Math.floor(random() * 7) }, () => {
    if (random() < 0.08) return digits.length > 0 ? pick(digits, random) : ' ';
    const mark = marks.length > 0 && random() < 0.5 ? pick(marks, random) : '';
    const second = marks.length > 0 && random() < 0.1 ? pick(marks, random) : '';
    return pick(letters, random) + mark + second;
  }).join('');
}

type Alphabet = {
  readonly letters: readonly string[];
  readonly marks: readonly string[];
  readonly digits: readonly string[];
};
const alphabets = new Map<Script, Alphabet>();
/** Beyond it are the ideographs of rare names only, which Han begins below. */
const LAST_CODE = 0xffff;

function alphabetOf(script: Script): Alphabet {
  const known = alphabets.get(script);
  if (known !== undefined) return known;
  const pattern = new RegExp(`\\p{Script=${script}}`, 'u');
  const characters = Array.from({ length: LAST_CODE }, (_, code) => String.fromCodePoint(code)).filter(
    (character) => pattern.test(character) && facesOfText('Noto Sans', character, []).missing.length === 0,
  );
  const only = (kind: RegExp): readonly string[] => characters.filter((character) => kind.test(character));
  const alphabet = { letters: only(/\p{L}/u), marks: only(/\p{M}/u), digits: only(/\p{Nd}/u) };
  alphabets.set(script, alphabet);
  return alphabet;
}

function join(words: readonly string[], between: string, random: Random): string {
  return Array.from({ length: 1 + Math.floor(random() * 5) }, () => pick(words, random)).join(between);
}

function pick<Value>(values: readonly Value[], random: Random): Value {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined) throw new Error('nothing to choose from');
  return value;
}
