import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compact, rarestFirst, searchTermsOf, wordsOf } from './search-terms.ts';

test('the words of a name have no accents, case or punctuation, and stand once', () => {
  const cases: readonly (readonly [name: string, words: readonly string[]])[] = [
    ['Ada Byron', ['ADA', 'BYRON']],
    ["O'Brien-Müller", ['O', 'BRIEN', 'MULLER']],
    ['Łukasz Żółć', ['ŁUKASZ', 'ZOŁC']],
    ['straße STRASSE', ['STRASSE']],
    ['山田 太郎', ['山田', '太郎']],
    ['Ａｄａ', ['ADA']],
    ['  . — ! ', []],
    ['Studio 54', ['STUDIO', '54']],
  ];
  for (const [name, words] of cases) assert.deepEqual(wordsOf(name), words, name);
});

test('a name of any length has a bounded number of words of bounded length', () => {
  assert.equal(wordsOf(Array.from({ length: 99 }, (_, at) => `w${at}`).join(' ')).length, 16);
  assert.deepEqual(wordsOf('x'.repeat(99)), ['X'.repeat(40)]);
});

test('postcodes and references are compared without case and white space', () => {
  assert.equal(compact(' sw1a\u00a01aa\t'), 'SW1A1AA');
  assert.equal(compact('Acme-10 42'), 'ACME-1042');
});

test('an order is found by its recipient, postcode, reference and amount', () => {
  const order = {
    shipping_address: { contact_name: 'Ada Byron', company_name: 'Byron & Co', postcode: 'LS9 8AB' },
    external_reference: 'acme-1',
    total_pence: 1598,
  };
  assert.deepEqual(
    searchTermsOf(order).map(({ kind, term }) => `${kind} ${term}`),
    ['external_reference ACME-1', 'postcode LS98AB', 'recipient ADA', 'recipient BYRON', 'recipient CO', 'amount 1598'],
  );
  assert.equal(
    searchTermsOf({ ...order, external_reference: null }).some(({ kind }) => kind === 'external_reference'),
    false,
  );
});

test('the term with the fewest orders leads: references before postcodes, names and amounts, the longest word first', () => {
  const terms = [
    { kind: 'amount', term: '1598' },
    { kind: 'recipient', term: 'ADA' },
    { kind: 'recipient', term: 'BYRON' },
    { kind: 'postcode', term: 'LS98AB' },
    { kind: 'external_reference', term: 'A' },
  ] as const;
  assert.deepEqual(
    rarestFirst(terms).map(({ term }) => term),
    ['A', 'LS98AB', 'BYRON', 'ADA', '1598'],
  );
});
