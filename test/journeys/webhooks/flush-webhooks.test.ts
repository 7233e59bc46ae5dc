import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../../harness/context.ts';
import { addProduct, basket } from '../../harness/shop.ts';
import { closeOperations, openOperations, operator, service } from '../http/operations.ts';

before(openOperations);
after(closeOperations);

describe('operating: what the shop itself is asked about', () => {
  test('flushing sends at once what waits for the next flush', async () => {
    const customer = await service.openCustomer({ balancePence: 100_000 });
    const url = service.stranger.url('/flushed');
    service.stranger.serve('/flushed', { status: 200, body: Buffer.alloc(0) });
    assert.equal((await customer.request('POST', '/webhooks', { url })).status, 201);
    const product = await addProduct(service, customer, 'TEE-CLASSIC');
    const order = basket(service, {
      items: [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs: [] }],
    });
    assert.equal((await customer.request('POST', '/orders', order)).status, 201);
    const received = (): number => service.stranger.hits.filter(({ path }) => path === '/flushed').length;
    assert.equal(received(), 0);
    assert.equal((await operator('production').request('POST', '/webhooks/flush')).status, 200);
    await eventually('the event arrives', () => received() === 1);
  });
});
