import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { call, closeSubscriptions, good, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('4.5 patch: a PATCH changes what was sent and nothing else (3.5 pause)', async () => {
  const bearer = await token();
  const { body } = await call(bearer, 'POST', '/webhooks', {
    url: good(),
    description: 'Shop',
    events: ['order.created'],
  });
  const path = `/webhooks/${body.id}`;
  const read = async () => {
    const { url, events, description, active } = (await call(bearer, 'GET', path)).body;
    return { url, events, description, active };
  };
  let expected = await read();
  const changes = [
    {},
    { description: '' },
    { url: world.receiver.url('/other') },
    { events: ['order.cancelled', 'order.on_hold'] },
    { active: false },
    { description: 'Paused' },
    { active: true },
    { secret: 'whsec_mine', id: 'whk_mine', failure_count: 3 },
  ];
  for (const change of changes) {
    assert.equal((await call(bearer, 'PATCH', path, change)).status, 200);
    const {
      secret: _secret,
      id: _id,
      failure_count: _count,
      ...known
    } = { secret: '', id: '', failure_count: 0, ...change };
    expected = { ...expected, ...known };
    assert.deepEqual(await read(), expected);
  }
});

test('9.2 an unknown member of a subscription is ignored with a warning that has the nearest known name', async () => {
  const bearer = await token();
  const ignored = 'This field is not known here and was ignored.';
  const created = await call(bearer, 'POST', '/webhooks', { url: good(), event: ['order.created'], retries: 3 });
  assert.equal(created.status, 201);
  assert.deepEqual(created.body.warnings, [
    { code: 'unknown_field', path: 'event', message: `${ignored} Did you mean \`events\`?` },
    { code: 'unknown_field', path: 'retries', message: `${ignored} Check its spelling.` },
  ]);
  const path = `/webhooks/${created.body.id}`;
  const changed = await call(bearer, 'PATCH', path, { enabled: false });
  assert.deepEqual([changed.status, changed.body.active], [200, true]);
  assert.deepEqual(changed.body.warnings, [
    { code: 'unknown_field', path: 'enabled', message: `${ignored} Did you mean \`active\`?` },
  ]);
  assert.deepEqual((await call(bearer, 'PATCH', path, { active: false })).body.warnings, []);
  assert.ok(!('warnings' in (await call(bearer, 'GET', path)).body), 'what was warned of is not kept');
});
