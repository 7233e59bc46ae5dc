import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  type VerifyWebhookOptions,
  verifyWebhook,
  type WebhookProblem,
  WebhookVerificationError,
} from '../../sdk/src/index.ts';
import { newSigningSecret, signedHeaders } from '../../src/webhooks/sign.ts';

const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
const NEXT = 'whsec_bmV4dCBzZWNyZXQgb2YgdGhlIHN1YnNjcmlwdGlvbg==';
const NOW = new Date('2026-11-21T09:30:00.000Z');
const TIMESTAMP = '1795253400';
const EVENT = {
  id: 'evt_1',
  event: 'order.cancelled',
  created_at: '2026-11-21T09:29:58.000Z',
  data: { order_id: 'ord_1', reference: 'PF-1', status: 'cancelled', refunded_gbp: 35.34, cancelled_by: 'api' },
  sequence: 2,
};
const BODY = JSON.stringify(EVENT);

/** Written from spec 6.5 alone. */
function sign(body: string | Uint8Array, secret = SECRET, timestamp = TIMESTAMP): string {
  return createHmac('sha256', secret).update(`${timestamp}.`).update(body).digest('hex');
}

const HEADERS = { 'svc-timestamp': TIMESTAMP, 'svc-signature': sign(BODY) };

function verify(changes: Partial<VerifyWebhookOptions> = {}) {
  return verifyWebhook({ secret: SECRET, headers: HEADERS, rawBody: BODY, now: NOW, ...changes });
}

async function assertRefused(changes: Partial<VerifyWebhookOptions>, code: WebhookProblem): Promise<void> {
  await assert.rejects(verify(changes), (error) => {
    assert.ok(error instanceof WebhookVerificationError, String(error));
    assert.equal(error.code, code);
    for (const secret of [SECRET, NEXT]) assert.ok(!error.message.includes(secret));
    return true;
  });
}

describe('6.5.1 a delivery that the service signed is its event', () => {
  const bytes = Buffer.from(`before${BODY}after`).subarray(6, 6 + BODY.length);
  const bodies: [what: string, rawBody: VerifyWebhookOptions['rawBody']][] = [
    ['text', BODY],
    ['a Buffer', Buffer.from(BODY)],
    ['bytes within a larger buffer', bytes],
    ['an ArrayBuffer', Uint8Array.from(Buffer.from(BODY)).buffer],
    ['a DataView', new DataView(Uint8Array.from(Buffer.from(BODY)).buffer)],
  ];
  for (const [what, rawBody] of bodies) {
    test(`its body as ${what}`, async () => assert.deepEqual(await verify({ rawBody }), EVENT));
  }

  const { 'svc-timestamp': timestamp, 'svc-signature': signature } = HEADERS;
  const headers: [what: string, headers: VerifyWebhookOptions['headers']][] = [
    ['a Headers object', new Headers(HEADERS)],
    ['names in capitals', { 'SVC-Timestamp': timestamp, 'Svc-Signature': signature }],
    ['lists of one', { 'svc-timestamp': [timestamp], 'svc-signature': [signature] }],
    ['others beside', { ...HEADERS, host: 'shop.example', 'set-cookie': ['a', 'b'], missing: undefined }],
  ];
  for (const [what, source] of headers) {
    test(`its headers as ${what}`, async () => assert.deepEqual(await verify({ headers: source }), EVENT));
  }

  test("with the service's own code, whose every secret is good", async () => {
    const secret = newSigningSecret();
    const body = Buffer.from(BODY);
    const attempt = {
      event: EVENT.event,
      eventId: 'evt_1',
      subscriptionId: 'whk_1',
      deliveryId: 'dlv_1',
      at: NOW,
      body,
    };
    const event = await verify({ secret, headers: signedHeaders(secret, attempt), rawBody: body });
    if (event.event !== 'order.cancelled') assert.fail(event.event);
    const refunded: number = event.data.refunded_gbp;
    assert.equal(refunded, 35.34);
  });

  test('an event that is newer than the client is given as it came', async () => {
    const body =
      '{"id":"evt_9","event":"order.returned","created_at":"2027-01-01T00:00:00.000Z","data":{"x":1},"sequence":3}';
    const event = await verify({ rawBody: body, headers: { ...HEADERS, 'svc-signature': sign(body) } });
    assert.deepEqual(event, JSON.parse(body));
  });
});

describe('6.5.2 what is signed are the bytes: another body, time, secret or signature is refused', () => {
  const flipped = (text: string): string => (text.startsWith('0') ? '1' : '0') + text.slice(1);
  const rows: [what: string, changes: Partial<VerifyWebhookOptions>][] = [
    ['one letter of the body', { rawBody: BODY.replace('35.34', '35.35') }],
    ['the same JSON, written anew', { rawBody: JSON.stringify(JSON.parse(BODY), null, 1) }],
    ['a space at its end', { rawBody: `${BODY} ` }],
    ['an empty body', { rawBody: '' }],
    ['another time', { headers: { ...HEADERS, 'svc-timestamp': String(Number(TIMESTAMP) + 1) } }],
    ['a time with zeros before it', { headers: { ...HEADERS, 'svc-timestamp': `0${TIMESTAMP}` } }],
    ['another secret', { secret: NEXT }],
    ['the bytes that the secret encodes', { headers: { ...HEADERS, 'svc-signature': standardSignature() } }],
    ['a signature of other digits', { headers: { ...HEADERS, 'svc-signature': flipped(sign(BODY)) } }],
    ['half a signature', { headers: { ...HEADERS, 'svc-signature': sign(BODY).slice(0, 32) } }],
    ['a signature and a half', { headers: { ...HEADERS, 'svc-signature': `${sign(BODY)}00` } }],
    ['capitals', { headers: { ...HEADERS, 'svc-signature': sign(BODY).toUpperCase() } }],
    ['no hex at all', { headers: { ...HEADERS, 'svc-signature': 'g'.repeat(64) } }],
    ['two signatures in one header', { headers: { ...HEADERS, 'svc-signature': `${sign(BODY)}, ${sign(BODY)}` } }],
  ];
  for (const [what, changes] of rows) test(what, () => assertRefused(changes, 'signature'));

  function standardSignature(): string {
    const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64');
    return createHmac('sha256', key).update(`${TIMESTAMP}.${BODY}`).digest('hex');
  }
});

