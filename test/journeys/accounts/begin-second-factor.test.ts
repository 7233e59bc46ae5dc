import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { statement } from '../../../src/lib/db.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { openProtected } from '../../harness/second-factor.ts';
import { closeAccess, openAccess, service } from './access.ts';

before(openAccess);
after(closeAccess);

test('needs a fresh proof at each step', async () => {
  const client = await openRole(service, 'owner');
  await pastProof(service, client);
  for (const [method, path, body] of [
    ['POST', '/second-factor', undefined],
    ['POST', '/second-factor/confirm', { code: '000000' }],
    ['DELETE', '/second-factor', undefined],
  ] as const) {
    assert.equal((await client.request(method, path, { body })).body.code, 'proof_required', `${method} ${path}`);
  }
});

test('what is stored makes no code: the secret is sealed, recovery codes are keyed hashes', async () => {
  const { client, secret, codes } = await openProtected(service);
  const DUMP = statement<{ text: string }>(
    'test_factor_dump',
    'select f::text as text from second_factor f where user_id = $1',
  );
  const [row] = await service.ctx.database.all(DUMP, [client.person.id]);
  const dump = row?.text ?? '';
  assert.ok(dump.length > 0);
  for (const text of [secret, ...codes, ...codes.map((code) => code.replaceAll('-', ''))]) {
    assert.ok(!dump.includes(text) && !dump.includes(Buffer.from(text).toString('hex')), text);
  }
});
