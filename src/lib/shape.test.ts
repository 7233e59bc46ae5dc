import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Type } from 'typebox';
import { Settings } from 'typebox/system';
import { checkShape, repeatProblems } from './shape.ts';

const Shelf = Type.Object(
  {
    rows: Type.Array(
      Type.Object(
        {
          kind: Type.Enum(['box', 'bag']),
          count: Type.Integer({ minimum: 1 }),
          sku: Type.String({ pattern: '^[A-Z]+$' }),
        },
        { additionalProperties: false },
      ),
    ),
  },
  { additionalProperties: false },
);

test('a value of the right shape is handed on as it is', () => {
  const value = { rows: [{ kind: 'box', count: 1, sku: 'A' }] };
  const shaped = checkShape(Shelf, value);
  assert.ok(shaped.kind === 'ok');
  assert.equal(shaped.value, value);
});

test('every problem is reported at once, with its path, its code and what would be right', () => {
  const shaped = checkShape(Shelf, { rows: [{ kind: 'bin', count: 0, sku: 'a', 'a/b': 1 }, {}], more: 1 }, 'file');
  assert.ok(shaped.kind === 'refused');
  assert.deepEqual(shaped.problems.map(({ path, code }) => `${path} ${code}`).toSorted(), [
    'file.more unknown_field',
    'file.rows[0].a/b unknown_field',
    'file.rows[0].count out_of_bounds',
    'file.rows[0].kind unknown_value',
    'file.rows[0].sku pattern',
    'file.rows[1].count required',
    'file.rows[1].kind required',
    'file.rows[1].sku required',
  ]);
  assert.deepEqual(shaped.problems.find(({ code }) => code === 'unknown_value')?.valid_values, ['box', 'bag']);
});

test('a hundred bad rows are a hundred problems, and the library’s own limit is put back', () => {
  const before = Settings.Get().maxErrors;
  const shaped = checkShape(Shelf, { rows: Array.from({ length: 100 }, () => ({ kind: 'box', count: 0, sku: 'A' })) });
  assert.equal(shaped.kind === 'refused' && shaped.problems.length, 100);
  assert.equal(Settings.Get().maxErrors, before);
});

test('a repeated value is reported where it stands again, and the first is not', () => {
  const problems = repeatProblems(['a', 'b', 'a', 'a'], (index) => `rows[${index}]`);
  assert.deepEqual(
    problems.map(({ path, code }) => `${path} ${code}`),
    ['rows[2] duplicate', 'rows[3] duplicate'],
  );
});
