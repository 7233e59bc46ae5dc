import type { TextVerdict } from '../../artwork/drawing.ts';
import type { Problem } from '../../lib/errors.ts';

/**
 * A text as it is to be printed: composed characters, `\n` between lines, plain spaces for tabs, emoji in colour also where
 * black and white was wished (U+FE0E), and '' when there is nothing to be seen. Lengths count Unicode code points of what was sent (decisions, "Bounds"). Control characters are refused.
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

/** The bounds of a string, in Unicode code points, in the words that a schema's refusal has. */
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

/** What the fonts said of a text, as problems of the input at `path`. */
export function verdictProblems(verdict: TextVerdict, path: string): Problem[] {
  if (verdict.kind === 'fits') return [];
  if (verdict.kind === 'missing') return [missingProblem(verdict.characters, path)];
  const message = 'This text does not fit its place even in the smallest letters: shorten it, or break its lines.';
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
    message: `No font here can print ${named}${more}. Leave it out or write it another way.`,
  };
}

/** The character, if it can be shown, and its code points: `ש (U+05E9)`. */
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
