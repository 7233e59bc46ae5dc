import assert from 'node:assert/strict';
import type { OpsAccount } from '../../../src/accounts/ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator of the finance. */
export let finance: OperatorClient;

/** An account below the operations API. */
export const path = (customer: Customer): string => `/accounts/${publicId('acct', customer.accountId)}`;

/** Changes what an account is for VAT. */
export async function change(customer: Customer, body: object): Promise<OpsAccount> {
  const answer = await finance.request<OpsAccount>('PATCH', path(customer), body);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** Opens a customer that is so for VAT. */
export async function openCustomer(vatNumber?: string): Promise<Customer> {
  const customer = await service.openCustomer({ balancePence: 1_000_000 });
  if (vatNumber !== undefined) await change(customer, { vat_number: vatNumber });
  return customer;
}

/** Says whom the invoices of a customer are addressed to. */
export async function nameBuyer(customer: Customer, body: object): Promise<void> {
  const answer = await finance.request('PATCH', `${path(customer)}/billing`, body);
  assert.equal(answer.status, 200, answer.text);
}

/** The day of a time where the seller is, as papers have it. */
export const day = (iso: string): string =>
  new Intl.DateTimeFormat('en-GB', {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    timeZone: 'Europe/London',
  }).format(new Date(iso));

/** Opens what these journeys share; for `before`. */
export async function openVat(): Promise<void> {
  service = await startTestService({
    role: 'api',
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB987654353',
    },
  });
  finance = await service.openOperator('finance');
}

/** Closes it again; for `after`. */
export async function closeVat(): Promise<void> {
  await service.stop();
}
