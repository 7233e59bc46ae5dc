import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { namesIn, readTitles, titlesIn } from './named-rules.ts';
import { gapsOf, RULE_TABLES, readTable, statesOf, tableText } from './rule-tables.ts';

const titles = readTitles();

for (const name of RULE_TABLES) {
  const states = statesOf(name, titles);

  test(`every rule of ${name}.json is named by a test, or put off with a reason`, () => {
    assert.deepEqual(
      gapsOf(states).map(({ number }) => number),
      [],
    );
  });

  test(`what is put off in ${name}.json is named by no test`, () => {
    assert.deepEqual(
      states.filter(({ later, tests }) => later !== undefined && tests.length > 0).map(({ number }) => number),
      [],
    );
  });

  test(`${name}.md is what npm run rules writes`, () => {
    assert.ok(
      readFileSync(`${name}.md`, 'utf8') === tableText(readTable(name), states),
      'the titles have changed: npm run rules',
    );
  });
}

test('no title names a rule or a case that does not exist', () => {
  const known = new Set(RULE_TABLES.flatMap((name) => statesOf(name, titles).map(({ number }) => number)));
  const wrong = titles.flatMap(({ file, title }) =>
    [...title.matchAll(/(?<=^|[(,] ?)(?:[A-N]\d{1,3}|\d\.\d+\.\d+)(?![\w.])/g)]
      .filter(([number]) => !known.has(number))
      .map(([number]) => `${file}: ${number} in "${title}"`),
  );
  assert.deepEqual(wrong, []);
});

describe('a title is read from the source as it is written', () => {
  const cases: readonly (readonly [what: string, source: string, expected: readonly string[]])[] = [
    ['a test', "test('4.1.5 one order', async () => {});", ['4.1.5 one order']],
    ['a title below its call', "test(\n  'A1 a',\n  () => {});", ['A1 a']],
    ['a quote in it', "test('it\\'s', () => {});", ["it's"]],
    ['a template', ['test(`8 $', '{a.map((b) => `$', '{b}`)} fails`, () => {});'].join(''), ['8 … fails']],
    ['a group with a test in it', "describe('D1', () => {\n  it('a', () => {});\n});", ['D1', 'a']],
    ['a group without one', "describe('D1', () => {\n});\ntest('a', () => {});", ['a']],
    ['a comment', "// test('4.1.5', () => {});\n * test('a')", []],
    ['a test that may be skipped', "test('A1', { skip: !isRoot }, () => {});", []],
    ['a method that is called test', "assert.ok(/a/.test('A1'));", []],
    ['a row of a table of refusals', "[{ what: 'E68 none' }];\ntestRefusals(rows);", ['E68 none']],
    ['a row that a helper makes', "rows([wrong('I148 an override', 1)]);\ntestRefusals(rows);", ['I148 an override']],
    ['a group of refusals', "describe('4.2 text', () => testRefusals(rows));", ['4.2 text']],
    ['a row of another table', "[{ what: 'E68 none' }];", []],
    [
      'a row whose first text is the title',
      ["[['D61 a price', 1]];\ntest(`$", '{what} fails`);'].join(''),
      ['… fails', 'D61 a price'],
    ],
  ];
  for (const [what, source, expected] of cases) {
    test(what, () => assert.deepEqual(titlesIn(source), expected));
  }
});

describe('a title names a rule in its place and not by chance', () => {
  const numbers = new Set(['4.1.5', '5.1', '6.6 retries', '4.1 cancel', '4.1 cancel.1', 'F94', 'K166', 'K167', 'A4']);
  const cases: readonly (readonly [title: string, expected: readonly string[]])[] = [
    ['4.1.5 the first', ['4.1.5']],
    ['spec 5.1: a token', ['5.1']],
    ['a repeat (4.1.5, F94)', ['4.1.5', 'F94']],
    ['6.6 retries: six', ['6.6 retries']],
    ['4.1 cancel.1 and 4.1 cancel', ['4.1 cancel.1', '4.1 cancel']],
    ['K166 to K167 refused', ['K166', 'K167']],
    ['RFC 6749 5.1 wants it', []],
    ['15.1 pounds and 5.15', []],
    ['4.1.55 is another', []],
    ['F945 is another', []],
  ];
  for (const [title, expected] of cases) {
    test(title, () => assert.deepEqual([...namesIn(title, numbers)].toSorted(), expected.toSorted()));
  }
});
