import assert from 'node:assert/strict';
import { test } from 'node:test';
import { titleOfAccount } from './chart.ts';

const TITLES: readonly (readonly [name: string, title: string | undefined])[] = [
  ['bank', 'Bank'],
  ['sales', 'Sales of goods and prints'],
  ['vat:0', 'VAT owed at 0 %'],
  ['vat:500', 'VAT owed at 5 %'],
  ['vat:1750', 'VAT owed at 17.5 %'],
  ['vat:2000', 'VAT owed at 20 %'],
  ['vat:10000', 'VAT owed at 100 %'],
  ['vat:10001', undefined],
  ['vat:99999', undefined],
  ['vat:100000', undefined],
  ['vat:05', undefined],
  ['vat:', undefined],
  ['vat:-5', undefined],
  ['vat:5.5', undefined],
  ['xvat:500', undefined],
  ['Bank', undefined],
  ['toString', undefined],
  ['__proto__', undefined],
  ['', undefined],
];
for (const [name, title] of TITLES) {
  test(`the account "${name}" is ${title ?? 'none'}`, () => assert.equal(titleOfAccount(name), title));
}
