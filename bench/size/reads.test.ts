import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WORKERS } from '../../src/app/workers.ts';
import { leftOut, READS } from './reads.ts';
import { sweeps } from './sweeps.ts';

// What is measured at every size is everything: an operation, a filter or a worker that comes later is missed here.

test('every read of both APIs is measured at every size, and each filter of it', () => {
  assert.ok(READS.length > 100, `${READS.length} reads`);
  assert.deepEqual(leftOut(), []);
});

test('a round of every worker is measured at every size', () => {
  assert.ok(sweeps().length > WORKERS.length, `${sweeps().length} rounds of ${WORKERS.length} workers`);
});
