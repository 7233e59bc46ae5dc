import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mutantsOf, plant } from './mutants.ts';

const mutated = (source: string): string[] => mutantsOf(source).map((mutant) => plant(source, mutant));

const CASES: readonly (readonly [source: string, mutants: readonly string[]])[] = [
  ['a < b', ['a <= b']],
  ['a >= b && c', ['a > b && c', 'a >= b || c']],
  ['sum + tax', ['sum - tax']],
  ['return !open(x)', ['return open(x)']],
  ['rate === 2_000', ['rate !== 2_000', 'rate === (2_000 + 1)']],
  ['2n * magnitude', ['(2n + 1n) * magnitude', '2n / magnitude']],
  ['lines.every(isDone)', ['lines.some(isDone)']],
  [
    '{\n  throw refused();\n  note(1);\n}',
    ['{\n  throw refused();\n  ;\n}', '{\n  throw refused();\n  note((1 + 1));\n}'],
  ],
  ['f(() => a)', []],
  ['// a < b\nx', []],
  ["'a < 5'", []],
  ['`a < 5`', []],
  ['test(/^[a-z]+ < \\d{3}$/)', []],
  ["import { a } from './1.ts';", []],
];
for (const [source, mutants] of CASES) {
  test(`${JSON.stringify(source)} has ${mutants.length} planted bugs`, () => {
    assert.deepEqual(mutated(source), mutants);
  });
}

test('each planted bug says its line, and changes nothing else', () => {
  const [first] = mutantsOf('const a = 1;\nreturn a > b;\n');
  assert.deepEqual(
    [first?.what, first && plant('const a = 1;\nreturn a > b;\n', first)],
    ['1: 1 becomes (1 + 1)', 'const a = (1 + 1);\nreturn a > b;\n'],
  );
});
