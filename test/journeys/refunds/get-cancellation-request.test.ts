import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { OpsCancellationRequest } from '../../../src/refunds/asking/ops-schema.ts';
import { type AskingShop, openAsking } from './asking.ts';

let at: AskingShop;
before(async () => {
  at = await openAsking();
});
after(() => at.service.stop());

test('a request shows its order, its account, why it was asked and who answered; an unknown one is 404', async () => {
  const order = await at.late();
  const request = await at.asked(order, { reason: 'takes_too_long', text: 'The party is on Friday.' });
  const viewer = await at.service.openOperator('viewer');
  const see = (id: string) => viewer.request<OpsCancellationRequest>('GET', `/cancellation-requests/${id}`);
  const open = await see(request.id);
  assert.equal(open.status, 200, open.text);
  assert.deepEqual(open.body, {
    ...request,
    order: { id: order.id, reference: order.reference },
    account_id: publicId('acct', at.shop.accountId),
    answered_by: '',
  });
  await at.answer(request, 'refuse', { message: 'It arrives on Thursday.' });
  assert.match((await see(request.id)).body.answered_by, /^operator \S+@/);
  for (const id of [publicId('creq', newId()), 'nonsense', order.id]) assert.equal((await see(id)).status, 404);
});
