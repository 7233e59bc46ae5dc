import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { messageOf } from './error-message.ts';

const refused = (address: string) =>
  Object.assign(new Error(`connect ECONNREFUSED ${address}`), { code: 'ECONNREFUSED' });

const circular = new Error('round');
circular.cause = circular;

describe('every thrown value has a reason that a person can read', () => {
  const cases: readonly (readonly [what: string, thrown: unknown, expected: string])[] = [
    ['an error', new Error('the disk is full'), 'the disk is full'],
    ['an error with a code and no message', Object.assign(new Error(), { code: 'ETIMEDOUT' }), 'ETIMEDOUT'],
    ['an error with nothing but its kind', new RangeError(), 'RangeError without a message'],
    ['an error whose message is blank', new Error(' \n'), 'Error without a message'],
    [
      'a connection that every address refused, as Node.js reports it',
      Object.assign(new AggregateError([refused('::1:5432'), refused('127.0.0.1:5432')]), { code: 'ECONNREFUSED' }),
      'connect ECONNREFUSED ::1:5432; connect ECONNREFUSED 127.0.0.1:5432',
    ],
    [
      'several reasons under one message',
      new AggregateError([new Error('a'), new Error('b')], 'nothing worked'),
      'nothing worked (a; b)',
    ],
    ['more reasons than anyone reads', new AggregateError([1, 2, 3, 4, 5].map(String)), '1; 2; 3; and 2 more'],
    ['the same reason several times', new AggregateError([new Error('a'), new Error('a')]), 'a'],
    ['several reasons, none of them given', new AggregateError([]), 'AggregateError without a message'],
    [
      'an error with a cause',
      new Error('not saved', { cause: new Error('the disk is full') }),
      'not saved (the disk is full)',
    ],
    [
      'causes of causes',
      new Error('a', { cause: new Error('b', { cause: refused('::1:1') }) }),
      'a (b (connect ECONNREFUSED ::1:1))',
    ],
    [
      'a cause that the message has already',
      new Error('not saved: full', { cause: new Error('full') }),
      'not saved: full',
    ],
    ['a cause that says nothing', new Error('not saved', { cause: new Error() }), 'not saved'],
    ['a cause that is no error', new Error('not saved', { cause: 'full' }), 'not saved (full)'],
    ['a cause and no message', new Error('', { cause: new Error('full') }), 'full'],
    ['an error that is its own cause', circular, 'round'],
    [
      'an error while another one was handled',
      new SuppressedError(new Error('close failed: gone'), new Error('read failed: gone'), 'An error was suppressed'),
      'read failed: gone; close failed: gone',
    ],
    ['a text', 'gone', 'gone'],
    ['an empty text', '', 'an empty text was thrown'],
    ['nothing', undefined, 'undefined was thrown'],
    ['null', null, 'null was thrown'],
    ['a number', 7, '7'],
    ['an object with a message', { message: 'gone' }, 'gone'],
    ['an object with a code', { code: 'E7' }, 'E7'],
    ['an object with nothing of the kind', { token: 'secret' }, 'an object without a message was thrown'],
  ];
  for (const [what, thrown, expected] of cases) {
    test(what, () => {
      assert.equal(messageOf(thrown), expected);
    });
  }
});

test('a text of any length is cut, so that a line of the log stays a line', () => {
  const long = messageOf(new Error('x'.repeat(100_000)));
  assert.equal(long.length, 2_000);
  assert.match(long, /x…$/);
});
