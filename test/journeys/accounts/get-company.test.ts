import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openRole } from '../../harness/portal.ts';
import { closeAccess, openAccess, service } from './access.ts';
import type { CompanyReply } from './company.ts';

before(openAccess);
after(closeAccess);

test('each person reads the company of their account, which begins empty', async () => {
  const { accountId } = await service.openCustomer();
  for (const role of ['owner', 'manager', 'orders', 'reader'] as const) {
    const person = await openRole(service, role, accountId);
    const { status, body } = await person.request<CompanyReply>('GET', '/company');
    assert.equal(status, 200);
    assert.deepEqual(
      { ...body, name: '' },
      { name: '', billing: null, vat_number: '', vat_status: 'standard', vat_proposal: null },
    );
    assert.equal(body.name, person.session.account.name);
  }
});
