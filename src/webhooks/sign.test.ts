import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { newSigningSecret, signedHeaders } from './sign.ts';

const body = Buffer.from('{"id":"evt_1","data":{"reference":"PF-ÅÄÖ"}}');
const attempt = {
  event: 'order.created',
  eventId: 'evt_1',
  subscriptionId: 'whk_1',
  deliveryId: 'dlv_1',
  at: new Date(),
  body,
};

test('6.5.1 svc-signature is the lower-case hex HMAC-SHA256 of timestamp, dot and raw body, keyed by the whole secret (6.4 svc-signature, 6.4 svc-timestamp)', () => {
  const headers = signedHeaders('whsec_c2VjcmV0', { ...attempt, at: new Date(1_790_000_000_999) });
  assert.equal(headers['svc-timestamp'], '1790000000');
  const signed = Buffer.concat([Buffer.from('1790000000.'), body]);
  assert.equal(headers['svc-signature'], createHmac('sha256', 'whsec_c2VjcmV0').update(signed).digest('hex'));
  assert.match(headers['svc-signature'] ?? '', /^[0-9a-f]{64}$/);
});

test('a delivery names its event, its subscription and itself, and who sends it (6.4 svc-event, 6.4 svc-webhook-id, 6.4 svc-delivery-id, 6.4 user-agent)', () => {
  const headers = signedHeaders(newSigningSecret(), attempt);
  assert.equal(headers['svc-event'], 'order.created');
  assert.equal(headers['svc-webhook-id'], 'whk_1');
  assert.equal(headers['svc-delivery-id'], 'dlv_1');
  assert.equal(headers['user-agent'], 'svc-webhooks/1');
  assert.equal(headers['content-type'], 'application/json');
});

test('a receiver that uses a stock Standard Webhooks library verifies the same delivery, and refuses a changed one', () => {
  const secret = newSigningSecret();
  const headers = signedHeaders(secret, attempt);
  const library = new Webhook(secret);
  assert.deepEqual(library.verify(body, headers), JSON.parse(body.toString()));
  assert.throws(() => library.verify(Buffer.concat([body, Buffer.from(' ')]), headers));
  assert.throws(() => new Webhook(newSigningSecret()).verify(body, headers));
});

test('a signing secret is whsec_ and 32 random bytes (2.8 secret)', () => {
  const secret = newSigningSecret();
  assert.match(secret, /^whsec_[A-Za-z0-9+/]{43}=$/);
  assert.notEqual(secret, newSigningSecret());
});
