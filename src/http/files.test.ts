import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readByteRange } from './files.ts';

const CASES: readonly (readonly [header: string, bytes: number, range: ReturnType<typeof readByteRange>])[] = [
  ['bytes=0-9', 10, { start: 0, end: 9 }],
  ['bytes=0-', 10, { start: 0, end: 9 }],
  ['bytes=9-', 10, { start: 9, end: 9 }],
  ['bytes=9-9', 10, { start: 9, end: 9 }],
  ['bytes=3-400', 10, { start: 3, end: 9 }],
  ['bytes=-3', 10, { start: 7, end: 9 }],
  ['bytes=-11', 10, { start: 0, end: 9 }],
  ['bytes= 1-2 ', 10, { start: 1, end: 2 }],
  ['BYTES=1-2', 10, { start: 1, end: 2 }],
  ['bytes=10-', 10, 'unsatisfiable'],
  ['bytes=10-20', 10, 'unsatisfiable'],
  ['bytes=-0', 10, 'unsatisfiable'],
  ['bytes=0-', 0, 'unsatisfiable'],
  ['bytes=-5', 0, 'unsatisfiable'],
  ['bytes=-', 10, undefined],
  ['bytes=', 10, undefined],
  ['bytes=5-4', 10, undefined],
  ['bytes=0-1,3-4', 10, undefined],
  ['bytes=0x1-2', 10, undefined],
  ['bytes=+1-2', 10, undefined],
  ['bytes=1.5-2', 10, undefined],
  ['bytes=1e3-', 10, undefined],
  ['bytes=--1', 10, undefined],
  ['items=0-9', 10, undefined],
  [`bytes=${'9'.repeat(16)}-`, 10, undefined],
  ['', 10, undefined],
];

for (const [header, bytes, range] of CASES) {
  test(`J165 "${header}" of ${bytes} bytes is ${JSON.stringify(range) ?? 'the whole file'}`, () => {
    assert.deepEqual(readByteRange(header, bytes), range);
  });
}
