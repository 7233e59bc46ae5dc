import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseTimestamp } from './timestamp.ts';

const at = (ms: number): Date => new Date(ms);

test('a time of the database is read as it is written, cut to the millisecond', () => {
  const cases: [string, string][] = [
    ['2026-11-27 09:30:00+00', '2026-11-27T09:30:00.000Z'],
    ['2026-11-27 09:30:00.1+00', '2026-11-27T09:30:00.100Z'],
    ['2026-11-27 09:30:00.12+00', '2026-11-27T09:30:00.120Z'],
    ['2026-11-27 09:30:00.057+00', '2026-11-27T09:30:00.057Z'],
    ['2026-11-27 09:30:00.123999+00', '2026-11-27T09:30:00.123Z'],
    ['2024-02-29 23:59:59.000001+00', '2024-02-29T23:59:59.000Z'],
    ['0044-03-15 12:00:00.001+00', '0044-03-15T12:00:00.001Z'],
    ['0044-03-15 12:00:00+00 BC', '-000043-03-15T12:00:00.000Z'],
    ['12026-01-02 03:04:05.678+00', '+012026-01-02T03:04:05.678Z'],
    ['2026-11-27 09:30:00.123+05:30', '2026-11-27T04:00:00.123Z'],
  ];
  for (const [text, expected] of cases) assert.equal((parseTimestamp(text) as Date).toISOString(), expected, text);
  assert.equal(parseTimestamp('infinity'), Number.POSITIVE_INFINITY);
  assert.equal(parseTimestamp('-infinity'), Number.NEGATIVE_INFINITY);
});

test('a time that the service writes comes back as it was', () => {
  fc.assert(
    fc.property(fc.integer({ min: Date.UTC(1900, 0), max: Date.UTC(9999, 0) }).map(at), (time) => {
      const text = time.toISOString().replace('T', ' ').replace('Z', '+00');
      // As the database writes it: without zeros at the end, nor a point before nothing.
      const written = text.replace(/\.?0*\+00$/, '+00').replace(/:(\d)\+00$/, ':$10+00');
      assert.deepEqual([parseTimestamp(text), parseTimestamp(written)], [time, time]);
    }),
  );
});
