import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { call, closeSubscriptions, good, openSubscriptions, type Reply, token } from './subscriptions.ts';

before(openSubscriptions);
after(closeSubscriptions);

test('2.1 cursors: the list is newest first and is paged without repeat or gap (2.1 envelope)', async () => {
  const bearer = await token();
  const ids: string[] = [];
  for (let count = 0; count < 7; count += 1) {
    ids.unshift((await call(bearer, 'POST', '/webhooks', { url: good() })).body.id);
  }
  const seen: string[] = [];
  let query: string | undefined = '?limit=3';
  for (let pages = 0; pages < 4 && query !== undefined; pages += 1) {
    const { body }: Reply = await call(bearer, 'GET', `/webhooks${query}`);
    seen.push(...body.data.map((subscription) => subscription.id));
    assert.equal(body.has_more, body.next_cursor !== null);
    query = body.next_cursor === null ? undefined : `?limit=3&cursor=${body.next_cursor}`;
  }
  assert.equal(query, undefined, 'three pages');
  assert.deepEqual(seen, ids);
  assert.equal((await call(bearer, 'GET', `/webhooks?cursor=${publicId('ord', newId())}`)).status, 422);
});
