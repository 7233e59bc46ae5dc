import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets, NotOpened, secretKeyId } from './secrets.ts';

const secrets = createSecrets('a secret key of 32 characters or more');
const others = createSecrets('another secret key of 32 characters!');

test('what is sealed is read again, cannot be read in the database, and is never the same twice', () => {
  for (const text of ['whsec_abc', '', 'ünïcödé 🙂', 'x'.repeat(10_000)]) {
    const sealed = secrets.seal(text);
    assert.equal(secrets.unseal(sealed), text);
    assert.equal(text !== '' && sealed.bytes.includes(text), false);
    assert.notDeepEqual(secrets.seal(text), sealed);
  }
});

test('sealed bytes that were changed, cut short or sealed with another key are refused, at every byte', () => {
  const { bytes: sealed, keyId } = secrets.seal('whsec_abc');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.throws(() => secrets.unseal({ bytes: changed, keyId }), NotOpened, `byte ${at}`);
    assert.throws(() => secrets.unseal({ bytes: sealed.subarray(0, at), keyId }), NotOpened, `cut at ${at}`);
  }
  assert.throws(() => others.unseal({ bytes: sealed, keyId }), new RegExp(`key ${keyId}, which is not set: add`));
  assert.throws(() => others.unseal({ bytes: sealed, keyId: null }), /a key that is not set: add .* SECRET_KEY_OLD/);
  assert.throws(() => secrets.unseal({ bytes: sealed.subarray(1), keyId }), /was changed since/);
});

test('a signature holds for its own text under its own key only', () => {
  const signature = secrets.sign('mockups/1?expires=5');
  assert.match(signature, /^[\w-]{43}$/);
  assert.ok(secrets.verify('mockups/1?expires=5', signature));
  assert.equal(secrets.verify('mockups/1?expires=6', signature), false);
  assert.equal(others.verify('mockups/1?expires=5', signature), false);
  for (const wrong of ['', signature.slice(1), `${signature}A`, `${signature}=`, 'é'.repeat(43)]) {
    assert.equal(secrets.verify('mockups/1?expires=5', wrong), false, wrong);
  }
});

test('a digest is the same for one text and one key only, and is no signature', () => {
  const digest = secrets.digest('12 Mill Lane').toString('base64url');
  assert.equal(secrets.digest('12 Mill Lane').toString('base64url'), digest);
  for (const another of [secrets.digest('12 Mill Lane.'), others.digest('12 Mill Lane')]) {
    assert.notEqual(another.toString('base64url'), digest);
  }
  assert.notEqual(secrets.sign('12 Mill Lane'), digest);
});

test('the same key gives the same signatures in every process, so nodes can share links', () => {
  const again = createSecrets('a secret key of 32 characters or more');
  assert.equal(again.sign('a'), secrets.sign('a'));
  assert.equal(again.unseal(secrets.seal('a')), 'a');
});

const KEYS = ['first', 'second', 'third'].map((name) => `${name} `.repeat(8));
const [FIRST = '', SECOND = '', THIRD = ''] = KEYS;

test('what each of three generations of keys made is read, verified and compared as long as its key is set', () => {
  const generations = KEYS.map((key) => createSecrets(key));
  const all = createSecrets(THIRD, [SECOND, FIRST]);
  for (const [at, made] of generations.entries()) {
    const sealed = made.seal('whsec_abc');
    assert.equal(sealed.keyId, secretKeyId(KEYS[at] ?? ''));
    assert.equal(all.unseal(sealed), 'whsec_abc');
    assert.equal(all.unseal({ ...sealed, keyId: null }), 'whsec_abc', 'one without a noted key');
    assert.equal(all.unseal({ ...sealed, keyId: all.keyId }), 'whsec_abc', 'one with a wrong note');
    assert.equal(all.keyOf(sealed.bytes), sealed.keyId);
    assert.ok(all.verify('a', made.sign('a')));
    assert.ok(all.everySignature('a').includes(made.sign('a')));
    assert.ok(all.everyDigest.some((digest) => digest('a').equals(made.digest('a'))));
    assert.equal(all.verify('b', made.sign('a')), false);
  }
  assert.deepEqual(
    [all.keyId, all.keyIds, all.sign('a')],
    [secretKeyId(THIRD), [THIRD, SECOND, FIRST].map(secretKeyId), createSecrets(THIRD).sign('a')],
  );
  const [first, second] = generations;
  assert.ok(first && second);
  const without = createSecrets(THIRD, [SECOND]);
  assert.equal(without.unseal(second.seal('kept')), 'kept');
  assert.throws(() => without.unseal(first.seal('lost')), NotOpened);
  assert.equal(without.verify('a', first.sign('a')), false);
  assert.equal(without.keyOf(first.seal('lost').bytes), undefined);
});

test('the bytes of a sealed value are those that a version with one key reads, and an id tells nothing of its key', () => {
  // Nonce, tag and ciphertext, nothing before and nothing behind: going back one version loses nothing.
  const { bytes, keyId } = createSecrets(SECOND, [FIRST]).seal('whsec_abc');
  assert.equal(bytes.length, 12 + 16 + 'whsec_abc'.length);
  assert.match(keyId, /^[0-9a-f]{12}$/);
  assert.deepEqual(createSecrets(SECOND, [SECOND]).keyIds, [keyId]);
});
