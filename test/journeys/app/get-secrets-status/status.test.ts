import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SecretsStatus } from '../../../../src/app/secrets/schema.ts';
import { secretKeyId } from '../../../../src/lib/secrets.ts';
import type { Static } from '../../../../src/lib/typebox.ts';
import { SECRET_KEY } from '../../../harness/database.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';

type Status = Static<typeof SecretsStatus>;

const FORMER = 'a former key of the tests that is long enough';

let service: TestService;
before(async () => {
  service = await startTestService({ env: { SECRET_KEY_OLD: FORMER } });
});
after(() => service.stop());

test('every operator reads which keys are set and what each seals, and no answer holds a key', async () => {
  const url = service.stranger.url('/hooks');
  assert.equal((await service.customer.request('POST', '/webhooks', { url })).status, 201);
  for (const role of ['viewer', 'admin'] as const) {
    const { status, body, text } = await (await service.openOperator(role)).request<Status>('GET', '/secrets');
    assert.equal(status, 200, text);
    assert.deepEqual([body.sealing_key, body.complete], [secretKeyId(SECRET_KEY), true]);
    assert.deepEqual(
      body.keys.map(({ id, state, webhook_secrets: kept }) => [id, state, kept]),
      [
        [secretKeyId(SECRET_KEY), 'sealing', 1],
        [secretKeyId(FORMER), 'readable', 0],
      ],
    );
    for (const key of [SECRET_KEY, FORMER]) assert.ok(!text.includes(key));
  }
});

test('no customer reads it, and what the operation does not know is refused', async () => {
  assert.equal((await service.customer.request('GET', '/secrets')).status, 404);
  const admin = await service.openOperator();
  const response = await fetch(`${service.url}/ops/v1/secrets`, {
    headers: { authorization: `Bearer ${service.customer.token}` },
  });
  assert.equal(response.status, 401);
  assert.equal((await admin.request('GET', '/secrets?key=1')).status, 422);
});
