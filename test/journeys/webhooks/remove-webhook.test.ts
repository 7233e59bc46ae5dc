import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, closeSubscriptions, good, openSubscriptions, token } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('a removed subscription is neither listed, read, changed nor removed again, and the others stay', async () => {
  const owner = await token();
  const { body: kept } = await call(owner, 'POST', '/webhooks', { url: good() });
  const { body: removed } = await call(owner, 'POST', '/webhooks', { url: good() });
  assert.equal((await call(owner, 'DELETE', `/webhooks/${removed.id}`)).status, 204);
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { active: false }],
    ['DELETE', undefined],
  ] as const) {
    assert.equal((await call(owner, method, `/webhooks/${removed.id}`, body)).status, 404, method);
  }
  const { body } = await call(owner, 'GET', '/webhooks');
  assert.deepEqual(
    body.data.map(({ id }) => id),
    [kept.id],
  );
});
