import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startTestService, type TestService } from '../../harness/service.ts';
import { createBrand } from './brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('an unknown brand, what is no id, and the brand of another account are the same 404, to read, change and archive', async () => {
  const [one, other] = [await service.openCustomer(), await service.openCustomer()];
  const { id } = await createBrand(other, { name: 'Foreign' });
  for (const method of ['GET', 'PATCH', 'DELETE'] as const) {
    const body = method === 'PATCH' ? { name: 'Mine' } : undefined;
    const answers = [];
    for (const asked of [id, 'brand_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      answers.push(await one.request(method, `/brands/${asked}`, body));
    }
    const texts = answers.map(({ status, text }) => `${status} ${text.replace(/req_\w+/, '')}`);
    assert.deepEqual(new Set(texts).size, 1, texts.join('\n'));
    assert.equal(answers[0]?.status, 404);
  }
  assert.equal((await other.request<{ name: string }>('GET', `/brands/${id}`)).body.name, 'Foreign');
});
