import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringify } from 'csv-stringify/sync';
import fc from 'fast-check';
import { readCsv } from './read-csv.ts';

const READ: readonly (readonly [what: string, text: string, records: readonly (readonly string[])[]])[] = [
  [
    'lines',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a last line without an end',
    'a,b\r\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'a byte order mark and semicolons',
    '\uFEFFa;b\r\n1,5;2\r\n',
    [
      ['a', 'b'],
      ['1,5', '2'],
    ],
  ],
  [
    'tabs',
    'a\tb\n1\t2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  ['a line that names the separator', 'sep=;\na;b,c,d\n', [['a', 'b,c,d']]],
  [
    'quotes with separators, quotes and line breaks',
    '"a,""b""","c\r\nd"\n,\n',
    [
      ['a,"b"', 'c\r\nd'],
      ['', ''],
    ],
  ],
  ['separators in quotes do not decide which one it is', '"a,b,c";d\n', [['a,b,c', 'd']]],
  ['an empty line', 'a\n\nb', [['a'], [''], ['b']]],
  [
    'old line ends',
    'a,b\r1,2\r',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'an empty cell at the end',
    'a,b\n1,',
    [
      ['a', 'b'],
      ['1', ''],
    ],
  ],
  ['the guard of a formula', "a\n'+44 20\n'tis\n", [['a'], ['+44 20'], ["'tis"]]],
  [
    'the guard of a formula with full-width signs',
    "a\n'＝1\n'＋1\n'－1\n'＠a\n",
    [['a'], ['＝1'], ['＋1'], ['－1'], ['＠a']],
  ],
  ['nothing', '', []],
];

for (const [what, text, records] of READ) {
  test(`reads ${what}`, () => {
    const read = readCsv(text);
    assert.deepEqual(read.kind === 'read' ? read.records : read, records);
  });
}

const BROKEN: readonly (readonly [text: string, row: number])[] = [
  ['a,b\n"1,2\n3,4', 2],
  ['a,b\n"1"x,2\n', 2],
  ['a,b\n1,2\nx"y,2\n', 3],
];

for (const [text, row] of BROKEN) {
  test(`refuses ${JSON.stringify(text)} with its row`, () => {
    const read = readCsv(text);
    assert.deepEqual(read.kind === 'broken' ? read.row : read, row);
  });
}

test('reading stops at a bound of rows, blank ones too, and of cells in a row', () => {
  const kindOf = (text: string): string => {
    const read = readCsv(text);
    return read.kind === 'too_large' ? `${read.kind} ${read.row}` : read.kind;
  };
  assert.equal(kindOf('a\n'.repeat(20_000)), 'read');
  assert.equal(kindOf('\n'.repeat(900_000)), 'too_large 20001');
  assert.equal(kindOf(`a\n${'x,'.repeat(299)}x\n`), 'read');
  assert.equal(kindOf(`a\n${','.repeat(900_000)}`), 'too_large 2');
});

test('what a spreadsheet writes is read back, cell by cell', () => {
  const cell = fc.string({ unit: fc.constantFrom('a', ',', ';', '"', '\n', '\r', '\t', 'é', ' '), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(fc.array(cell, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 5 }), (records) => {
      const width = Math.min(...records.map(({ length }) => length));
      const even = records.map((record) => record.slice(0, width));
      const head = even[0]?.map((_, index) => `head ${index}`) ?? [];
      const text = stringify([head, ...even], { quoted: true });
      const read = readCsv(text);
      assert.deepEqual(read.kind === 'read' ? read.records : read, [head, ...even]);
    }),
  );
});
