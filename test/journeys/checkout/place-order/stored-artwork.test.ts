import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { UploadValidation } from '../../../../src/artwork/schema.ts';
import { signedUrl } from '../../../../src/artwork/signed-url.ts';
import type { CreatedOrder, Order, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import type { Product } from '../../../../src/products/schema.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../../harness/service.ts';
import { addProduct, basket, problemsOf, servePicture } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

// The address of a stored file, given as artwork by the account whose design it is (docs/decisions/0083).

let service: TestService;
let customer: Customer;
let productId: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  productId = await addProduct(service, customer, 'TEE-CLASSIC');
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

type Area = NonNullable<NonNullable<PlaceOrderItem['decoration']>['areas']>[number];
type OrderReply = CreatedOrder & Pick<ErrorReply, 'errors'>;

const itemOf = (area: Partial<Area> & { artwork_url: string }, product = productId): PlaceOrderItem => ({
  product_id: product,
  variant_sku: 'TEE-CLASSIC-WHT-M',
  quantity: 1,
  decoration: { areas: [{ print_area: 'front', method: 'dtg', ...area }] },
});

async function post(
  item: PlaceOrderItem,
  { by = customer, to = '/orders' }: { by?: Customer; to?: string } = {},
): Promise<Answer<OrderReply>> {
  return by.request<OrderReply>('POST', to, basket(service, { items: [item] }));
}

async function placed(item: PlaceOrderItem): Promise<Order> {
  const answer = await post(item);
  assert.equal(answer.status, 201, answer.text);
  return (await customer.request<Order>('GET', `/orders/${answer.body.id}`)).body;
}

/** A picture that was ordered once, and the hash that its design has. */
async function ordered(name: string, colour: string): Promise<{ url: string; hash: string; hits: () => number }> {
  let hits = 0;
  const url = await servePicture(service, `/${name}.png`, { colour }, async () => {
    hits += 1;
  });
  const { items } = await placed(itemOf({ artwork_url: url }));
  return { url, hash: items[0]?.artwork?.areas[0]?.source?.sha256 ?? assert.fail('no design'), hits: () => hits };
}

/** The address of a stored file, signed long ago. */
const storedAt = (hash: string): string =>
  signedUrl(service.ctx.secrets, service.ctx.config.baseUrl, hash, new Date('2020-01-01T00:00:00Z'));

const keysOf = async ({ reference }: { reference: string }): Promise<string[]> =>
  (
    await rows<{ key: string }>(
      service,
      `select encode(j.print_file_key, 'hex') as key from print_job j join orders o on o.id = j.order_id
       where o.reference = $1 order by j.line_id, j.ordinal`,
      [reference],
    )
  ).map(({ key }) => key);

describe('artwork by the address of a stored file', () => {
  test('is printed as it was, without a fetch, however old the signature: by order, estimate, check and product', async () => {
    const { url, hash, hits } = await ordered('teal', 'teal');
    const fetched = hits();
    const first = await placed(itemOf({ artwork_url: url }));
    const again = await placed(itemOf({ artwork_url: storedAt(hash) }));
    assert.deepEqual(await keysOf(again), await keysOf(first), 'the print file is the same');
    assert.equal(again.items[0]?.artwork?.areas[0]?.source?.sha256, hash);
    const estimate = await post(itemOf({ artwork_url: storedAt(hash) }), { to: '/orders/estimate' });
    assert.equal(estimate.status, 200, estimate.text);
    const check = await customer.request<UploadValidation>('POST', '/uploads/validate', { url: storedAt(hash) });
    assert.deepEqual([check.body.valid, check.body.results[0]?.sha256], [true, hash]);
    const product = await customer.request<Product>('POST', '/products', {
      base_product_id: (await customer.request<Product>('GET', `/products/${productId}`)).body.base_product.id,
      name: 'Of a stored file',
      variant_skus: ['TEE-CLASSIC-WHT-M'],
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: storedAt(hash) }] },
    });
    assert.equal(product.status, 201, product.text);
    assert.equal(hits(), fetched + 1, 'only the address of the picture itself was called');
  });

  test('another account’s, an unknown one and one whose bytes are going are addresses like any other', async () => {
    const { hash } = await ordered('orange', 'orange');
    const other = await service.openCustomer({ balancePence: 100_000 });
    const theirs = await addProduct(service, other, 'TEE-CLASSIC');
    const refused = await post(itemOf({ artwork_url: storedAt(hash) }, theirs), { by: other });
    const unknown = await post(itemOf({ artwork_url: storedAt('0'.repeat(64)) }, theirs), { by: other });
    assert.deepEqual([refused.status, unknown.status], [422, 422]);
    assert.deepEqual(problemsOf(refused as never), problemsOf(unknown as never), 'nothing tells them apart');
    assert.deepEqual(problemsOf(refused as never), ['items[0].decoration.areas[0].artwork_url scheme']);
    await rows(service, "update blob set deleting = true where hash = decode($1, 'hex')", [hash]);
    assert.equal((await post(itemOf({ artwork_url: storedAt(hash) }))).status, 422);
    await rows(service, "update blob set deleting = false where hash = decode($1, 'hex')", [hash]);
    const path = await service.ctx.blobs.path(hash);
    assert.ok(path.endsWith(hash));
    for (const wrong of [
      `${service.ctx.config.baseUrl}/files/${hash}0`,
      `${service.ctx.config.baseUrl}/pictures/${hash}`,
    ]) {
      assert.equal((await post(itemOf({ artwork_url: wrong }))).status, 422, wrong);
    }
  });

  test('whose bytes the store lacks is refused, and no order is written', async () => {
    const { hash } = await ordered('olive', 'olive');
    const aside = await service.ctx.blobs.setAside(hash);
    await aside?.discard();
    const lost = await post(itemOf({ artwork_url: storedAt(hash) }));
    assert.deepEqual(
      [lost.status, problemsOf(lost as never)],
      [422, ['items[0].decoration.areas[0].artwork_url fetch']],
    );
    // Sent again, it is stored again.
    await placed(itemOf({ artwork_url: service.stranger.url('/olive.png') }));
  });
});
