import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { qrRows } from './qr-code.ts';
import { otpauthUrl } from './totp.ts';

// Reads a code as a camera does, by ISO/IEC 18004, from its modules alone: format, mask, codewords, blocks, bytes. The
// codes are clean, so nothing is corrected.

type Modules = readonly (readonly number[])[];

/** The mask of level M by its number (table 10). */
const MASKS: readonly ((row: number, column: number) => boolean)[] = [
  (r, c) => (r + c) % 2 === 0,
  (r) => r % 2 === 0,
  (_, c) => c % 3 === 0,
  (r, c) => (r + c) % 3 === 0,
  (r, c) => (Math.floor(r / 2) + Math.floor(c / 3)) % 2 === 0,
  (r, c) => ((r * c) % 2) + ((r * c) % 3) === 0,
  (r, c) => (((r * c) % 2) + ((r * c) % 3)) % 2 === 0,
  (r, c) => (((r + c) % 2) + ((r * c) % 3)) % 2 === 0,
];

/** Level M by version (table 9): blocks with so many data bytes each, in their order. */
const BLOCKS: Readonly<Record<number, readonly number[]>> = {
  1: [16],
  2: [28],
  3: [44],
  4: [32, 32],
  5: [43, 43],
  6: [27, 27, 27, 27],
  7: [31, 31, 31, 31],
  8: [38, 38, 39, 39],
  9: [36, 36, 36, 37, 37],
  10: [43, 43, 43, 43, 44],
  11: [50, 51, 51, 51, 51],
};

/** Middles of the alignment patterns by version (annex E). */
const ALIGNED: Readonly<Record<number, readonly number[]>> = {
  1: [],
  2: [6, 18],
  3: [6, 22],
  4: [6, 26],
  5: [6, 30],
  6: [6, 34],
  7: [6, 22, 38],
  8: [6, 24, 42],
  9: [6, 26, 46],
  10: [6, 28, 50],
  11: [6, 30, 54],
};

function read(rows: readonly string[]): string {
  const modules = rows.map((row) => Array.from(row, Number));
  const size = modules.length;
  assert.ok(modules.every((row) => row.length === size));
  const version = (size - 17) / 4;
  const format = [0, 1, 2, 3, 4].reduce((bits, column) => bits * 2 + (modules[8]?.[column] ?? 0), 0) ^ 0b10101;
  assert.equal(format >> 3, 0b00, 'level M');
  const mask = MASKS[format & 7] ?? assert.fail('no mask');
  const bytes = dataOf(codewordsOf(modules, version, mask), BLOCKS[version] ?? assert.fail(`version ${version}`));
  const bits = bytes.map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return textOf(bits, version < 10 ? { digits: 10, letters: 9, bytes: 8 } : { digits: 12, letters: 11, bytes: 16 });
}

const LETTERS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ $%*+-./:';

/** The text of the segments: digits in threes, capitals in twos, bytes. */
function textOf(bits: string, lengths: { digits: number; letters: number; bytes: number }): string {
  let at = 0;
  const take = (count: number): number => {
    at += count;
    return Number.parseInt(bits.slice(at - count, at), 2);
  };
  const parts: Buffer[] = [];
  for (;;) {
    const mode = at + 4 > bits.length ? 0 : take(4);
    if (mode === 0) return Buffer.concat(parts).toString('utf8');
    let text = '';
    if (mode === 1) {
      for (let left = take(lengths.digits); left > 0; left -= 3) {
        const digits = Math.min(left, 3);
        text += String(take([0, 4, 7, 10][digits] ?? 0)).padStart(digits, '0');
      }
    } else if (mode === 2) {
      for (let left = take(lengths.letters); left > 0; left -= 2) {
        const pair = take(left === 1 ? 6 : 11);
        text += left === 1 ? LETTERS.charAt(pair) : LETTERS.charAt(Math.floor(pair / 45)) + LETTERS.charAt(pair % 45);
      }
    } else {
      assert.equal(mode, 4, 'bytes');
      for (let left = take(lengths.bytes); left > 0; left -= 1) text += String.fromCharCode(take(8));
    }
    parts.push(Buffer.from(text, 'latin1'));
  }
}

/** The codewords in their order on the symbol: columns in pairs from the right, up and down in turn. */
function codewordsOf(modules: Modules, version: number, mask: (row: number, column: number) => boolean): number[] {
  const size = modules.length;
  const bits: number[] = [];
  let isUpwards = true;
  for (let right = size - 1; right > 0; right -= 2) {
    if (right === 6) right = 5;
    for (let step = 0; step < size; step += 1) {
      const row = isUpwards ? size - 1 - step : step;
      for (const column of [right, right - 1]) {
        if (isOfPattern(row, column, size, version)) continue;
        bits.push((modules[row]?.[column] ?? 0) ^ (mask(row, column) ? 1 : 0));
      }
    }
    isUpwards = !isUpwards;
  }
  return (bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2));
}

function isOfPattern(row: number, column: number, size: number, version: number): boolean {
  const isFinder = (row < 9 && (column < 9 || column >= size - 8)) || (row >= size - 8 && column < 9);
  const isVersion = version >= 7 && ((row < 6 && column >= size - 11) || (column < 6 && row >= size - 11));
  if (isFinder || isVersion || row === 6 || column === 6) return true;
  const middles = ALIGNED[version] ?? [];
  const last = middles.at(-1);
  return middles.some((y) =>
    middles.some((x) => {
      const isAtFinder = (y === 6 && (x === 6 || x === last)) || (x === 6 && y === last);
      return !isAtFinder && Math.abs(row - y) <= 2 && Math.abs(column - x) <= 2;
    }),
  );
}

/** Undoes the interleaving of the blocks, whose longer ones come last. */
function dataOf(codewords: readonly number[], blocks: readonly number[]): number[] {
  const parts = blocks.map((): number[] => []);
  let at = 0;
  for (let index = 0; index < Math.max(...blocks); index += 1) {
    for (const [block, length] of blocks.entries()) {
      if (index >= length) continue;
      parts[block]?.push(codewords[at] ?? 0);
      at += 1;
    }
  }
  return parts.flat();
}

describe('a camera reads what the code was made of', () => {
  // The same each time: by its digits a code may have another level.
  const secret = 'JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP';
  const texts = [
    'A text of one block, and of no more than sixty characters.',
    otpauthUrl(secret, { issuer: 'Platen', email: 'ada@shop.example' }),
    otpauthUrl(secret, { issuer: 'Königsdruck & Söhne', email: `${'long.name.'.repeat(5)}@print-shop.example` }),
  ];
  for (const text of texts) {
    test(`${text.length} characters`, async () => {
      assert.equal(read(await qrRows(text)), text);
    });
  }
});
