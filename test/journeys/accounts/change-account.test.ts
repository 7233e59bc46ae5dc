import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import { createAccount } from '../../../src/accounts/create-account.ts';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { change, closeVat, finance, openCustomer, openVat, path, service } from '../invoices/vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

const pick = (account: OpsAccount): [string, string] => [account.vat_number, account.vat_status];

describe('what an account is for VAT', () => {
  test('is changed by finance, kept in one form, and in the audit log; what is left out stays', async () => {
    const customer = await openCustomer();
    assert.deepEqual(pick(await change(customer, { vat_number: 'de 123.456-789' })), ['DE123456789', 'standard']);
    assert.deepEqual(pick(await change(customer, { vat_status: 'reverse_charge_eu' })), [
      'DE123456789',
      'reverse_charge_eu',
    ]);
    assert.deepEqual(pick(await change(customer, {})), ['DE123456789', 'reverse_charge_eu']);
    assert.deepEqual(pick(await change(customer, { vat_number: null, vat_status: 'standard' })), ['', 'standard']);
    const read = await finance.request<OpsAccount>('GET', path(customer));
    assert.deepEqual(pick(read.body), ['', 'standard']);
    const log = await finance.request<{ data: { action: string; operator: string; detail: object }[] }>(
      'GET',
      '/audit?limit=1',
    );
    assert.deepEqual(
      log.body.data.map(({ action, operator, detail }) => ({ action, operator, detail })),
      [
        {
          action: 'change_account',
          operator: finance.email,
          detail: {
            account_id: publicId('acct', customer.accountId),
            vat_number: null,
            vat_status: 'standard',
          },
        },
      ],
    );
  });

  test('what is no VAT number is refused, and so is reverse charge without one of the EU; nothing changes', async () => {
    const customer = await openCustomer('GB123456789');
    for (const [body, problem] of [
      [{ vat_number: '123456789' }, 'vat_number pattern'],
      [{ vat_number: '' }, 'vat_number pattern'],
      [{ vat_number: 'US123456789' }, 'vat_number pattern'],
      [{ vat_number: 'GB12' }, 'vat_number pattern'],
      [{ vat_status: 'reverse_charge_eu' }, 'vat_number required'],
      [{ vat_status: 'reverse_charge_eu', vat_number: null }, 'vat_number required'],
      [{ vat_status: 'exempt' }, 'vat_status unknown_value'],
    ] as const) {
      const refused = await finance.request('PATCH', path(customer), body);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
    }
    await change(customer, { vat_number: 'FR12345678901', vat_status: 'reverse_charge_eu' });
    const refused = await finance.request('PATCH', path(customer), { vat_number: 'GB123456789' });
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['vat_number required']]);
    const read = await finance.request<OpsAccount>('GET', path(customer));
    assert.deepEqual(pick(read.body), ['FR12345678901', 'reverse_charge_eu']);
  });

  test('its numbers for customs are changed likewise, and only in their form', async () => {
    const customer = await openCustomer();
    const numbers = ({ eori_number: eori, ioss_number: ioss }: OpsAccount): [string, string] => [eori, ioss];
    assert.deepEqual(numbers(await change(customer, { eori_number: 'XI123456789000' })), ['XI123456789000', '']);
    assert.deepEqual(numbers(await change(customer, { ioss_number: 'IM0360000001' })), [
      'XI123456789000',
      'IM0360000001',
    ]);
    for (const [body, problem] of [
      [{ eori_number: 'GB12345678900' }, 'eori_number pattern'],
      [{ eori_number: 'GB 123456789000' }, 'eori_number pattern'],
      [{ eori_number: 'fr12345678900011' }, 'eori_number pattern'],
      [{ eori_number: '' }, 'eori_number pattern'],
      [{ ioss_number: 'IM036000001' }, 'ioss_number pattern'],
      [{ ioss_number: 'GB0360000001' }, 'ioss_number pattern'],
    ] as const) {
      const refused = await finance.request('PATCH', path(customer), body);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]], refused.text);
      assert.match(refused.text, /must be an (EORI|IOSS) number/);
    }
    assert.deepEqual(numbers(await change(customer, { eori_number: null })), ['', 'IM0360000001']);
  });

  test('is there from the first day of an account that is opened with a number', async () => {
    const accountId = await createAccount(service.ctx, { name: 'With a number', vatNumber: 'GB123456789' });
    const read = await finance.request<OpsAccount>('GET', `/accounts/${publicId('acct', accountId)}`);
    assert.deepEqual(pick(read.body), ['GB123456789', 'standard']);
  });

  test('an account that is not there is 404, and only finance may change one', async () => {
    const customer = await openCustomer();
    for (const id of ['acct_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const refused = await finance.request('PATCH', `/accounts/${id}`, { vat_number: 'GB123456789' });
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
    for (const role of ['viewer', 'production'] as const) {
      const by = await service.openOperator(role);
      assert.equal((await by.request('PATCH', path(customer), { vat_number: 'GB123456789' })).status, 403);
    }
  });
});
