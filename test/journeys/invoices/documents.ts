import assert from 'node:assert/strict';
import type { CreditNote } from '../../../src/invoices/schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket } from '../../harness/shop.ts';

/** The service, once it is open. */
export let service: TestService;

/** An operator of every right. */
export let admin: Awaited<ReturnType<TestService['openOperator']>>;

/** Places an order. */
export async function place(body: object = basket(service), by: Customer = service.customer): Promise<CreatedOrder> {
  const answer = await by.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** The credit notes of an order. */
export const notesOf = async (order: CreatedOrder, query = ''): Promise<Page<CreditNote>> => {
  const answer = await service.customer.request<Page<CreditNote>>('GET', `/orders/${order.id}/credit-notes${query}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
};

/** The pages of a PDF, as far as they can be told without a reader of PDF. */
export async function pdf(path: string, accept = 'application/pdf') {
  const response = await fetch(`${service.url}/api/v1${path}`, {
    headers: { authorization: `Bearer ${service.customer.token}`, accept },
  });
  const bytes = Buffer.from(await response.arrayBuffer());
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    vary: response.headers.get('vary'),
    bytes,
  };
}

/** The text of each page of a paper. */
export const pagesOf = (bytes: Buffer): number => [...bytes.toString('latin1').matchAll(/\/Type \/Page\b/g)].length;

/** Opens what these journeys share; for `before`. */
export async function openDocuments(): Promise<void> {
  service = await startTestService({
    env: {
      SELLER_NAME: 'Mill Lane Prints Ltd',
      SELLER_ADDRESS: '12 Mill Lane, Leeds, LS1 4DY',
      SELLER_VAT_NUMBER: 'GB123456782',
    },
  });
  admin = await service.openOperator('admin');
}

/** Closes it again; for `after`. */
export async function closeDocuments(): Promise<void> {
  await service.stop();
}
