import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formProblems } from './commit-form.ts';

const GOOD = { subject: 'orders: refuse a print area the product lacks', body: '', changedLines: 12 };

test('a commit in the form passes, and a large one with its reason does', () => {
  assert.deepEqual(formProblems(GOOD), []);
  assert.deepEqual(formProblems({ ...GOOD, subject: 'adr 0016: keys for distribution' }), []);
  assert.deepEqual(formProblems({ ...GOOD, changedLines: 5_000, body: 'Because a shop needs it.' }), []);
});

for (const [what, commit, problem] of [
  ['without a slice', { subject: 'refuse a print area' }, /slice: what holds now/],
  ['with a capital', { subject: 'orders: Refuse a print area' }, /small letters/],
  ['with a full stop', { subject: 'orders: refuse a print area.' }, /full stop/],
  ['that is too long', { subject: `orders: ${'refuse '.repeat(20)}it` }, /at most 110/],
  ['of unfinished work', { subject: 'orders: work in hand' }, /unfinished/],
  ['of 201 lines without a reason', { changedLines: 201 }, /no reason in the body/],
] as const) {
  test(`a commit ${what} is refused`, () => {
    const [first, ...more] = formProblems({ ...GOOD, ...commit });
    assert.match(first ?? '', problem);
    assert.deepEqual(more, []);
  });
}

test('200 changed lines need no body', () => {
  assert.deepEqual(formProblems({ ...GOOD, changedLines: 200 }), []);
});
