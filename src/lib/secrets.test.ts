import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createSecrets } from './secrets.ts';

const secrets = createSecrets('a secret key of 32 characters or more');
const others = createSecrets('another secret key of 32 characters!');

test('what is sealed is read again, cannot be read in the database, and is never the same twice', () => {
  for (const text of ['whsec_abc', '', 'ünïcödé 🙂', 'x'.repeat(10_000)]) {
    const sealed = secrets.seal(text);
    assert.equal(secrets.unseal(sealed), text);
    assert.equal(text !== '' && sealed.includes(text), false);
    assert.notDeepEqual(secrets.seal(text), sealed);
  }
});

test('sealed bytes that were changed, cut short or sealed with another key are refused, at every byte', () => {
  const sealed = secrets.seal('whsec_abc');
  for (let at = 0; at < sealed.length; at += 1) {
    const changed = Buffer.from(sealed);
    changed.writeUInt8(changed.readUInt8(at) ^ 1, at);
    assert.throws(() => secrets.unseal(changed), `byte ${at}`);
    assert.throws(() => secrets.unseal(sealed.subarray(0, at)), `cut at ${at}`);
  }
  assert.throws(() => others.unseal(sealed));
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