describe('6.5.3 a delivery more than 300 seconds from the clock is refused', () => {
  const rows: [apartSeconds: number, tolerance: number | undefined, isGood: boolean][] = [
    [0, undefined, true],
    [300, undefined, true],
    [-300, undefined, true],
    [301, undefined, false],
    [-301, undefined, false],
    [5, 5, true],
    [6, 5, false],
    [86_400, 86_400, true],
    [0, 0, true],
    [1, 0, false],
  ];
  for (const [apartSeconds, toleranceSeconds, isGood] of rows) {
    test(`${apartSeconds} s, of ${toleranceSeconds ?? 300} allowed: ${isGood ? 'taken' : 'refused'}`, async () => {
      const changes = { now: new Date(NOW.getTime() + apartSeconds * 1_000), toleranceSeconds };
      if (isGood) assert.deepEqual(await verify(changes), EVENT);
      else await assertRefused(changes, 'timestamp');
    });
  }

  test('by the clock of the machine when none is given', async () => {
    const timestamp = String(Math.floor(Date.now() / 1_000));
    const headers = { 'svc-timestamp': timestamp, 'svc-signature': sign(BODY, SECRET, timestamp) };
    assert.deepEqual(await verifyWebhook({ secret: SECRET, headers, rawBody: BODY }), EVENT);
    await assert.rejects(verifyWebhook({ secret: SECRET, headers: HEADERS, rawBody: BODY }), WebhookVerificationError);
  });

  test('a time that is none is refused though it is signed', async () => {
    for (const timestamp of ['now', '1e9', '-5', '1795253400.5', '']) {
      const headers = { 'svc-timestamp': timestamp, 'svc-signature': sign(BODY, SECRET, timestamp) };
      await assertRefused({ headers }, 'timestamp');
    }
  });
});

test('what is given are the bytes that were verified, though their buffer is used again meanwhile', async () => {
  const rawBody = Buffer.from(BODY);
  const verified = verify({ rawBody });
  rawBody.write(BODY.replace('35.34', '99.99'));
  assert.deepEqual(await verified, EVENT);
});

describe('while a secret is being changed', () => {
  const both = { ...HEADERS, 'svc-signature-next': sign(BODY, NEXT) };
  test('a receiver with the old one, the new one or both takes the delivery', async () => {
    for (const secret of [SECRET, NEXT, [SECRET, NEXT], [NEXT, SECRET]]) {
      assert.deepEqual(await verify({ secret, headers: both }), EVENT);
    }
  });
  test('a receiver with both takes what either has signed alone', async () => {
    assert.deepEqual(await verify({ secret: [NEXT, SECRET] }), EVENT);
    const next = { 'svc-timestamp': TIMESTAMP, 'svc-signature': sign(BODY, NEXT) };
    assert.deepEqual(await verify({ secret: [SECRET, NEXT], headers: next }), EVENT);
  });
  test('a receiver with neither refuses it', () =>
    assertRefused({ secret: newSigningSecret(), headers: both }, 'signature'));
});

describe("the receiver's own mistakes are named", () => {
  test('a body that was parsed', async () => {
    for (const rawBody of [EVENT, null, undefined, 5, [BODY], new Blob([BODY])]) {
      await assertRefused({ rawBody: rawBody as unknown as string }, 'raw_body');
    }
  });
  test('a secret that is none', async () => {
    for (const secret of ['', 'whsec_', SECRET.slice(6), ` ${SECRET}`, `${SECRET}\n`, [], [SECRET, ''], undefined]) {
      await assertRefused({ secret: secret as unknown as string }, 'secret');
    }
  });
  test('headers that are missing or there twice', async () => {
    const { 'svc-timestamp': timestamp, 'svc-signature': signature } = HEADERS;
    const incomplete: VerifyWebhookOptions['headers'][] = [
      {},
      new Headers(),
      { 'svc-timestamp': timestamp },
      { 'svc-signature': signature },
      { ...HEADERS, 'svc-signature': [signature, signature] },
      { ...HEADERS, 'Svc-Timestamp': timestamp },
      { ...HEADERS, 'svc-timestamp': undefined },
      { ...HEADERS, 'svc-timestamp': [] },
      undefined as unknown as Headers,
      null as unknown as Headers,
    ];
    for (const headers of incomplete) await assertRefused({ headers }, 'header_missing');
  });
  test('a signed body that is no event', async () => {
    for (const rawBody of [
      '',
      '[]',
      'null',
      '{}',
      '{"id":1,"event":"a","data":{}}',
      '{"id":"a","event":"b"}',
      '{"id":',
    ]) {
      await assertRefused({ rawBody, headers: { ...HEADERS, 'svc-signature': sign(rawBody) } }, 'payload');
    }
  });
});
