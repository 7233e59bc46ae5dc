import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { hashToken, isImportable, mayBeBearerToken, newToken } from './token.ts';

test('a new token is pat_live_, 32 random characters and a checksum over them, and never comes twice (5.2, 9.4 sandbox)', () => {
  const tokens = Array.from({ length: 1_000 }, newToken);
  for (const token of tokens) {
    assert.match(token, /^pat_live_[0-9A-Za-z]{38}$/);
    assert.ok(mayBeBearerToken(token));
  }
  assert.equal(new Set(tokens).size, tokens.length);
  // Every character of the alphabet comes up: 32,000 draws of 62.
  assert.equal(new Set(tokens.map((token) => token.slice(9, 41)).join('')).size, 62);
});

test('a token with one character mistyped is refused without a look-up, wherever it is', () => {
  const token = newToken();
  for (let at = 0; at < token.length; at += 1) {
    const other = token.charAt(at) === 'x' ? 'y' : 'x';
    const mistyped = token.slice(0, at) + other + token.slice(at + 1);
    assert.equal(mayBeBearerToken(mistyped), false, mistyped);
  }
});

describe('B31 B32 what cannot be a token is refused before any hash is computed', () => {
  const token = newToken();
  const cases = {
    empty: '',
    'a newline after it': `${token}\n`,
    'a blank after it': `${token} `,
    'a NUL in it': `pat_test_a\0b`,
    'not ASCII': 'pat_test_ä',
    'one more character': `${token}0`,
    'one less': token.slice(0, -1),
    'a megabyte': 'a'.repeat(1_048_576),
    '256 characters': 'a'.repeat(256),
  };
  for (const [title, text] of Object.entries(cases)) test(title, () => assert.equal(mayBeBearerToken(text), false));
});

test("an app's tokens and secrets have the same form; of them only an access token may come with a request", () => {
  const [access, refresh, secret] = (['oat_', 'ort_', 'ocs_'] as const).map((prefix) => newToken(prefix));
  assert.match(access ?? '', /^oat_[0-9A-Za-z]{38}$/);
  assert.deepEqual(
    [access, refresh, secret].map((token) => mayBeBearerToken(token ?? '')),
    [true, false, false],
  );
  assert.equal(mayBeBearerToken(`${access?.slice(0, -1)}${access?.endsWith('x') ? 'y' : 'x'}`), false);
});

test('B32 B33 of tokens that are not ours only pat_test_ ones are looked up, whatever their form', () => {
  for (const token of [
    'pat_test_1',
    'pat_test_anything-at_all',
    'pat_test_a.b~c+d/e==',
    `pat_test_${'a'.repeat(246)}`,
  ]) {
    assert.ok(mayBeBearerToken(token) && isImportable(token), token);
  }
  for (const token of ['pat_test_', 'pat_test_=', 'a'.repeat(255), 'sk_live_1', `pat_test_${'a'.repeat(247)}`]) {
    assert.ok(!mayBeBearerToken(token) && !isImportable(token), token);
  }
  assert.equal(isImportable(newToken()), false);
});

test('what is stored is the SHA-256 of the token, the same on every node', () => {
  const expected = '004654815758a524380625952d5d1115acbbd480b030ab14f235b9d92029b78e';
  assert.equal(hashToken('pat_test_1').toString('hex'), expected);
});
