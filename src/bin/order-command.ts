import type { DemoReport } from './seed-demo.ts';

/** A command to paste: orders two tees with all their stored designs. */
export function orderCommand(baseUrl: string, demo: DemoReport): string[] {
  const body = {
    type: 'bulk',
    items: [
      {
        product_id: demo.products.fixed,
        variant_sku: 'TEE-CLASSIC-BLK-M',
        quantity: 2,
        print_jobs: [
          { area: 'front', method: 'dtg' },
          { area: 'back', method: 'dtf' },
          { area: 'left_sleeve', method: 'embroidery' },
        ],
      },
    ],
    shipping_address: {
      contact_name: 'Ada Lovelace',
      line1: '12 St James Square',
      city: 'London',
      postcode: 'SW1Y 4JH',
      country_code: 'GB',
    },
  };
  return [
    `curl -sS ${baseUrl}/api/v1/orders \\`,
    `  -H 'Authorization: Bearer ${demo.token}' \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d '${JSON.stringify(body)}'`,
  ];
}
