import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { Replay } from '../../../src/webhooks/recovery/replay-schema.ts';
import { past, replay } from './replays.ts';
import { call, callerOf, closeSubscriptions, openSubscriptions, token, world } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('the replays of a subscription are listed newest first, page by page, to its own account', async () => {
  const bearer = await token();
  const { at } = await past(callerOf(bearer), 2);
  const { id } = await world.subscribe(callerOf(bearer), '/listed');
  const made: string[] = [];
  for (let count = 0; count < 3; count += 1) {
    const begun = (await replay(bearer, id, { since: at[0]?.toISOString() })).body.replay ?? assert.fail();
    made.unshift(begun.id);
    await call(bearer, 'PATCH', `/webhooks/${id}/replays/${begun.id}`, { status: 'cancelled' });
  }
  const list = async (query = '') => (await call<Page<Replay>>(bearer, 'GET', `/webhooks/${id}/replays${query}`)).body;
  const ids = (page: Page<Replay>) => page.data.map((each) => each.id);
  assert.deepEqual(ids(await list()), made);
  const first = await list('?limit=2');
  assert.deepEqual([ids(first), first.has_more], [made.slice(0, 2), true]);
  assert.deepEqual(ids(await list(`?limit=2&cursor=${first.next_cursor}`)), made.slice(2));
  assert.equal((await call(await token(), 'GET', `/webhooks/${id}/replays`)).status, 404);
  assert.equal((await call(bearer, 'GET', '/webhooks/nonsense/replays')).status, 404);
  assert.equal((await call(bearer, 'GET', `/webhooks/${id}/replays?cursor=dlv_1`)).status, 422);
  const other = await world.subscribe(callerOf(bearer), '/other');
  assert.deepEqual((await call<Page<Replay>>(bearer, 'GET', `/webhooks/${other.id}/replays`)).body.data, []);
});
