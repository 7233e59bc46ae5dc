import type { TextVerdict } from '../../artwork/drawing.ts';
import { packagesToInstall } from '../../artwork/fonts/font-packages.ts';
import { scriptOf } from '../../artwork/fonts/scripts.ts';
import type { Problem } from '../../lib/errors.ts';

/**
 * Turns an input into the text that is printed, and finds what is wrong with it.
 * The result has composed characters, `\n` between lines, plain spaces for tabs, and emoji in colour even where black
 * and white was asked for (U+FE0E). It is '' when nothing would be visible. Lengths count the Unicode code points of
 * the input (decisions, "Bounds"). Control characters are refused.
 */
export function readText(
  value: string,
  lengthMax: number,
  path: string,
): { text: string; problems: readonly Problem[] } {
  const lines = value
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\t', ' ')
    .replaceAll('\ufe0e', '');
  const problems = [...lengthProblem(value, { min: 0, max: lengthMax }, path), ...controlProblems(lines, path)];
  const text = lines.normalize('NFC').trim();
  return { text: /[^\s\p{Default_Ignorable_Code_Point}]/u.test(text) ? text : '', problems };
}

/** Checks the length of a string in Unicode code points, with the messages of a schema's refusal. */
export function lengthProblem(value: string, bounds: { min: number; max: number }, path: string): Problem[] {
  const length = Array.from(value).length;
  if (length < bounds.min) return [{ path, code: 'out_of_bounds', message: 'must not be empty.' }];
  if (length <= bounds.max) return [];
  return [{ path, code: 'out_of_bounds', message: `must have at most ${bounds.max} characters.` }];
}

function controlProblems(text: string, path: string): Problem[] {
  const found = new Set(text.match(/(?!\n)\p{Cc}/gu));
  return found.size === 0 ? [] : [missingProblem([...found], path)];
}

/** Turns the fonts' verdict on a text into problems of the input at `path`. */
export function verdictProblems(verdict: TextVerdict, path: string): Problem[] {
  if (verdict.kind === 'fits') return [];
  if (verdict.kind === 'missing') return [missingProblem(verdict.characters, path)];
  const message = 'This text does not fit its box even in the smallest letters: shorten it, or break its lines.';
  return [{ path, code: 'does_not_fit', message }];
}

const CHARACTERS_NAMED = 5;
const CODE_POINTS_NAMED = 4;

function missingProblem(characters: readonly string[], path: string): Problem {
  const named = characters.slice(0, CHARACTERS_NAMED).map(nameOf).join(', ');
  const more = characters.length > CHARACTERS_NAMED ? ` and ${characters.length - CHARACTERS_NAMED} more` : '';
  return {
    path,
    code: 'unsupported_character',
    message: `No font here can print ${named}${more}. Leave it out or write it another way.${cureOf(characters)}`,
  };
}

/** The packages that would bring the scripts of some characters; '' when none is known. */
function cureOf(characters: readonly string[]): string {
  const scripts = new Set(characters.flatMap((character) => scriptOf(character) ?? []));
  return [...scripts]
    .map((script) => {
      const packages = packagesToInstall(script).map(({ name, version }) => `${name} ${version}`);
      return packages.length === 0 ? '' : ` The print shop can install a font for ${script}: ${packages.join(' or ')}.`;
    })
    .join('');
}

/** Names a character by its code points, and shows it if it is visible: `ש (U+05E9)`. */
function nameOf(character: string): string {
  const points = Array.from(character);
  const codes = points.slice(0, CODE_POINTS_NAMED).map((point) => {
    const code = (point.codePointAt(0) ?? 0).toString(16).toUpperCase();
    return `U+${code.padStart(4, '0')}`;
  });
  const isLong = points.length > CODE_POINTS_NAMED;
  const name = isLong ? `${codes.join(' ')} …` : codes.join(' ');
  return isLong || /[\p{C}\p{Z}]/u.test(character) ? name : `${character} (${name})`;
}
