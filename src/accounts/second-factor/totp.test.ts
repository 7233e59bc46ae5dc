import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { matchTotp, newTotpSecret, otpauthUrl, totpCode, totpStep } from './totp.ts';

/** The secret of RFC 6238, appendix B, `12345678901234567890`. */
const SECRET = 'GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ';

describe('codes by time', () => {
  // The last six digits of the eight in the RFC's table for SHA-1.
  const TABLE: [seconds: number, code: string][] = [
    [59, '287082'],
    [1_111_111_109, '081804'],
    [1_111_111_111, '050471'],
    [1_234_567_890, '005924'],
    [2_000_000_000, '279037'],
    [20_000_000_000, '353130'],
  ];
  for (const [seconds, code] of TABLE) {
    test(`RFC 6238 at ${seconds} s: ${code}`, () => {
      const now = new Date(seconds * 1_000);
      assert.equal(totpCode(SECRET, totpStep(now)), code);
      assert.equal(matchTotp(SECRET, code, { now, lastStep: 0 }), totpStep(now));
    });
  }

  test('one step earlier and later counts, two do not', () => {
    const now = new Date(1_234_567_890_000);
    const at = (steps: number) => totpCode(SECRET, totpStep(now) + steps);
    const matched = [-2, -1, 0, 1, 2].map((steps) => matchTotp(SECRET, at(steps), { now, lastStep: 0 }));
    const present = totpStep(now);
    assert.deepEqual(matched, [undefined, present - 1, present, present + 1, undefined]);
  });

  test('a code counts once, and none that is earlier than one that was taken', () => {
    const now = new Date(1_234_567_890_000);
    const present = totpStep(now);
    assert.equal(matchTotp(SECRET, totpCode(SECRET, present), { now, lastStep: present }), undefined);
    assert.equal(matchTotp(SECRET, totpCode(SECRET, present - 1), { now, lastStep: present }), undefined);
    assert.equal(matchTotp(SECRET, totpCode(SECRET, present + 1), { now, lastStep: present }), present + 1);
  });

  test('what is no code is none', () => {
    const now = new Date(1_234_567_890_000);
    for (const code of ['', '5924', '0059240', '00592４', 'abcdef']) {
      assert.equal(matchTotp(SECRET, code, { now, lastStep: 0 }), undefined, code);
    }
  });
});

test('a new secret has 160 bits, and an app takes it from its address', () => {
  const secrets = new Set(Array.from({ length: 50 }, newTotpSecret));
  assert.equal(secrets.size, 50);
  for (const secret of secrets) assert.match(secret, /^[A-Z2-7]{32}$/);
  const url = otpauthUrl(SECRET, { issuer: 'Fern & Co: print', email: 'a+b@shop.example' });
  assert.equal(
    url,
    `otpauth://totp/Fern%20%26%20Co%3A%20print:a%2Bb%40shop.example?secret=${SECRET}&issuer=Fern%20%26%20Co%3A%20print&algorithm=SHA1&digits=6&period=30`,
  );
});
