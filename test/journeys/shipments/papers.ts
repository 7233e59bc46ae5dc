import assert from 'node:assert/strict';
import { openShippingShop, type ShippingShop, TOTE } from '../../harness/floor.ts';
import { type PdfPage, readPdf } from '../../harness/pdf.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';

/** The service, once it is open. */
export let service: TestService;

/** The shop of these journeys. */
export let shop: ShippingShop;

/** An operator who may read only. */
export let viewer: OperatorClient;

/** A paper of an order, as an operator who only reads gets it. */
export async function paperOf(
  order: { id: string },
  name: string,
): Promise<{ pages: PdfPage[]; pdf: Buffer; type: string | null }> {
  const headers = { authorization: `Bearer ${viewer.token}` };
  const response = await fetch(`${service.url}/ops/v1/orders/${order.id}/${name}`, { headers });
  assert.equal(response.status, 200);
  const pdf = Buffer.from(await response.arrayBuffer());
  return { pages: readPdf(pdf), pdf, type: response.headers.get('content-type') };
}

/** The text of a paper. */
export const textOf = (pages: readonly PdfPage[]): string => pages.flatMap(({ texts }) => texts).join('\n');

/** Opens what these journeys share; for `before`. */
export async function openPapers(): Promise<void> {
  service = await startTestService({
    env: {
      SELLER_NAME: 'Platen Print Ltd',
      SELLER_ADDRESS: '1 Press Yard, Leeds, GB',
      SELLER_VAT_NUMBER: 'GB123456782',
    },
  });
  shop = await openShippingShop(service);
  viewer = await service.openOperator('viewer');
  const receipt = { items: [{ sku: TOTE, quantity: 2_000 }] };
  assert.equal((await shop.operator.request('POST', '/stock/receipts', receipt)).status, 201);
}

/** Closes it again; for `after`. */
export async function closePapers(): Promise<void> {
  await service.stop();
}
