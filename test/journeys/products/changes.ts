import type { CreatedOrder } from '../../../src/orders/schema.ts';
import type { Product } from '../../../src/products/schema.ts';
import { create, teeBody } from '../../harness/products.ts';
import { type Answer, type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { basket, servePicture } from '../../harness/shop.ts';

/** A variant of the tee. */
export const WHITE_S = 'TEE-CLASSIC-WHT-S';

/** Another. */
export const WHITE_M = 'TEE-CLASSIC-WHT-M';

/** A third. */
export const WHITE_L = 'TEE-CLASSIC-WHT-L';

/** The service, once it is open. */
export let service: TestService;

/** The customer of these journeys. */
export let customer: Customer;

/** The address of a design. */
export let art: string;

/** The address of another design. */
export let other: string;

let mock: string;

/** A tee with a design. */
export async function decorated(): Promise<Product> {
  const areas = [
    { print_area: 'front', method: 'dtg', artwork_url: art },
    { print_area: 'left_sleeve', method: 'embroidery', artwork_url: art, position: { scale: 0.5 } },
  ];
  return create(
    customer,
    await teeBody(service, {
      variant_skus: [WHITE_S, WHITE_M, WHITE_L],
      description: 'Before.',
      retail_price: 20,
      tags: ['one'],
      mockup_url: mock,
      decoration: { areas },
    }),
  );
}

/** Tries to order a variant of a product, blank. */
export async function order(id: string, sku: string): Promise<Answer<CreatedOrder & { code?: string }>> {
  const items = [{ product_id: id, variant_sku: sku, quantity: 1, print_jobs: [] }];
  return customer.request('POST', '/orders', basket(service, { items }));
}

/** Opens what these journeys share; for `before`. */
export async function openChanges(): Promise<void> {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 100_000 });
  art = await servePicture(service, '/art.png', { widthPx: 800, heightPx: 800, colour: '#204060' });
  other = await servePicture(service, '/other.png', { widthPx: 900, heightPx: 700, colour: '#602040' });
  mock = await servePicture(service, '/mock.png', { widthPx: 640, heightPx: 480, colour: '#ffeecc' });
}

/** Closes it again; for `after`. */
export async function closeChanges(): Promise<void> {
  await service.stop();
}
