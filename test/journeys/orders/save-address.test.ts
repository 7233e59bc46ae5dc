import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Uuid } from '../../../src/lib/ids.ts';
import type { SavedAddress, SavedAddresses } from '../../../src/orders/address-book/address-book-schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { HOME, problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';

let service: TestService;
before(async () => {
  service = await startTestService({ role: 'api' });
});
after(() => service.stop());

const save = (person: PortalClient, body: object) => person.request<SavedAddress>('POST', '/addresses', { body });

/** Keeps so many addresses of an account. */
async function fillTo(accountId: Uuid, count: number): Promise<void> {
  const text = `insert into saved_address (account_id, id, label, address, created_at)
    select $1, gen_random_uuid(), 'n ' || n, jsonb_build_object('city', n::text), $2 from generate_series(1, $3) as n returning id`;
  await rows(service, text, [accountId, service.ctx.clock.now(), count]);
}

test('an address is kept once, whatever it is called, and never more than a thousand', async () => {
  const { accountId } = await service.openCustomer();
  const person = await openRole(service, 'orders', accountId);
  const saved = await save(person, { address: HOME });
  assert.deepEqual([saved.status, saved.body.label, saved.body.address.line2], [201, 'Ada Byron', '']);
  const again = await save(person, { label: 'The studio', address: { ...HOME, line2: '' } });
  assert.deepEqual([again.body.id, again.body.label], [saved.body.id, 'The studio']);
  const refused = await person.request('POST', '/addresses', { body: { address: { ...HOME, country_code: 'UK' } } });
  assert.deepEqual([refused.status, problemsOf(refused)], [422, ['address.country_code unknown_country']]);
  await fillTo(accountId, 999);
  const full = await person.request('POST', '/addresses', { body: { address: { ...HOME, city: 'York' } } });
  assert.deepEqual([full.status, full.body.code], [409, 'conflict']);
  assert.equal((await save(person, { address: HOME })).status, 201, 'one that is kept already is');
});

test('of several that keep the last address that there is room for at once, exactly one does', async () => {
  const { accountId } = await service.openCustomer();
  const person = await openRole(service, 'orders', accountId);
  await fillTo(accountId, 999);
  const answers = await Promise.all(
    ['York', 'Bath', 'Ely', 'Wells'].map((city) => save(person, { address: { ...HOME, city } })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 409, 409, 409],
  );
  const kept = await rows(service, 'select from saved_address where account_id = $1', [accountId]);
  assert.equal(kept.length, 1_000);
});

test('a reader keeps none', async () => {
  const reader = await openRole(service, 'reader');
  const refused = await reader.request('POST', '/addresses', { body: { address: HOME } });
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  assert.equal((await reader.request<SavedAddresses>('GET', '/addresses')).status, 200);
});
