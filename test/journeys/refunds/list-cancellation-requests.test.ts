import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OpsCancellationRequest } from '../../../src/refunds/asking/ops-schema.ts';
import { problemsOf } from '../../harness/shop.ts';
import { type AskingShop, openAsking } from './asking.ts';

let at: AskingShop;
before(async () => {
  at = await openAsking();
});
after(() => at.service.stop());

type ListBody = { data: OpsCancellationRequest[]; has_more: boolean; next_cursor: string | null };

test('open requests of all accounts come by their deadlines, a page at a time, others by their state', async () => {
  const asked = [];
  for (let index = 0; index < 3; index += 1) {
    asked.push(await at.asked(await at.late(), { reason: 'other', text: `Number ${index}` }));
    at.service.shiftMs(60_000);
  }
  const viewer = await at.service.openOperator('viewer');
  const list = async (query = ''): Promise<ListBody> => {
    const answer = await viewer.request<ListBody>('GET', `/cancellation-requests${query}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  assert.deepEqual(
    (await list()).data.map(({ text }) => text),
    ['Number 0', 'Number 1', 'Number 2'],
  );
  const first = await list('?limit=2');
  assert.deepEqual([first.data.length, first.has_more], [2, true]);
  assert.deepEqual(
    (await list(`?limit=2&cursor=${first.next_cursor}`)).data.map(({ text }) => text),
    ['Number 2'],
  );
  const [request] = asked;
  assert.ok(request);
  assert.equal((await at.answer(request, 'refuse', { message: 'It is packed.' })).status, 200);
  assert.deepEqual(
    (await list()).data.map(({ text }) => text),
    ['Number 1', 'Number 2'],
  );
  const [refused] = (await list('?state=refused')).data;
  assert.deepEqual([refused?.id, refused?.order.reference.slice(0, 3)], [request.id, 'PF-']);
  assert.deepEqual(problemsOf((await viewer.request('GET', '/cancellation-requests?state=gone')) as never), [
    'state unknown_value',
  ]);
});
