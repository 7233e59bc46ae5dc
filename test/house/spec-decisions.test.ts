import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { readTitles } from './named-rules.ts';

const titles = readTitles();
const files = globSync(['{src,packages,test,sdk}/**/*.test.ts', 'test/journeys/**/*.ts'], {
  exclude: (path) => path.includes('node_modules'),
});

/** What the last column of a row names: a test file, and perhaps words or a number of one of its titles. */
type Reference = { readonly file: string; readonly words: string | undefined; readonly numbers: readonly string[] };

const ROWS = readFileSync('docs/spec-decisions.md', 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Subject') && !line.startsWith('| The two'))
  .map((line) => line.split(/(?<!\\)\|/).map((cell) => cell.trim()))
  .map((cells) => ({ subject: cells[1] ?? '', heldBy: cells[3] ?? '' }));

function referencesIn(heldBy: string): readonly Reference[] {
  const pattern = /`([\w./-]+)`(?:: \*([^*]+)\*)?(?: \(([^)]*)\))?/g;
  return [...heldBy.matchAll(pattern)].map(([, file = '', words, numbers = '']) => ({
    file,
    words,
    numbers: [...numbers.matchAll(/\b(?:[A-N]\d+|\d(?:\.\d+)+)/g)].map(([number]) => number),
  }));
}

/** The words of a reference stand in a title in their order; `…` stands for anything. */
function isIn(title: string, words: string): boolean {
  return words
    .split('…')
    .map((part) => part.trim())
    .every((part) => title.includes(part));
}

describe('every test that docs/spec-decisions.md names is there', () => {
  for (const { subject, heldBy } of ROWS) {
    for (const { file, words, numbers } of referencesIn(heldBy)) {
      test(`${subject}: ${file} ${words ?? ''}`, () => {
        const paths = files.filter(
          (path) => path === file || [`/${file}.test.ts`, `/${file}.ts`].some((end) => `/${path}`.endsWith(end)),
        );
        assert.notDeepEqual(paths, [], `there is no test file ${file}`);
        const own = titles.filter((named) => paths.includes(named.file)).map(({ title }) => title);
        if (words !== undefined) {
          assert.ok(
            own.some((title) => isIn(title, words)),
            `no title of ${file} has these words`,
          );
        }
        for (const number of numbers) {
          assert.ok(
            own.some((title) => title.includes(number)),
            `no title of ${file} names ${number}`,
          );
        }
      });
    }
  }

  test('and every row says what holds it, or that nothing does yet', () => {
    const silent = ROWS.filter(
      ({ heldBy }) => referencesIn(heldBy).length === 0 && !/not yet built|no test/i.test(heldBy),
    );
    assert.deepEqual(
      silent.map(({ subject }) => subject),
      [],
    );
  });
});
