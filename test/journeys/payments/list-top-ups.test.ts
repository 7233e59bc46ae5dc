import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { CardTopUp } from '../../../src/payments/top-ups/top-up-schema.ts';
import { begun, look, openTill } from './card-top-ups.ts';
import { closeCards, openCards, provider } from './cards.ts';

before(openCards);
after(closeCards);

test('top-ups by card are listed newest first, a page at a time, without asking the provider; those of others are not', async () => {
  const till = await openTill();
  await begun(await openTill());
  const first = await begun(till, 10);
  const second = await begun(till, 20);
  provider.pay(first.page);
  await look(till.owner, first.topUp);
  const calls = provider.calls.length;
  const list = (query: string) => till.owner.request<Page<CardTopUp>>('GET', `/top-ups${query}`);
  const page = await list('?limit=1');
  assert.deepEqual(
    page.body.data.map(({ id, amount, state, pay_url: url }) => [id, amount, state, url]),
    [[second.topUp.id, 20, 'open', null]],
  );
  const next = await list(`?limit=1&cursor=${page.body.next_cursor ?? ''}`);
  assert.deepEqual(
    next.body.data.map(({ id, amount, state }) => [id, amount, state]),
    [[first.topUp.id, 10, 'paid']],
  );
  assert.deepEqual([next.body.has_more, next.body.next_cursor], [false, null]);
  const [open, paid] = [page.body.data[0] ?? assert.fail(), next.body.data[0] ?? assert.fail()];
  assert.deepEqual([open.settled_at, open.is_automatic, paid.is_automatic], [null, false, false]);
  assert.ok(paid.settled_at !== null && paid.settled_at >= paid.created_at, String(paid.settled_at));
  assert.equal(provider.calls.length, calls);
  assert.equal((await list('?cursor=ord_x')).status, 422);
});
