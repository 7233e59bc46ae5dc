import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfAddress } from './shop-name.ts';

test('a shop has one name by each of its addresses, and two shops of one host have two', () => {
  for (const [address, name] of [
    ['https://shop.example', 'shop.example'],
    ['http://WWW.shop.example/', 'shop.example'],
    ['https://shop.example:8443/de//', 'shop.example:8443/de'],
    ['https://shop.example/fr', 'shop.example/fr'],
    ['https://wwwhite.example', 'wwwhite.example'],
    ['ftp://shop.example', undefined],
    ['shop.example', undefined],
    ['', undefined],
    [`https://shop.example/${'x'.repeat(300)}`, undefined],
  ] as const) {
    assert.equal(nameOfAddress(address), name, address);
  }
});
