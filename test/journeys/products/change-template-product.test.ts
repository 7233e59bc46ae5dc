import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService } from '../../harness/service.ts';
import { createCap, LINE, onFront, problemsIn, save, type TemplateReply } from './templates.ts';

test('the name and the variants of a personalised product change at once, and its draft stays as it is', async () => {
  const service = await startTestService({ role: 'api' });
  try {
    const author = await openRole(service, 'manager');
    const cap = await createCap(author);
    const saved = await save(author, cap, onFront(LINE));
    const change = (body: object, by: PortalClient = author, id = cap.id) =>
      by.request<TemplateReply>('PATCH', `/templates/${id}/product`, { body });
    const changed = await change({ name: 'Club cap', variant_skus: ['CAP-TWILL-KHA'] });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual(
      [changed.body.name, changed.body.variants.map(({ sku }) => sku), changed.body.version],
      ['Club cap', ['CAP-TWILL-KHA'], saved.body.version],
    );
    assert.deepEqual(changed.body.template, saved.body.template);
    const renamed = await change({ name: 'Team cap' });
    assert.deepEqual([renamed.body.name, renamed.body.variants.length], ['Team cap', 1]);
    const seen = await author.api<{ name: string }>('GET', `/products/${cap.id}`);
    assert.equal(seen.body.name, 'Team cap');

    const prices = { retail_price: 24.5, retail_prices: { 'CAP-TWILL-KHA': 26 } };
    const priced = await change(prices);
    assert.deepEqual([priced.status, priced.body.offered_skus], [200, ['CAP-TWILL-KHA']], priced.text);
    const pricesOf = ({ retail_price, retail_prices }: TemplateReply) => ({ retail_price, retail_prices });
    assert.deepEqual(pricesOf(priced.body), prices);
    assert.deepEqual(pricesOf((await change({ name: 'Team cap' })).body), prices, 'what is not sent stays');
    const read = await author.request<TemplateReply>('GET', `/templates/${cap.id}`);
    assert.deepEqual(pricesOf(read.body), prices);
    for (const [body, problem] of [
      [{ retail_price: 1.234 }, 'retail_price decimals'],
      [{ retail_price: -1 }, 'retail_price out_of_bounds'],
      [{ retail_prices: { 'CAP-TWILL-KHA': 1.234 } }, 'retail_prices.CAP-TWILL-KHA decimals'],
      [{ retail_prices: { 'CAP-TWILL-BLK': 20 } }, 'retail_prices.CAP-TWILL-BLK unknown_variant'],
    ] as const) {
      assert.deepEqual(problemsIn(await change(body)), [problem]);
    }
    assert.deepEqual(
      pricesOf((await change({})).body),
      prices,
      'a refused change writes nothing, nor does an empty one',
    );
    const cleared = await change({ retail_price: null, retail_prices: {} });
    assert.deepEqual(pricesOf(cleared.body), { retail_price: null, retail_prices: {} });

    assert.deepEqual(problemsIn(await change({ name: ' ' })), ['name pattern']);
    assert.deepEqual(problemsIn(await change({ variant_skus: ['NONE'] })), ['variant_skus[0] unknown_variant']);
    assert.deepEqual(problemsIn(await change({ decoration: { areas: [] } })), ['decoration unknown_field']);
    for (const role of ['orders', 'reader'] as const) {
      assert.equal((await change({ name: 'No' }, await openRole(service, role))).status, 403);
    }
    const { accountId } = await service.openCustomer();
    assert.equal((await change({ name: 'No' }, await openRole(service, 'owner', accountId))).status, 404);
    assert.equal((await change({ name: 'No' }, author, service.demo.products.fixed)).status, 404);
    assert.equal((await author.api('DELETE', `/products/${cap.id}`)).status, 204);
    const archived = await change({ name: 'No' });
    assert.deepEqual([archived.status, archived.body.code], [409, 'conflict']);
  } finally {
    await service.stop();
  }
});
