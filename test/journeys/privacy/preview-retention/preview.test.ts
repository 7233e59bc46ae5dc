import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { sweepNow } from '../../../../src/privacy/retention/sweep.ts';
import { placeOrder } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';

const DAY_MS = 86_400_000;

describe('GET /retention', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  type Row = { kind: string; count: number; oldest_at: string | null; is_at_least: boolean };

  test('says what would go by kind and count and oldest time, and deletes nothing', async () => {
    const { request } = await service.openOperator('viewer');
    const ask = async (): Promise<Row[]> => {
      const answer = await request<{ data: Row[] }>('GET', '/retention');
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data;
    };
    assert.ok((await ask()).every(({ count, oldest_at: oldest }) => count === 0 && oldest === null));
    const order = await placeOrder(service);
    service.shiftMs(31 * DAY_MS);
    const events = async () => (await ask()).find(({ kind }) => kind === 'events');
    assert.deepEqual(await events(), { kind: 'events', count: 1, oldest_at: order.created_at, is_at_least: false });
    assert.deepEqual(await events(), await events());
    await sweepNow(service.ctx);
    assert.equal((await events())?.count, 0);
  });

  test('is for operators alone', async () => {
    assert.equal((await service.customer.request('GET', '/retention')).status, 404);
  });
});
