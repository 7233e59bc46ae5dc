import assert from 'node:assert/strict';
import { test } from 'node:test';
import { emailKey, phoneKey } from './contact-keys.ts';
import { compact, likelyRarestFirst, searchTermsOf, wordsOf } from './search-terms.ts';

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

test('by phone and e-mail of each address, and by the postcode of the others; an erased one has nothing', () => {
  const home = {
    contact_name: 'Ada',
    company_name: '',
    postcode: 'LS9 8AB',
    phone: '+44 113 496 0000',
    email: 'Ada@X.example',
  };
  const order = { shipping_address: home, external_reference: null, total_pence: 1 };
  const terms = (more: object) => searchTermsOf({ ...order, ...more }).map(({ kind, term }) => `${kind} ${term}`);
  const alone = ['postcode LS98AB', 'phone 1134960000', 'email ada@x.example', 'recipient ADA', 'amount 1'];
  assert.deepEqual(terms({}), alone);
  assert.deepEqual(terms({ other_addresses: [home] }), alone, 'the same address twice');
  const bill = { ...home, contact_name: 'Bob', postcode: 'YO1 7HH', email: 'bob@x.example' };
  assert.deepEqual(
    terms({ other_addresses: [bill] }).filter((one) => !alone.includes(one)),
    ['other_postcode YO17HH', 'email bob@x.example'],
  );
  const erased = { contact_name: '', company_name: '', postcode: '', phone: '', email: '' };
  assert.deepEqual(terms({ shipping_address: erased, other_addresses: [erased] }), ['amount 1']);
});

test('the normal forms of phone numbers and e-mail addresses', () => {
  const phones = ['+44 7700 900123', '07700 900123', '0044 (0)7700-900123', '７７００ 900123'];
  assert.deepEqual([...new Set(phones.map(phoneKey))], ['7700900123']);
  assert.deepEqual(['', 'none', '000', '+49 171 1234567'].map(phoneKey), ['', '', '', '491711234567']);
  assert.deepEqual([' Ada@Example.COM', ''].map(emailKey), ['ada@example.com', '']);
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
    likelyRarestFirst(terms).map(({ term }) => term),
    ['A', 'LS98AB', 'BYRON', 'ADA', '1598'],
  );
});
