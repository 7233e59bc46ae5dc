import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { Replay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { past, replay } from './replays.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('5.5 a replay is read by its account alone, under its own subscription', async () => {
  const bearer = await token();
  const { at } = await past(callerOf(bearer), 2);
  const { id } = await world.subscribe(callerOf(bearer), '/read');
  const elsewhere = await world.subscribe(callerOf(bearer), '/elsewhere');
  const begun = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
  const read = await call<Replay>(bearer, 'GET', `/webhooks/${id}/replays/${begun.id}`);
  assert.deepEqual([read.status, read.body], [200, begun]);
  for (const [who, path] of [
    [await token(), `/webhooks/${id}/replays/${begun.id}`],
    [bearer, `/webhooks/${elsewhere.id}/replays/${begun.id}`],
    [bearer, `/webhooks/${id}/replays/${publicId('rpl', newId())}`],
    [bearer, `/webhooks/${id}/replays/whk_1`],
  ] as const) {
    assert.equal((await call(who, 'GET', path)).status, 404, path);
  }
});
