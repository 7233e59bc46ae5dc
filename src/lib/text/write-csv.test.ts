import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readCsv } from './read-csv.ts';
import { writeCsv } from './write-csv.ts';

test('a lone line feed or carriage return in a cell begins no row, and a formula behind it stays in its cell', () => {
  for (const text of ['note\n=1+1', 'note\r=1+1', 'note\r\n=1+1', 'a\n', '\rb']) {
    const written = writeCsv([['id', text, 'end']]);
    assert.ok(written.includes(`"`), JSON.stringify(written));
    const read = readCsv(written);
    assert.deepEqual(read.kind === 'read' ? read.records : read, [['id', text, 'end']]);
  }
});

test('what is written is read back, cell by cell, whatever the separator and the guard of formulas', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', '=', '＝', ' '), maxLength: 6 });
  const separator = fc.constantFrom(',' as const, ';' as const, '\t' as const);
  fc.assert(
    fc.property(fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 5 }), separator, (records, delimiter) => {
      const rows = [['one', 'other'], ...records];
      const read = readCsv(writeCsv(rows, { delimiter, bom: true }));
      assert.deepEqual(read.kind === 'read' ? read.records : read, rows);
    }),
  );
});
