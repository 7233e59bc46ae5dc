import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import type { CreatedOrder, Estimate, Order } from '../../../src/orders/schema.ts';
import { importCatalogue } from '../../../src/pricing/import-catalogue.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, basket, teeItem } from '../../harness/shop.ts';

type DemoCatalogue = {
  base_products: {
    master_sku: string;
    print_areas: { print_area: string; methods: string[] }[];
    variants: { sku: string }[];
  }[];
  price_book: { blanks: { master_sku: string; breaks: { unit_pence: number }[] }[]; prints: { method: string }[] };
};

/** A variant that is withdrawn. */
export const BLACK_L = { variant_sku: 'TEE-CLASSIC-BLK-L', print_jobs: [{ area: 'back', method: 'dtf' }] };

/** The service, once it is open. */
export let service: TestService;

/** The customer of these journeys. */
export let customer: Customer;

/** A product of a base product that is withdrawn. */
export let mug: string;

/** An order of before the change. */
export let placedBefore: CreatedOrder;

/** A product as it was seen before the change. */
export let seenBefore: Order;

/** Its price before the change. */
export let unitPriceBefore: number | undefined;

/**
 * The demo's, without mugs, without the white tee in M, without its front, without stitched sleeves, and a tee 1.00
 * dearer.
 */
async function changedCatalogue(): Promise<DemoCatalogue> {
  const file = new URL('../../../data/demo/catalogue.json', import.meta.url);
  const document = JSON.parse(await readFile(file, 'utf8')) as DemoCatalogue;
  document.base_products = document.base_products.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  const { price_book: book } = document;
  book.blanks = book.blanks.filter(({ master_sku: sku }) => sku !== 'MUG-11OZ');
  book.prints = book.prints.filter(({ method }) => method !== 'sublimation');
  for (const base of document.base_products.filter(({ master_sku: sku }) => sku === 'TEE-CLASSIC')) {
    base.variants = base.variants.filter(({ sku }) => sku !== 'TEE-CLASSIC-WHT-M');
    base.print_areas = base.print_areas
      .filter(({ print_area: area }) => area !== 'front')
      .map((area) => ({ ...area, methods: area.methods.filter((method) => method !== 'embroidery') }));
  }
  for (const blank of book.blanks.filter(({ master_sku: sku }) => sku === 'TEE-CLASSIC')) {
    for (const step of blank.breaks) step.unit_pence += 100;
  }
  return document;
}

/** Places an order. */
export async function place(body: object): Promise<CreatedOrder> {
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.ok([200, 201].includes(answer.status), answer.text);
  return answer.body;
}

/** Opens what these journeys share; for `before`. */
export async function openChange(): Promise<void> {
  service = await startTestService({ role: 'api' });
  ({ customer } = service);
  mug = await addProduct(service, customer, 'MUG-11OZ');
  placedBefore = await place(
    basket(service, { external_reference: 'before', items: [teeItem(service, { quantity: 2 })] }),
  );
  seenBefore = (await customer.request<Order>('GET', `/orders/${placedBefore.id}`)).body;
  const black = basket(service, { items: [teeItem(service, BLACK_L)] });
  const estimated = await customer.request<Estimate>('POST', '/orders/estimate', black);
  unitPriceBefore = estimated.body.lines[0]?.unit_price;
  await importCatalogue(service.ctx, await changedCatalogue());
}

/** Closes it again; for `after`. */
export async function closeChange(): Promise<void> {
  await service.stop();
}
