import { globSync, readFileSync } from 'node:fs';

/** A test or a group of tests, and what its title says. */
export type NamedTest = { readonly file: string; readonly title: string };

/** A table of rules as `docs/generated/*.json` has it: groups of numbers with a few words each. */
export type RuleTable = {
  readonly title: string;
  readonly introduction: readonly string[];
  readonly groups: readonly RuleGroup[];
};

type RuleGroup = {
  readonly title: string;
  readonly rows: Readonly<Record<string, string>>;
  /** Numbers whose subject is not built yet, each with the reason. */
  readonly later?: Readonly<Record<string, string>>;
};

export type RuleState = {
  readonly number: string;
  readonly says: string;
  readonly later: string | undefined;
  readonly tests: readonly NamedTest[];
};

/** The files whose titles count. */
const TEST_FILES = [
  'src/**/*.test.ts',
  'packages/**/*.test.ts',
  'test/**/*.test.ts',
  // Tests that two operations share stand beside their files.
  'test/journeys/**/*.ts',
  'sdk/**/*.test.ts',
];
/** A test of this kind proves the tables and not a rule. */
const NOT_COUNTED = /^test\/house\//;

/** Every title in the tests of the project, read from their source text, in the order of files and lines. */
export function readTitles(): readonly NamedTest[] {
  return globSync(TEST_FILES, { exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .filter((path, index, paths) => paths.indexOf(path) === index && !NOT_COUNTED.test(path))
    .toSorted()
    .flatMap((file) => titlesIn(readFileSync(file, 'utf8')).map((title) => ({ file, title })));
}

/**
 * The titles of a test file, each once: the first argument of `test` and `describe` where it is written out, and what
 * stands for it in a table. That is the `what` of a row that `testRefusals` makes a test of, also where a helper
 * makes the row of a text that begins with a number, and the first text of a row where a title takes `what` in. What
 * else a template puts in becomes `…`. A test that may be skipped, and a group without a test in it, have none.
 */
export function titlesIn(source: string): readonly string[] {
  const places = [
    /(?<![.\w])(?:test|it|describe)\(\s*(?=['"`])/g,
    ...(source.includes('testRefusals(')
      ? [/(?<![.\w])what: (?=['"`])/g, /[(,[]\s*(?=['"`](?:[A-N]\d+|\d(?:\.\d+)+) )/g]
      : []),
    ...(/(?<![.\w])(?:test|it)\(`[^`]*\$\{what\}/.test(source) ? [/(?<=[[,(]\s*)\[\s*(?=['"`])/g] : []),
  ];
  const found = places.flatMap((place) => [...source.matchAll(place)]);
  return [...new Set(found.flatMap(({ 0: text, index }) => titleAt(source, text, index) ?? []))];
}

/** The title whose call or row begins here, if it is one that counts. */
function titleAt(source: string, text: string, index: number): string | undefined {
  const literal = readLiteral(source, index + text.length);
  if (literal === undefined || isComment(source, index)) return undefined;
  if (/^,\s*\{[^}]*\bskip\b/.test(source.slice(literal.end, literal.end + 200))) return undefined;
  const isGroup = text.startsWith('describe');
  if (isGroup && !/(?<![.\w])(?:test|it|testRefusals)\(/.test(blockAt(source, index))) return undefined;
  return literal.text;
}

/**
 * The numbers that a title names: those that stand first, or in a row of numbers that does, in brackets, in a list or
 * after `spec`. Of two that fit at one place the longer counts.
 */
export function namesIn(title: string, numbers: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  for (const { index } of title.matchAll(
    /(?<=^(?:[A-N]?\d[\d.]* )*|[(]|[,;:] |\band |\bspec |\bto )\d|\b[A-N](?=\d)/g,
  )) {
    const rest = title.slice(index);
    const fits = [...numbers].filter((number) => rest.startsWith(number) && endsThere(rest.slice(number.length)));
    const longest = fits.toSorted((one, other) => other.length - one.length)[0];
    if (longest !== undefined) found.add(longest);
  }
  for (const [, group = '', first, last] of title.matchAll(/\b([A-N])(\d+) to \1(\d+)\b/g)) {
    for (let row = Number(first); row <= Number(last); row += 1) {
      if (numbers.has(`${group}${row}`)) found.add(`${group}${row}`);
    }
  }
  return found;
}

/** Each rule of a table with the tests that name it. */
export function ruleStates(table: RuleTable, titles: readonly NamedTest[]): readonly RuleState[] {
  const numbers = new Set(table.groups.flatMap(({ rows }) => Object.keys(rows)));
  const testsOf = new Map<string, NamedTest[]>();
  for (const named of titles) {
    for (const number of namesIn(named.title, numbers)) {
      testsOf.set(number, [...(testsOf.get(number) ?? []), named]);
    }
  }
  return table.groups.flatMap(({ rows, later = {} }) =>
    Object.entries(rows).map(([number, says]) => ({
      number,
      says,
      later: later[number],
      tests: testsOf.get(number) ?? [],
    })),
  );
}

function isComment(source: string, index: number): boolean {
  return /^\s*(\/\/|\*|\/\*)/.test(source.slice(source.lastIndexOf('\n', index) + 1, index));
}

/** What a call spans: its own line and all below it that are indented further, as the formatter lays them out. */
function blockAt(source: string, index: number): string {
  const start = source.lastIndexOf('\n', index) + 1;
  const indent = /^\s*/.exec(source.slice(start))?.[0] ?? '';
  const rest = source.slice(index + 1);
  const end = rest.search(new RegExp(`\\n${indent}\\S`));
  return end === -1 ? rest : rest.slice(0, end);
}

/** The string literal that begins at a quote, and where it ends. */
function readLiteral(source: string, start: number): { text: string; end: number } | undefined {
  const quote = source[start];
  let text = '';
  for (let at = start + 1; at < source.length; at += 1) {
    const sign = source[at] ?? '';
    if (sign === quote) return { text, end: at + 1 };
    if (sign === '\\') {
      at += 1;
      text += source[at] ?? '';
    } else if (quote === '`' && sign === '$' && source[at + 1] === '{') {
      at = closingBrace(source, at + 1);
      text += '…';
    } else text += sign;
  }
  return undefined;
}

function closingBrace(source: string, start: number): number {
  let depth = 0;
  for (let at = start; at < source.length; at += 1) {
    if (source[at] === '{') depth += 1;
    if (source[at] === '}') depth -= 1;
    if (depth === 0) return at;
  }
  return source.length;
}

/** A number ends where neither a word nor a further part of a number goes on. */
function endsThere(rest: string): boolean {
  return !/^(\w|-\w|\.\w)/.test(rest);
}
