import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { closeOperations, openOperations, operator, service } from '../../http/operations.ts';

before(openOperations);
after(closeOperations);

describe('operating: what the shop itself is asked about', () => {
  test('the audit log says who did what, the newest first, page by page', async () => {
    const { email, request } = await service.openOperator('production');
    for (let round = 0; round < 3; round += 1) await request('POST', '/webhooks/flush');
    type Page = {
      data: { operator: string; action: string; at: string }[];
      has_more: boolean;
      next_cursor: string | null;
    };
    const first = await operator('viewer').request<Page>('GET', '/audit?limit=2');
    assert.deepEqual(
      first.body.data.map(({ operator: who, action }) => [who, action]),
      [
        [email, 'flush_webhooks'],
        [email, 'flush_webhooks'],
      ],
    );
    const rest = await operator('viewer').request<Page>('GET', `/audit?cursor=${first.body.next_cursor}`);
    assert.equal(rest.body.data[0]?.operator, email);
    assert.ok((rest.body.data[0]?.at ?? '') <= (first.body.data[1]?.at ?? ''));
    const none = await operator().request<Page>('GET', `/audit?order=ord_${'0'.repeat(26)}`);
    assert.deepEqual(none.body.data, []);
  });
});
