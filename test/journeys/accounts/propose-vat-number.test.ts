import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Task } from '../../../src/accounts/ops-schema.ts';
import { openRole } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { act, admin, closeAccess, listed, openAccess, service } from './access.ts';
import type { CompanyReply } from './company.ts';

before(openAccess);
after(closeAccess);

const tasksOf = async (id: string): Promise<Task[]> =>
  (await listed<Task>('/tasks?limit=100')).filter(
    (task) => task.account_id === id && task.kind === 'vat_number_proposed',
  );

test('a VAT number is proposed, changes nothing until an operator enters it, and the task is closed then', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const id = owner.session.account.id;
  const propose = (number: string | null) =>
    owner.request<CompanyReply>('POST', '/company/vat-number', { body: { vat_number: number } });
  const first = await propose('de 123 456 789');
  assert.equal(first.status, 200, first.text);
  assert.deepEqual([first.body.vat_number, first.body.vat_proposal?.vat_number], ['', 'DE123456789']);
  await propose('FR K7 399859412');
  const tasks = await tasksOf(id);
  assert.equal(tasks.length, 1, 'the newer one replaces the earlier one');
  assert.match(tasks[0]?.note ?? '', /proposes the VAT number FRK7399859412; on record is none, treated as standard\./);
  const entered = await admin.request('PATCH', `/accounts/${id}`, {
    vat_number: 'FRK7399859412',
    vat_status: 'reverse_charge_eu',
  });
  assert.equal(entered.status, 200, entered.text);
  assert.deepEqual(await tasksOf(id), []);
  const { body } = await owner.request<CompanyReply>('GET', '/company');
  assert.deepEqual([body.vat_number, body.vat_status, body.vat_proposal], ['FRK7399859412', 'reverse_charge_eu', null]);
});

test('a proposal is over when its task is closed; the number on record, a wrong form and others are refused', async () => {
  const { accountId } = await service.openCustomer();
  const owner = await openRole(service, 'owner', accountId);
  const propose = (number: unknown) => owner.request('POST', '/company/vat-number', { body: { vat_number: number } });
  assert.deepEqual([(await propose(null)).status, (await propose(null)).body.code], [409, 'conflict']);
  for (const wrong of ['DE12345678', 'US123', '']) {
    assert.deepEqual(problemsOf(await propose(wrong)), ['vat_number pattern'], wrong);
  }
  assert.equal((await propose('DE123456789')).status, 200);
  const [task] = await tasksOf(owner.session.account.id);
  await act(`/tasks/${task?.id}/close`);
  assert.equal((await owner.request<CompanyReply>('GET', '/company')).body.vat_proposal, null);
  const reader = await openRole(service, 'reader', accountId);
  const refused = await reader.request('POST', '/company/vat-number', { body: { vat_number: 'DE123456789' } });
  assert.deepEqual([refused.status, refused.body.code], [403, 'insufficient_scope']);
});
