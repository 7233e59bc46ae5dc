import assert from 'node:assert/strict';
import type {
  OrderFile,
  OrderFileEntries,
  OrderFileEntry,
} from '../../../src/checkout/order-files/order-file-schema.ts';
import { runOrderFiles } from '../../../src/checkout/order-files/run-order-files.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct } from '../../harness/shop.ts';

/** A shop with a plain product and a person who places its orders; its orders of files are taken on by hand. */
export type FileShop = {
  readonly service: TestService;
  readonly customer: Customer;
  readonly person: PortalClient;
  readonly productId: string;
};

export const SKU = 'TEE-CLASSIC-WHT-M';
export const HEADINGS =
  'external_reference,product_id,variant_sku,quantity,contact_name,line1,city,postcode,country_code';

/** Opens a service without workers, and a shop in it. */
export async function openFileService(): Promise<{ service: TestService; openShop: () => Promise<FileShop> }> {
  const service = await startTestService({ role: 'api' });
  return { service, openShop: () => openFileShop(service) };
}

async function openFileShop(service: TestService): Promise<FileShop> {
  const customer = await service.openCustomer({ balancePence: 10_000_000 });
  const productId = await addProduct(service, customer, 'TEE-CLASSIC', { name: 'Fern tee' });
  return { service, customer, productId, person: await openRole(service, 'orders', customer.accountId) };
}

/** A row of a file in the columns of `HEADINGS`. */
export function rowOf(
  shop: Pick<FileShop, 'productId'>,
  number: string,
  changes: { quantity?: string; sku?: string } = {},
) {
  return [
    number,
    shop.productId,
    changes.sku ?? SKU,
    changes.quantity ?? '1',
    'Ada Byron',
    '12 Mill Lane',
    'Leeds',
    'LS1 4DY',
    'GB',
  ].join(',');
}

/** Uploads a file that is taken. */
export async function upload({ person }: FileShop, content: string): Promise<OrderFile> {
  const answer = await person.request<OrderFile>('POST', '/order-files', { body: { name: 'orders.csv', content } });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/** Takes on what waits, as the worker does, and reads the file. */
export async function takenOn({ service, person }: FileShop, { id }: { id: string }): Promise<OrderFile> {
  while ((await runOrderFiles(service.ctx)) > 0);
  return (await person.request<OrderFile>('GET', `/order-files/${id}`)).body;
}

/** The orders of a file. */
export async function entriesOf({ person }: FileShop, { id }: { id: string }): Promise<readonly OrderFileEntry[]> {
  return (await person.request<OrderFileEntries>('GET', `/order-files/${id}/orders`)).body.data;
}

/** Confirms the plan of a file. */
export function confirm({ person }: FileShop, { id, plan }: Pick<OrderFile, 'id' | 'plan'>) {
  return person.request<OrderFile>('POST', `/order-files/${id}/place`, { body: { plan } });
}
