import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PERSON_ROLES, type PersonRole } from '../../../src/lib/caller.ts';
import type { Uuid } from '../../../src/lib/ids.ts';
import { readPdf } from '../../harness/pdf.ts';
import { COOKIE, openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { servePicture } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';
import { createBrand } from '../brands/brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api', env: { SELLER_NAME: 'Platen Print Ltd' } });
});
after(() => service.stop());

/** The sample as a person of a role sees it. */
async function sampleOf(role: PersonRole, accountId: Uuid, brandId: string) {
  const { secret } = await openRole(service, role, accountId);
  const headers = { cookie: `${COOKIE}=${secret}` };
  const answer = await fetch(`${service.url}/portal/api/v1/brands/${brandId}/packing-slip`, { headers });
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    bytes: Buffer.from(await answer.arrayBuffer()),
  };
}

test('every role sees the slip of a brand as it will be printed, of a made-up order, and nothing is written', async () => {
  const customer = await service.openCustomer();
  const logo_url = await servePicture(service, '/logo.png', { widthPx: 900, heightPx: 300, colour: 'teal' });
  const body = { name: 'Fern & Fable', message: 'Thank you.', support_email: 'help@fern.example', logo_url };
  const { id } = await createBrand(customer, { ...body, return_lines: ['2 Quay Street', 'York'] });
  for (const role of PERSON_ROLES) {
    const { status, type, bytes } = await sampleOf(role, customer.accountId, id);
    assert.deepEqual([status, type], [200, 'application/pdf']);
    const text = readPdf(bytes)
      .flatMap(({ texts }) => texts)
      .join('\n');
    for (const part of [
      'Fern & Fable',
      'help@fern.example',
      'Thank you.',
      'Returns to',
      '2 Quay Street',
      'Sam Sample',
    ]) {
      assert.ok(text.includes(part), `${part} in ${text}`);
    }
    assert.doesNotMatch(text, /Platen/);
    assert.match(bytes.toString('latin1'), /\/Subtype \/Image\n/);
  }
  const written = await everythingWritten(service);
  await sampleOf('reader', customer.accountId, id);
  assert.deepEqual(await everythingWritten(service), written);
});

test('an unknown brand and that of another account are the same 404; without a session it is 401', async () => {
  const [one, other] = [await service.openCustomer(), await service.openCustomer()];
  const { id } = await createBrand(other, { name: 'Foreign' });
  const texts = [];
  for (const asked of [id, 'brand_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
    const { status, bytes } = await sampleOf('owner', one.accountId, asked);
    texts.push(`${status} ${bytes.toString().replace(/req_\w+/, '')}`);
  }
  assert.equal(new Set(texts).size, 1, texts.join('\n'));
  assert.match(texts[0] ?? '', /^404 /);
  assert.equal((await fetch(`${service.url}/portal/api/v1/brands/${id}/packing-slip`)).status, 401);
});
