import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { requestHash } from './request-hash.ts';

const of = (body: unknown, path = '/ops/v1/stock/receipts', method = 'POST'): string =>
  requestHash(method, path, body).toString('hex');

describe('a repeat of a request is told from another request by its hash', () => {
  test('the same body is the same request, however its members are ordered', () => {
    assert.equal(of({ a: 1, b: { c: [1, 'x'], d: null } }), of({ b: { d: null, c: [1, 'x'] }, a: 1 }));
  });

  const others: readonly (readonly [what: string, one: string, other: string])[] = [
    ['another value', of({ a: 1 }), of({ a: 2 })],
    ['a text in place of a number', of({ a: 1 }), of({ a: '1' })],
    ['another order of a list', of([1, 2]), of([2, 1])],
    ['a list in a list', of([[1], 2]), of([[1, 2]])],
    ['null in place of nothing', of({ a: null }), of({})],
    ['a member in another place', of({ a: { b: 1 } }), of({ a: {}, b: 1 })],
    ['a text that looks like two', of(['a","b']), of(['a', 'b'])],
    ['another path', of({}, '/ops/v1/a'), of({}, '/ops/v1/b')],
    ['another method', of({}, '/ops/v1/a', 'POST'), of({}, '/ops/v1/a', 'PATCH')],
    ['no body in place of an empty one', of(undefined), of({})],
  ];
  for (const [what, one, other] of others) test(`${what} is another request`, () => assert.notEqual(one, other));

  test('A9 a body that is 100,000 deep or 300,000 long is hashed like any other', () => {
    const deep: unknown = JSON.parse(`${'['.repeat(100_000)}${']'.repeat(100_000)}`);
    const long: unknown = JSON.parse(`[${'1,'.repeat(300_000)}1]`);
    assert.notEqual(of(deep), of(long));
  });
});
