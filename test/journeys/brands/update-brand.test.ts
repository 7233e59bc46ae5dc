import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { WrittenBrand } from '../../../src/brands/schema.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { problemsOf, servePicture } from '../../harness/shop.ts';
import { brandsWritten, createBrand, getBrand } from './brands.ts';

let service: TestService;
let customer: Customer;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer();
});
after(() => service.stop());

async function change(id: string, body: object): Promise<WrittenBrand> {
  const answer = await customer.request<WrittenBrand>('PATCH', `/brands/${id}`, body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

test('only the members that are sent change; an empty text, an empty list and null clear theirs', async () => {
  const logo_url = await servePicture(service, '/logo.png', { widthPx: 60, heightPx: 60, colour: 'teal' });
  const made = await createBrand(customer, {
    name: 'Whole',
    message: 'Hello.',
    support_email: 'a@b.example',
    website: 'https://b.example',
    return_lines: ['1 Road'],
    logo_url,
  });
  service.shiftMs(1_000);
  const named = await change(made.id, { name: 'Renamed' });
  const { logo_url: before, updated_at: then, ...rest } = made;
  const { logo_url: after, updated_at: now, ...renamed } = named;
  assert.deepEqual(renamed, { ...rest, name: 'Renamed' });
  assert.ok(now > then && before?.split('?')[0] === after?.split('?')[0]);
  const cleared = await change(made.id, {
    message: '',
    support_email: '',
    website: '',
    return_lines: [],
    logo_url: null,
  });
  const { message, support_email, website, return_lines, logo_url: none } = cleared;
  assert.deepEqual([message, support_email, website, return_lines, none], ['', '', '', [], null]);
  await createBrand(customer, { name: 'Whole' });
  const taken = await customer.request('PATCH', `/brands/${made.id}`, { name: 'WHOLE' });
  assert.deepEqual([taken.status, problemsOf(taken)], [422, ['name name_taken']]);
  assert.equal((await change(made.id, { name: 'RENAMED' })).name, 'RENAMED', 'its own name in other letters');
});

test('what changes nothing writes nothing', async () => {
  const { id, name } = await createBrand(customer, { name: 'Still' });
  const written = await brandsWritten(service);
  await change(id, {});
  await change(id, { name, message: '', is_default: false });
  assert.deepEqual(await brandsWritten(service), written);
});

test('at most one brand is the default: the latest to be chosen, also of many at once, and none once it is given up', async () => {
  const ids: string[] = [];
  for (const name of ['D1', 'D2', 'D3']) ids.push((await createBrand(customer, { name, is_default: true })).id);
  const defaults = async (): Promise<boolean[]> =>
    Promise.all(ids.map(async (id) => (await getBrand(customer, id)).is_default));
  assert.deepEqual(await defaults(), [false, false, true]);
  await Promise.all(ids.map((id) => change(id, { is_default: true })));
  assert.equal((await defaults()).filter(Boolean).length, 1);
  await change(ids[0] ?? '', { is_default: true });
  await change(ids[1] ?? '', { is_default: false });
  assert.deepEqual(await defaults(), [true, false, false], 'another one that is not the default gives up nothing');
  await change(ids[0] ?? '', { is_default: false });
  assert.deepEqual(await defaults(), [false, false, false]);
});

test('an archived brand is not changed', async () => {
  const { id } = await createBrand(customer, { name: 'Gone' });
  assert.equal((await customer.request('DELETE', `/brands/${id}`)).status, 204);
  const hits = service.stranger.hits.length;
  const late = await customer.request('PATCH', `/brands/${id}`, { logo_url: service.stranger.url('/logo.png') });
  assert.deepEqual([late.status, late.body.code], [409, 'conflict']);
  assert.equal(service.stranger.hits.length, hits, 'nothing is fetched for it');
});

test('of two changes at once each has its own members, and there is one present revision', async () => {
  const { id } = await createBrand(customer, { name: 'Twice' });
  await Promise.all([change(id, { message: 'Hello.' }), change(id, { website: 'https://twice.example' })]);
  const { message, website } = await getBrand(customer, id);
  assert.deepEqual([message, website], ['Hello.', 'https://twice.example']);
});
