import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { AuditEntry } from '../../../src/accounts/ops-schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { admin, closeAccess, openAccess, service } from './access.ts';
import { BYRON, type CompanyReply } from './company.ts';

before(openAccess);
after(closeAccess);

test('a manager enters whom invoices are addressed to; the audit log has who, and none of the values', async () => {
  const { accountId } = await service.openCustomer();
  const manager = await openRole(service, 'manager', accountId);
  const { status, body, text } = await manager.request<CompanyReply>('PATCH', '/company', { body: BYRON });
  assert.equal(status, 200, text);
  assert.deepEqual([body.billing?.legal_name, body.billing?.contact?.email], ['Byron Club Ltd', BYRON.contact.email]);
  const moved = await manager.request<CompanyReply>('PATCH', '/company', { body: { legal_name: 'Byron Ltd' } });
  assert.deepEqual([moved.body.billing?.legal_name, moved.body.billing?.address.city], ['Byron Ltd', 'York']);
  const log = await admin.request<Page<AuditEntry>>('GET', '/audit?limit=1');
  const [entry] = log.body.data;
  assert.deepEqual([entry?.operator, entry?.action], ['portal', 'change_billing']);
  assert.deepEqual(entry?.detail, {
    account_id: manager.session.account.id,
    changed: ['legal_name'],
    user_id: manager.session.user.id,
  });
});

test('half a company, another member and those who may not are refused, and nothing is written', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const ask = (body: object) => owner.request('PATCH', '/company', { body });
  assert.deepEqual(problemsOf(await ask({ legal_name: 'Byron' })), ['address required']);
  assert.deepEqual(problemsOf(await ask({ ...BYRON, vat_number: 'GB123456789' })), ['vat_number unknown_field']);
  assert.deepEqual(problemsOf(await ask({ ...BYRON, vat_status: 'reverse_charge_eu' })), ['vat_status unknown_field']);
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, accountId);
    const refused = await person.request('PATCH', '/company', { body: BYRON });
    assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
  }
  assert.equal((await owner.request<CompanyReply>('GET', '/company')).body.billing, null);
});
