import { randomUUID } from 'node:crypto';

/** A request of either API. `path` is from the origin on. */
export type Request = {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly token: string;
  readonly body?: object;
  readonly accept?: string;
  /** The client goes away after so long, without the answer. */
  readonly leavesAfterMs?: number;
  /** The body arrives bit by bit over so long. */
  readonly arrivesInMs?: number;
};

export const ADDRESS = {
  contact_name: 'Ada Lovelace',
  line1: '12 St James Square',
  city: 'London',
  postcode: 'SW1Y 4JH',
  country_code: 'GB',
};

/** An order of so many lines, each with two printed areas. */
export function orderOf(productId: string, lines: number): object {
  const skus = ['TEE-CLASSIC-BLK-M', 'TEE-CLASSIC-WHT-L'];
  return {
    external_reference: randomUUID(),
    items: Array.from({ length: lines }, (_, index) => ({
      product_id: productId,
      variant_sku: skus[index % skus.length],
      quantity: 1,
      print_jobs: [
        { area: 'front', method: 'dtg' },
        { area: 'back', method: 'dtf' },
      ],
    })),
    shipping_address: ADDRESS,
  };
}
