import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import { closeOrders, openOrders, placed, poor, service, viewer, waiting } from '../for-operators.ts';

before(openOrders);
after(closeOrders);

async function listed(query: string): Promise<Page<OpsOrder>> {
  const { status, body } = await viewer.request<Page<OpsOrder>>('GET', `/orders?${query}`);
  assert.equal(status, 200);
  return body;
}

describe('the list of orders', () => {
  test('is of all accounts, the newest first, page by page without a gap or a repeat', async () => {
    for (let round = 0; round < 3; round += 1) await placed(service.customer);
    const all = await listed('limit=100');
    const ids = all.data.map(({ id }) => id);
    assert.deepEqual(ids, ids.toSorted().toReversed());
    assert.ok(ids.includes(waiting.id));
    const walked: string[] = [];
    let query = 'limit=2';
    for (;;) {
      const page = await listed(query);
      walked.push(...page.data.map(({ id }) => id));
      if (page.next_cursor === null) break;
      query = `limit=2&cursor=${page.next_cursor}`;
    }
    assert.deepEqual(walked, ids);
  });

  test('by state, by account, and both', async () => {
    const mine = publicId('acct', poor.accountId);
    const names = async (query: string): Promise<string[]> => (await listed(query)).data.map(({ id }) => id);
    assert.deepEqual(await names('state=awaiting_payment'), [waiting.id]);
    assert.deepEqual(await names(`account=${mine}`), [waiting.id]);
    assert.deepEqual(await names(`account=${mine}&state=awaiting_payment`), [waiting.id]);
    assert.deepEqual(await names(`account=${mine}&state=placed`), []);
    assert.deepEqual(await names('account=acct_unknown'), []);
    const placedOnes = await listed('state=placed&limit=100');
    assert.ok(placedOnes.data.length >= 3 && placedOnes.data.every(({ state }) => state === 'placed'));
  });

  test("by a reference, ours or the owner's", async () => {
    for (const reference of [waiting.reference, waiting.reference.toLowerCase(), 'POOR-1']) {
      assert.deepEqual(
        (await listed(`reference=${reference}`)).data.map(({ id }) => id),
        [waiting.id],
      );
    }
    for (const query of [
      'reference=poor-1',
      'reference=POOR-1&state=placed',
      `reference=POOR-1&cursor=${waiting.id}`,
    ]) {
      assert.deepEqual((await listed(query)).data, [], query);
    }
  });
});
