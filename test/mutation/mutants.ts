/** One small bug that can be planted in a source. */
export type Mutant = {
  readonly start: number;
  readonly end: number;
  readonly text: string;
  /** Where and what, for a person: `12: < becomes <=`. */
  readonly what: string;
};

type Rule = { readonly find: RegExp; readonly becomes: (found: string) => string };

// Each operator stands between blanks, as the formatter leaves it, so that no type argument or arrow is taken for one.
const SWAPS: Readonly<Record<string, string>> = {
  '+': '-',
  '-': '+',
  '*': '/',
  '/': '*',
  '%': '*',
  '<': '<=',
  '<=': '<',
  '>': '>=',
  '>=': '>',
  '===': '!==',
  '!==': '===',
  '&&': '||',
  '||': '&&',
  '+=': '-=',
  '-=': '+=',
};
const RULES: readonly Rule[] = [
  { find: /(?<= )(?:===|!==|<=|>=|&&|\|\||\+=|-=|[+\-*/%<>])(?= )/g, becomes: (found) => SWAPS[found] ?? found },
  { find: /(?<=[\s(!])!(?=[\w(])/g, becomes: () => '' },
  { find: /\btrue\b|\bfalse\b/g, becomes: (found) => String(found !== 'true') },
  {
    find: /(?<![\w.$])\d+(?:_\d+)*n?(?![\w.])/g,
    becomes: (found) => `(${found} + 1${found.endsWith('n') ? 'n' : ''})`,
  },
  { find: /\.some\(/g, becomes: () => '.every(' },
  { find: /\.every\(/g, becomes: () => '.some(' },
  { find: /\bMath\.(?:min|max)\b/g, becomes: (found) => (found.endsWith('min') ? 'Math.max' : 'Math.min') },
  { find: /\.(?:toSorted|filter)(?=\()/g, becomes: (found) => (found === '.filter' ? '.map' : '.slice(0).toSpliced') },
  // A statement of a line of its own that throws, returns nothing, or calls or sets something.
  {
    find: /(?<=\n *)(?:if \([^\n]*\) (?:return|throw|continue)[^\n]*;|[\w.]+\([^\n]*\);|[\w.]+ \+?= [^\n]*;)(?=\n)/g,
    becomes: () => ';',
  },
];

/**
 * Every mutant of a source without types, in the order of its text. Comments, texts and regular expressions are left
 * alone.
 */
export function mutantsOf(source: string): Mutant[] {
  const code = blanked(source);
  const found = RULES.flatMap(({ find, becomes }) =>
    [...code.matchAll(find)].map((match) => {
      const start = match.index;
      const was = source.slice(start, start + match[0].length);
      const text = becomes(match[0]);
      const line = source.slice(0, start).split('\n').length;
      return {
        start,
        end: start + was.length,
        text,
        what: `${line}: ${was} becomes ${text === ';' ? 'nothing' : text || 'nothing'}`,
      };
    }),
  );
  return found.toSorted((a, b) => a.start - b.start || a.end - b.end);
}

/** A source with a mutant in it. */
export function plant(source: string, { start, end, text }: Mutant): string {
  return source.slice(0, start) + text + source.slice(end);
}

/**
 * The source with the same length, and nothing but dots where a comment, a text, a regular expression or an import
 * stands.
 */
function blanked(source: string): string {
  const quiet =
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|`(?:\\.|[^`\\])*`|(?<=[(=,:] ?|&& |return )\/(?![*/ ])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n])+\/[a-z]*|^import [\s\S]*?;$/gm;
  return source.replaceAll(quiet, (text) => text.replaceAll(/[^\n]/g, '.'));
}
