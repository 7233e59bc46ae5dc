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
