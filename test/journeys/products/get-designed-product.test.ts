import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERSON_ROLES } from '../../../src/lib/caller.ts';
import type { DesignedProduct } from '../../../src/products/designer/designer-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { designTee, take } from './designing.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('everyone of the account reads a product with its designs, archived ones too, and no one else', async () => {
  const owner = await openRole(service, 'owner');
  const { design } = await take(owner, '/plum.png', { widthPx: 900, heightPx: 600, colour: 'plum' });
  const made = await designTee(owner, design);
  await owner.api('DELETE', `/products/${made.id}`);
  for (const role of PERSON_ROLES) {
    const { body } = await (await openRole(service, role)).request<DesignedProduct>('GET', `/products/${made.id}`);
    assert.deepEqual([body.status, body.designs[0]?.design, body.designs[0]?.width], ['archived', design, 900]);
  }
  const { pathname, search } = new URL(made.designs[0]?.picture_url ?? '');
  assert.equal((await fetch(service.url + pathname + search)).status, 200);
  const other = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  for (const [by, id] of [
    [other, made.id],
    [owner, 'prod_none'],
  ] as const) {
    const refused = await by.request('GET', `/products/${id}`);
    assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
  }
});
