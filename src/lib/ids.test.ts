import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  firstIdAt,
  newId,
  newIdAt,
  newOrderReference,
  parseId,
  parseOrderReference,
  publicId,
  type Uuid,
} from './ids.ts';

test('ids of one process are unique and in the order in which they were made, even within a millisecond (2.1 id)', () => {
  const ids = Array.from({ length: 20_000 }, () => newId());
  assert.equal(new Set(ids).size, ids.length);
  assert.deepEqual(ids.toSorted(), ids);
  for (const id of ids.slice(0, 100)) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test('an id carries the time it was made at, and a clock that steps back breaks no order', () => {
  const at = Date.UTC(2040, 0, 1);
  const first = newId(at);
  assert.equal(Number.parseInt(first.replaceAll('-', '').slice(0, 12), 16), at);
  const second = newId(at - 3_600_000);
  assert.ok(second > first);
});

test('an id of a time lies between the first id of its millisecond and that of the next, and is no other', () => {
  newId(Date.UTC(2041, 0, 1));
  const at = new Date(Date.UTC(2026, 0, 1));
  const ids = Array.from({ length: 1_000 }, () => newIdAt(at));
  assert.equal(new Set(ids).size, ids.length);
  for (const id of ids) {
    assert.ok(id >= firstIdAt(at) && id < firstIdAt(new Date(at.getTime() + 1)), id);
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
});

test('the public form is the prefix and 26 characters, sorts as the id does, and leads back to it (2.1 id)', () => {
  // The example of the TypeID specification, which defines the encoding.
  const known = '01890a5d-ac96-774b-bcce-b302099a8057' as Uuid;
  assert.equal(publicId('ord', known), 'ord_01h455vb4pex5vsknk084sn02q');
  const hex = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'.split('')), minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(hex, hex, (a, b) => {
      const [one, two] = [a, b].map((digits) => digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') as Uuid);
      assert.ok(one !== undefined && two !== undefined);
      assert.equal(parseId('line', publicId('line', one)), one);
      assert.equal(one < two, publicId('line', one) < publicId('line', two));
    }),
  );
});

describe('A22 C45 C51 what is not a well-formed id of the kind is none', () => {
  const good = 'ord_01h455vb4pex5vsknk084sn02q';
  const cases = [
    '',
    'ord_',
    good.slice(0, -1),
    `${good}0`,
    good.toUpperCase(),
    good.replace('ord', 'prod'),
    good.replace('_', '-'),
    good.replace('q', 'u'),
    good.replace('q', 'l'),
    good.replace('_0', '_8'),
    good.replace('h', '\0'),
    `ord_${'0'.repeat(10_000)}`,
    '01890a5d-ac96-774b-bcce-b302099a8057',
  ];
  for (const text of cases) {
    test(JSON.stringify(text.slice(0, 60)), () => assert.equal(parseId('ord', text), undefined));
  }
});

test('an order reference is PF- and eight characters that nobody misreads, random each time', () => {
  const references = Array.from({ length: 2_000 }, newOrderReference);
  for (const reference of references) assert.match(reference, /^PF-[2-9A-HJKMNP-TV-Z]{8}$/);
  assert.equal(new Set(references).size, references.length);
  const letters = new Set(references.join('').replaceAll('PF-', ''));
  assert.equal(letters.size, 30);
});

test('a reference is matched in any case, and nothing else is taken for one (C50, C51)', () => {
  assert.equal(parseOrderReference('pf-2345abcd'), 'PF-2345ABCD');
  for (const text of ['PF-2345ABC', 'PF-2345ABCDE', 'PF-0345ABCD', 'PF-2345ABCI', 'PF_2345ABCD', 'PF-2345ABC\n', 'ß']) {
    assert.equal(parseOrderReference(text), undefined, text);
  }
});

test('a public id is its UUID in base 32, as a big integer would write it (2.1 id)', () => {
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  const written = (id: string): string => {
    const value = BigInt(`0x${id.replaceAll('-', '')}`);
    return Array.from({ length: 26 }, (_, index) => digits[Number((value >> BigInt(5 * (25 - index))) & 31n)]).join('');
  };
  fc.assert(
    fc.property(fc.uuid(), (id) => {
      assert.equal(publicId('ord', id as Uuid), `ord_${written(id)}`);
      assert.equal(parseId('ord', `ord_${written(id)}`), id);
    }),
  );
});
