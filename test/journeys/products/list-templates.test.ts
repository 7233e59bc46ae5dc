import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { TemplateSummary } from '../../../src/products/template/template-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { addProduct, problemsOf } from '../../harness/shop.ts';
import { createCap, LINE, onFront, save } from './templates.ts';

test('the list has the personalised products of the account, newest first, without archived ones, by pages', async () => {
  const service = await startTestService({ role: 'api' });
  try {
    const owner = await openRole(service, 'owner');
    const reader = await openRole(service, 'reader');
    const list = async (by: PortalClient, query = '') =>
      (await by.request<Page<TemplateSummary>>('GET', `/templates${query}`)).body;
    const first = await createCap(owner, 'First cap');
    const second = await createCap(owner, 'Second cap');
    await save(owner, second, onFront(LINE));
    await addProduct(service, service.customer, 'CAP-TWILL');
    const all = await list(reader);
    const seeded = service.demo.products.personalised;
    assert.deepEqual(
      all.data.map(({ id }) => id),
      [second.id, first.id, seeded],
    );
    assert.deepEqual(
      all.data.map((one) => [one.status, one.layers, one.published_version, one.is_changed]),
      [
        ['draft', 1, 0, true],
        ['draft', 0, 0, true],
        ['active', all.data[2]?.layers, 1, false],
      ],
    );
    const page = await list(owner, '?limit=1');
    assert.deepEqual([page.data[0]?.id, page.has_more, page.next_cursor], [second.id, true, second.id]);
    assert.equal((await list(owner, `?limit=1&cursor=${page.next_cursor}`)).data[0]?.id, first.id);
    assert.equal((await owner.api('DELETE', `/products/${first.id}`)).status, 204);
    assert.deepEqual(
      (await list(owner)).data.map(({ id }) => id),
      [second.id, seeded],
    );
    const { accountId } = await service.openCustomer();
    assert.deepEqual((await list(await openRole(service, 'owner', accountId))).data, []);
    assert.deepEqual(problemsOf(await owner.request('GET', '/templates?limit=0&status=draft')), [
      'limit pattern',
      'status unknown_field',
    ]);
  } finally {
    await service.stop();
  }
});
