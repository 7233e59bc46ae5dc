import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { BillingIdentity } from '../../../src/accounts/billing-identity/schema.ts';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { Customer } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { closeVat, finance, openCustomer, openVat, path, service } from '../invoices/vat.ts';

before(openVat);
after(closeVat);
afterEach(() => assertSound(service));

const ADDRESS = { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' };
const FULL = {
  legal_name: 'Byron & Lovelace Ltd',
  address: { ...ADDRESS, line2: 'Second floor', county: 'North Yorkshire' },
  company_number: '01234567',
  contact: { name: 'Ada Lovelace', email: 'Accounts@Byron.example' },
};

const billing = (customer: Customer): string => `${path(customer)}/billing`;

async function change(customer: Customer, body: object): Promise<BillingIdentity | null> {
  const answer = await finance.request<OpsAccount>('PATCH', billing(customer), body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body.billing;
}

const known = async (customer: Customer): Promise<BillingIdentity | null> =>
  (await finance.request<OpsAccount>('GET', path(customer))).body.billing;

describe('whom the invoices of an account are addressed to', () => {
  test('is not known of a new account, is set by finance without the blanks around it, and is read back', async () => {
    const customer = await openCustomer();
    assert.equal(await known(customer), null);
    const padded = { ...FULL, legal_name: `  ${FULL.legal_name} `, company_number: ' 01234567 ' };
    assert.deepEqual(await change(customer, padded), FULL);
    assert.deepEqual(await known(customer), FULL);
  });

  test('what is left out stays, an address is replaced as a whole, and null removes number and contact', async () => {
    const customer = await openCustomer();
    await change(customer, FULL);
    assert.deepEqual(await change(customer, {}), FULL);
    assert.deepEqual(await change(customer, { legal_name: 'Lovelace Ltd' }), { ...FULL, legal_name: 'Lovelace Ltd' });
    const moved = await change(customer, { address: ADDRESS, company_number: null });
    assert.deepEqual(moved?.address, { ...ADDRESS, line2: '', county: '' });
    assert.deepEqual([moved?.company_number, moved?.contact], ['', FULL.contact]);
    assert.equal((await change(customer, { contact: null }))?.contact, null);
  });

  test('the audit log has what was changed by whom, and none of the values', async () => {
    const customer = await openCustomer();
    await change(customer, FULL);
    const log = await finance.request<Page<{ action: string; operator: string; detail: object }>>(
      'GET',
      '/audit?limit=1',
    );
    assert.deepEqual(
      log.body.data.map(({ action, operator, detail }) => ({ action, operator, detail })),
      [
        {
          action: 'change_billing',
          operator: finance.email,
          detail: {
            account_id: publicId('acct', customer.accountId),
            changed: ['legal_name', 'address', 'company_number', 'contact'],
          },
        },
      ],
    );
    for (const value of ['Lovelace', 'High Street', 'byron', '01234567']) {
      assert.ok(!log.text.toLowerCase().includes(value.toLowerCase()), value);
    }
  });

  const long = 'x'.repeat(201);
  for (const [what, body, problems] of [
    ['nothing at first', {}, ['legal_name required', 'address required']],
    ['a name alone at first', { legal_name: 'Byron' }, ['address required']],
    ['an address alone at first', { address: ADDRESS }, ['legal_name required']],
    ['a blank name', { ...FULL, legal_name: ' ' }, ['legal_name pattern']],
    ['a long name', { ...FULL, legal_name: long }, ['legal_name out_of_bounds']],
    ['a name over two lines', { ...FULL, legal_name: 'Byron\nVAT number GB1' }, ['legal_name pattern']],
    ['a name that turns the text around', { ...FULL, legal_name: 'Byron\u202e' }, ['legal_name pattern']],
    [
      'half an address',
      { ...FULL, address: { line1: '5 High Street' } },
      ['address.city required', 'address.postcode required', 'address.country_code required'],
    ],
    ['a tab in the street', { ...FULL, address: { ...ADDRESS, line1: '5\tHigh Street' } }, ['address.line1 pattern']],
    [
      'a country that is none',
      { ...FULL, address: { ...ADDRESS, country_code: 'UK' } },
      ['address.country_code unknown_country'],
    ],
    [
      'a country in small letters',
      { ...FULL, address: { ...ADDRESS, country_code: 'gb' } },
      ['address.country_code pattern'],
    ],
    ['a long company number', { ...FULL, company_number: 'x'.repeat(41) }, ['company_number out_of_bounds']],
    ['a contact without an address', { ...FULL, contact: { name: 'Ada' } }, ['contact.email required']],
    ['an e-mail that is none', { ...FULL, contact: { name: 'Ada', email: 'ada at byron' } }, ['contact.email pattern']],
    [
      'an e-mail with a line break',
      { ...FULL, contact: { name: 'Ada', email: 'ada@byron.example\nBcc: x@y.example' } },
      ['contact.email pattern'],
    ],
    ['null for the name', { ...FULL, legal_name: null }, ['legal_name type']],
    ['an unknown member', { ...FULL, vat: 'GB1' }, ['vat unknown_field']],
  ] as const) {
    test(`${what} is refused, and nothing is written`, async () => {
      const customer = await openCustomer();
      const before = await rows(service, 'select count(*) from operator_action');
      const refused = await finance.request('PATCH', billing(customer), body);
      assert.deepEqual([refused.status, problemsOf(refused)], [422, problems], refused.text);
      assert.equal(await known(customer), null);
      assert.deepEqual(await rows(service, 'select count(*) from operator_action'), before);
    });
  }

  test('of an account that is not there is 404, and only finance may change it', async () => {
    const customer = await openCustomer();
    for (const id of ['acct_01h455vb4pex5vsknk084sn02q', 'nonsense']) {
      const refused = await finance.request('PATCH', `/accounts/${id}/billing`, FULL);
      assert.deepEqual([refused.status, refused.body.code], [404, 'not_found']);
    }
    for (const role of ['viewer', 'production'] as const) {
      const by = await service.openOperator(role);
      assert.equal((await by.request('PATCH', billing(customer), FULL)).status, 403);
    }
    assert.equal(await known(customer), null);
  });
});

describe('the accounts that lack it', () => {
  test('are listed by name, with a beginning of it or without, and leave the list once it is known', async () => {
    const customer = await openCustomer();
    const lacking = async (query: string): Promise<string[]> => {
      const answer = await finance.request<Page<OpsAccount>>('GET', `/accounts?lacks=billing${query}`);
      assert.equal(answer.status, 200, answer.text);
      return answer.body.data.map(({ id }) => id);
    };
    const id = publicId('acct', customer.accountId);
    const { name } = (await finance.request<OpsAccount>('GET', path(customer))).body;
    assert.ok((await lacking('&limit=100')).includes(id));
    assert.ok((await lacking(`&limit=100&name=${encodeURIComponent(name)}`)).includes(id));
    assert.deepEqual(await lacking('&name=zzz-no-such'), []);
    await change(customer, FULL);
    assert.ok(!(await lacking('&limit=100')).includes(id));
    const refused = await finance.request('GET', '/accounts?lacks=money');
    assert.deepEqual([refused.status, problemsOf(refused)], [422, ['lacks unknown_value']]);
  });
});
