import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { call, closeSubscriptions, good, openSubscriptions, token } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test("5.5 another account's subscription and no subscription are the same 404 (B38)", async () => {
  const [owner, other] = [await token(), await token()];
  const { body: own } = await call(owner, 'POST', '/webhooks', { url: good() });
  for (const [method, body] of [
    ['GET', undefined],
    ['PATCH', { active: false }],
    ['DELETE', undefined],
  ] as const) {
    const unknown = [own.id, publicId('whk', newId()), own.id.toUpperCase(), own.id.replace('whk', 'ord'), 'whk_1'];
    const bodies = [];
    for (const id of unknown) {
      const reply = await call(other, method, `/webhooks/${id}`, body);
      assert.equal(reply.status, 404);
      bodies.push({ ...reply.body, request_id: '' });
    }
    for (const each of bodies) assert.deepEqual(each, bodies[0]);
  }
  assert.deepEqual((await call(other, 'GET', '/webhooks')).body.data, []);
  assert.equal((await call(owner, 'GET', `/webhooks/${own.id}`)).body.active, true);
});
