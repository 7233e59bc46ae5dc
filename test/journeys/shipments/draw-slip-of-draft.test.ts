import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { readPdf } from '../../harness/pdf.ts';
import { COOKIE, openRole } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { servePicture } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';
import { createBrand } from '../brands/brands.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

test('a brand that is not saved is seen in print too, with a saved logo; nothing is written, and what is wrong is named', async () => {
  const customer = await service.openCustomer();
  const other = await service.openCustomer();
  const logo_url = await servePicture(service, '/draft.png', { widthPx: 900, heightPx: 300, colour: 'teal' });
  const { id } = await createBrand(customer, { name: 'Saved', message: 'As before.', logo_url });
  const foreign = await createBrand(other, { name: 'Foreign' });
  const owner = await openRole(service, 'owner', customer.accountId);
  const draw = (body: object, person = owner) =>
    fetch(`${service.url}/portal/api/v1/brand-drafts/packing-slip`, {
      method: 'POST',
      headers: {
        cookie: `${COOKIE}=${person.secret}`,
        origin: service.url,
        'x-platen-csrf': person.session.csrf_token,
        'content-type': 'application/json',
      },
      body: JSON.stringify(body),
    });
  const before = await everythingWritten(service);
  const answer = await draw({
    name: ' Draft ',
    message: 'Not saved yet.',
    return_lines: ['9 Quay Street'],
    logo_of: id,
  });
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/pdf']);
  const bytes = Buffer.from(await answer.arrayBuffer());
  const text = readPdf(bytes)
    .flatMap(({ texts }) => texts)
    .join('\n');
  for (const part of ['Draft', 'Not saved yet.', '9 Quay Street', 'Sam Sample']) assert.ok(text.includes(part), text);
  assert.doesNotMatch(text, /Saved|As before/);
  assert.match(bytes.toString('latin1'), /\/Subtype \/Image\n/);
  const bad = await draw({ name: '', website: 'fern', return_lines: ['1', '2', '3', '4', '5', '6', '7'] });
  const { errors } = (await bad.json()) as { errors: { path: string }[] };
  assert.deepEqual([bad.status, errors.map(({ path }) => path).toSorted()], [422, ['name', 'return_lines', 'website']]);
  assert.equal((await draw({ name: 'Draft', logo_of: foreign.id })).status, 404);
  assert.deepEqual(await everythingWritten(service), before);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, customer.accountId);
    assert.equal((await draw({ name: 'Draft' }, person)).status, 403);
  }
});
