import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hasFormOfCountry, isEuVatNumber, readVatNumber } from './vat-number.ts';

test('a VAT number of Great Britain, Northern Ireland or a member of the EU is taken, and kept without blanks in capitals', () => {
  for (const [text, kept] of [
    ['GB123456789', 'GB123456789'],
    ['gb 123 4567 89', 'GB123456789'],
    ['GB123456789012', 'GB123456789012'],
    ['GBGD123', 'GBGD123'],
    ['GBHA599', 'GBHA599'],
    ['XI123456789', 'XI123456789'],
    ['DE123456789', 'DE123456789'],
    ['ATU12345678', 'ATU12345678'],
    ['EL123456789', 'EL123456789'],
    ['FR-K7.399859412', 'FRK7399859412'],
    ['NL123456789B01', 'NL123456789B01'],
    ['IE1A23456B', 'IE1A23456B'],
    ['RO12', 'RO12'],
  ] as const) {
    assert.equal(readVatNumber(text), kept, text);
  }
});

test('what has not the form of one is not taken: no prefix, a wrong one, too short, too long, other characters', () => {
  for (const text of [
    '',
    'GB',
    '123456789',
    'GB12345678',
    'GB1234567890',
    'GB12345678A',
    'XI12',
    'UK123456789',
    'US123456789',
    'GR123456789',
    'DE1',
    'DE12345678901234',
    'DE123 456/789',
    'DE１２３４５６７８９',
    'DE123456789\n',
    'DE12345\u0000789',
  ]) {
    assert.equal(readVatNumber(text), undefined, JSON.stringify(text));
  }
});

test('only a number of a member of the EU is one for reverse charge', () => {
  assert.deepEqual(['DE123456789', 'EL123456789', 'GB123456789', 'XI123456789', ''].map(isEuVatNumber), [
    true,
    true,
    false,
    false,
    false,
  ]);
});

test('the form of each country is known: what customers propose has its digits', () => {
  const right =
    'ATU12345678 BE0123456789 CY12345678X DE123456789 EL123456789 ESX1234567A FRK7399859412 IE1234567WA IE1A23456B NL123456789B01 SE123456789001 GB123456789 XI123456789';
  assert.deepEqual(
    right.split(' ').filter((number) => !hasFormOfCountry(number)),
    [],
  );
  const wrong =
    'AT12345678 BE2123456789 CY123456789 DE12345678 EL12345678 ES123456789012 FRI1399859412 IE12345678 NL123456789B0X SE123456789012';
  assert.deepEqual(wrong.split(' ').filter(hasFormOfCountry), []);
});
