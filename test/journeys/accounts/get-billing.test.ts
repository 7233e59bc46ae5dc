import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { AccountBilling } from '../../../src/accounts/billing-identity/schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { assertSound } from '../../harness/written.ts';
import { closeVat, nameBuyer, openCustomer, openVat, service } from '../invoices/vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

describe('a customer reads whom its invoices are addressed to', () => {
  test('null at first, then what finance has set, and its VAT number; 1.7 another account reads its own', async () => {
    const customer = await openCustomer('GB123456789');
    const account_id = publicId('acct', customer.accountId);
    const read = async (by = customer): Promise<AccountBilling> => {
      const answer = await by.request<AccountBilling>('GET', '/account/billing');
      assert.equal(answer.status, 200, answer.text);
      return answer.body;
    };
    assert.deepEqual(await read(), { account_id, vat_number: 'GB123456789', billing: null });
    const address = { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' };
    const contact = { name: 'Ada', email: 'ada@byron.example' };
    await nameBuyer(customer, { legal_name: 'Byron Ltd', address, contact });
    assert.deepEqual(await read(), {
      account_id,
      vat_number: 'GB123456789',
      billing: { legal_name: 'Byron Ltd', address: { ...address, line2: '', county: '' }, company_number: '', contact },
    });
    const other = await openCustomer();
    assert.equal((await read(other)).billing, null);
  });
});
