import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { posix } from 'node:path';
import { describe, test } from 'node:test';

const COMMENT_COLUMNS_MAX = 120;
const FIRST_LINE_CHARACTERS_MAX = 100;
const FILES_IN_A_FOLDER_MAX = 26;
/** Written by `npm run openapi`. */
const GENERATED = 'sdk/src/generated.ts';

/** Words that say less than the standard term: caller, remote host, back-off, request pipeline, work queue. */
const WORDS = /\b(told|desks?|doors?|visit(?:s|ed|ing|ors?)?|meets?|met|strangers?|somebody|whoever|nobody)\b/gi;

/** Where a word is the right one, or part of a text that is recorded or frozen. */
const ALLOWED: readonly (readonly [file: string, word: string, why: string])[] = [
  ['packages/embedded-postgres/src/install.ts', 'nobody', 'the name of a user of the system'],
  ['src/verify/orders-sql.ts', 'told', 'the text of a statement and the name of an invariant'],
  ['src/verify/work-sql.ts', 'told', 'the name of an invariant and what it prints'],
  ['src/verify/work-sql.ts', 'nobody', 'what an invariant prints'],
];

type SourceFile = { readonly path: string; readonly text: string };

function read(...patterns: readonly string[]): SourceFile[] {
  return globSync([...patterns], { exclude: (path) => path.includes('node_modules') })
    .map((path) => path.replaceAll('\\', '/'))
    .toSorted()
    .map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

const all = read('{src,packages,test,bench,demo,sdk}/**/*.ts').filter(({ path }) => path !== GENERATED);
const product = all.filter(({ path }) => /^(src|packages)\//.test(path) && !path.endsWith('.test.ts'));
const ofSlices = product.filter(({ path }) => path.startsWith('src/'));

/** Fails with every place that breaks a rule, so that one run shows all of them. */
function none(places: readonly string[], rule: string): void {
  assert.deepEqual(places, [], rule);
}

describe('comments', () => {
  test('no line of a comment is wider than 120 columns', () => {
    assert.ok(all.length > 500, 'the sources were read');
    none(
      all.flatMap(({ path, text }) => wideLines(text).map((line) => `${path}:${line}`)),
      'wide lines of comments',
    );
  });

  test('the first line of a docstring has at most 100 characters', () => {
    none(
      product.flatMap(({ path, text }) => longFirstLines(text).map((line) => `${path}:${line}`)),
      'long first lines',
    );
  });
});

describe('words', () => {
  test('the standard term stands where the field has one', () => {
    none(
      product.flatMap(({ path, text }) =>
        wordsIn(text)
          .filter(({ word }) => !ALLOWED.some(([file, allowed]) => file === path && allowed === word))
          .map(({ line, word }) => `${path}:${line}: ${word}`),
      ),
      'words to replace',
    );
  });

  test('every exception is needed', () => {
    none(
      ALLOWED.filter(
        ([file, word]) =>
          !product.some(({ path, text }) => path === file && wordsIn(text).some((found) => found.word === word)),
      ).map(([file, word]) => `${file}: ${word}`),
      'exceptions without a use',
    );
  });
});

describe('names and folders', () => {
  test('an exported name is declared in one file of src, schemas aside', () => {
    const files = new Map<string, string[]>();
    for (const { path, text } of ofSlices.filter(({ path }) => !/schema\.ts$|\.d\.ts$/.test(path))) {
      for (const name of new Set(exportsOf(text))) files.set(name, [...(files.get(name) ?? []), path]);
    }
    none(
      [...files].filter(([, paths]) => paths.length > 1).map(([name, paths]) => `${name}: ${paths.join(', ')}`),
      'names of two things',
    );
  });

  test('a folder of src has at most 26 product files', () => {
    const counts = new Map<string, number>();
    for (const { path } of ofSlices) {
      counts.set(posix.dirname(path), (counts.get(posix.dirname(path)) ?? 0) + 1);
    }
    none(
      [...counts].filter(([, count]) => count > FILES_IN_A_FOLDER_MAX).map(([folder, count]) => `${folder}: ${count}`),
      'folders with too many files',
    );
  });
});

describe('what counts', () => {
  const long = 'x'.repeat(101);
  test('lines of comments, not of code', () => {
    const wide = 'y'.repeat(118);
    assert.deepEqual(
      wideLines(`// ${wide}\n/* ${wide}\n * ${wide}\nconst a = '${wide}';\n// ${wide.slice(1)}`),
      [1, 2, 3],
    );
  });
  test('first lines of docstrings, in one line or several', () => {
    assert.deepEqual(longFirstLines(`/** ${long} */\n/**\n * ${long}\n */\n/**\n * Short.\n * ${long}\n */`), [1, 2]);
    assert.deepEqual(longFirstLines(`/** ${long.slice(1)} */\n/* ${long} */`), []);
  });
  test('whole words in any letter case', () => {
    const found = wordsIn('Nobody told it.\nrevisit, indoors, metre, desktop\nthe Visits');
    assert.deepEqual(
      found.map(({ line, word }) => `${line} ${word}`),
      ['1 nobody', '1 told', '3 visits'],
    );
  });
  test('what a file declares and exports', () => {
    const text = 'export type A = 1;\nexport async function b() {}\nexport const c = 1;\nconst d = 1;\nexport { d };';
    assert.deepEqual(exportsOf(text), ['A', 'b', 'c']);
  });
});

function wideLines(text: string): number[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      /^\s*(\/\/|\*|\/\*)/.test(line) && line.length > COMMENT_COLUMNS_MAX ? [index + 1] : [],
    );
}

/** The numbers of the lines on which docstrings begin whose first line is too long. */
function longFirstLines(text: string): number[] {
  return [...text.matchAll(/\/\*\*[ \t]*(?:\n\s*\*[ \t]?)?([^\n]*)/g)].flatMap((found) => {
    const first = (found[1] ?? '').replace(/\s*\*\/.*$/, '');
    return first.length > FIRST_LINE_CHARACTERS_MAX ? [text.slice(0, found.index).split('\n').length] : [];
  });
}

function wordsIn(text: string): { readonly line: number; readonly word: string }[] {
  return text
    .split('\n')
    .flatMap((line, index) =>
      [...line.matchAll(WORDS)].map(([word]) => ({ line: index + 1, word: word.toLowerCase() })),
    );
}

function exportsOf(text: string): string[] {
  const declared = /^export (?:async )?(?:abstract )?(?:function|const|type|interface|class) (\w+)/gm;
  return [...text.matchAll(declared)].map(([, name]) => name ?? '');
}
