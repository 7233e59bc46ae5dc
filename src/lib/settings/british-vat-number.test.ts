import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { readBritishVatNumber } from './british-vat-number.ts';

describe('a British VAT number is taken when its form and its check digits are right', () => {
  for (const [text, kept, why] of [
    ['GB220430231', 'GB220430231', 'a retailer prints it on its receipts'],
    ['GB232457280', 'GB232457280', 'another one does'],
    ['gb 980.7806-84', 'GB980780684', 'blanks, dots and hyphens are left out, letters are capitals'],
    ['XI727255821', 'XI727255821', 'Northern Ireland has the numbers of Great Britain'],
    ['GB999999973', 'GB999999973', 'the older check digits'],
    ['GB999999918', 'GB999999918', 'the newer check digits: 55 less'],
    ['GB123456727', 'GB123456727', 'the newer check digits'],
    ['GB000000195', 'GB000000195', 'a low number, the older check digits'],
    ['GB999999973001', 'GB999999973001', 'a branch: its last three digits are not checked'],
    ['GBGD001', 'GBGD001', 'a government department'],
    ['GBGD499', 'GBGD499', 'the last one'],
    ['GBHA500', 'GBHA500', 'a health authority'],
    ['XIHA999', 'XIHA999', 'the last one'],
  ] as const) {
    test(`${text}: ${why}`, () => assert.equal(readBritishVatNumber(text), kept));
  }
});

describe('any other text is not', () => {
  for (const [text, why] of [
    ['GB123456789', 'wrong check digits'],
    ['GB220430213', 'two digits swapped'],
    ['GB230430231', 'one digit wrong'],
    ['GB000000140', 'a low number with the newer check digits'],
    ['GB000000000', 'never issued'],
    ['999999973', 'no prefix'],
    ['UK999999973', 'another prefix'],
    ['GB99999997', 'eight digits'],
    ['GB9999999730', 'ten digits'],
    ['GB123456789001', 'a branch of a wrong number'],
    ['GBGD500', 'a department above its range'],
    ['GBHA499', 'an authority below its range'],
    ['GB９９９９９９９７３', 'full-width digits'],
    ['GB999999973\n', 'a line end'],
    ['', 'nothing'],
  ] as const) {
    test(`${JSON.stringify(text)}: ${why}`, () => assert.equal(readBritishVatNumber(text), undefined));
  }
});
