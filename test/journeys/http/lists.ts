import assert from 'node:assert/strict';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME } from '../../harness/shop.ts';

/** The service, once it is open. */
export let service: TestService;

/** The customer of these journeys. */
export let customer: Customer;

/** The product of the orders. */
export let tote: string;

/** Places an order of one tote. */
export async function place(by = customer, product = tote): Promise<CreatedOrder> {
  const items = [{ product_id: product, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const answer = await by.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** A page of a list. */
export async function pageOf<Item>(path: string, by = customer): Promise<Page<Item>> {
  const answer = await by.request<Page<Item>>('GET', path);
  assert.equal(answer.status, 200, answer.text);
  const more = path.startsWith('/events') ? ['log_begins_at'] : [];
  assert.deepEqual(Object.keys(answer.body), ['data', 'has_more', 'next_cursor', ...more]);
  assert.equal(answer.body.has_more, answer.body.next_cursor !== null);
  return answer.body;
}

/** Every record of a collection by its cursors, with something done between two pages. */
export async function walk<Item>(
  path: string,
  limit: number,
  between: () => Promise<void> = async () => {},
): Promise<Item[]> {
  const found: Item[] = [];
  for (let cursor = ''; ; ) {
    const page = await pageOf<Item>(`${path}?limit=${limit}${cursor}`);
    assert.ok(page.data.length <= limit);
    found.push(...page.data);
    if (page.next_cursor === null) return found;
    cursor = `&cursor=${encodeURIComponent(page.next_cursor)}`;
    await between();
  }
}

/** Opens what these journeys share; for `before`. */
export async function openLists(): Promise<void> {
  service = await startTestService({ role: 'api', drawn: 'as printed' });
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  tote = await addProduct(service, customer, 'TOTE-COTTON');
}

/** Closes it again; for `after`. */
export async function closeLists(): Promise<void> {
  await service.stop();
}
