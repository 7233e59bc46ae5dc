import assert from 'node:assert/strict';
import { publicId } from '../../src/lib/ids.ts';
import type { CreateProductBody, Product, UpdateProductBody, WrittenProduct } from '../../src/products/schema.ts';
import type { Answer, Customer, ErrorReply, TestService } from './service.ts';
import { everythingWritten, rows } from './written.ts';

/** The public id of a base product of the demo catalogue. */
export async function baseProductId(service: TestService, masterSku = 'TEE-CLASSIC'): Promise<string> {
  const { baseProducts } = await service.ctx.catalogue.latest();
  const base = baseProducts.find(({ entry }) => entry.master_sku === masterSku);
  assert.ok(base, `the catalogue has no ${masterSku}`);
  return publicId('bprod', base.id);
}

/** The least that a product of the classic tee is made of, and these changes. */
export async function teeBody(
  service: TestService,
  changes: Partial<CreateProductBody> = {},
): Promise<CreateProductBody> {
  const base_product_id = await baseProductId(service);
  return { base_product_id, name: 'A tee', variant_skus: ['TEE-CLASSIC-WHT-M'], ...changes };
}

/** Creates a product, which must succeed. Returns it as it is read: without the warnings of the answer. */
export async function create(customer: Customer, body: CreateProductBody): Promise<Product> {
  const answer = await customer.request<WrittenProduct>('POST', '/products', body);
  assert.equal(answer.status, 201, answer.text);
  return withoutWarnings(answer.body);
}

/** Changes a product, which must succeed. Returns it as it is read. */
export async function change(customer: Customer, id: string, body: UpdateProductBody): Promise<Product> {
  const answer = await customer.request<WrittenProduct>('PATCH', `/products/${id}`, body);
  assert.equal(answer.status, 200, answer.text);
  return withoutWarnings(answer.body);
}

function withoutWarnings({ warnings, ...product }: WrittenProduct): Product {
  assert.ok(Array.isArray(warnings), 'every answer to a write has warnings');
  return product;
}

/** Reads a product, which must be there. */
export async function read(customer: Customer, id: string): Promise<Product> {
  const answer = await customer.request<Product>('GET', `/products/${id}`);
  assert.equal(answer.status, 200, answer.text);
  return answer.body;
}

/** A request to change a product that must be refused. */
export async function refuseChange(customer: Customer, id: string, body: unknown): Promise<Answer<ErrorReply>> {
  return customer.request('PATCH', `/products/${id}`, body);
}

/**
 * A hash over all that writing a product can write, so that an unchanged one means that nothing was: rows, values and
 * files.
 */
export async function allProducts(service: TestService): Promise<Record<string, string | number>> {
  const [contents] = await rows<{ products: string; areas: string; variants: string; designs: string; blobs: string }>(
    service,
    `select (select md5(string_agg(p::text, '' order by p.id)) from product p) as products,
            (select md5(string_agg(a::text, '' order by a.product_id, a.print_area)) from product_area a) as areas,
            (select md5(string_agg(v::text, '' order by v.id)) from product_variant v) as variants,
            (select md5(string_agg(d::text, '' order by d.account_id, d.hash)) from design d) as designs,
            (select md5(string_agg(b::text, '' order by b.hash)) from blob b) as blobs`,
  );
  return { ...contents, ...(await everythingWritten(service)) };
}
