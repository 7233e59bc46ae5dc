import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { newId, publicId } from '../../src/lib/ids.ts';
import type { Address, CreatedOrder, PlaceOrderBody, PlaceOrderItem } from '../../src/orders/schema.ts';
import { insertProduct, type NewProduct } from '../../src/products/sql.ts';
import { flat } from './pictures.ts';
import type { Answer, Customer, ErrorReply, TestService } from './service.ts';

// A shop as its customers see it: what they order, from which products, and what they are answered. What is written
// of it is read in `written.ts`; what operators do stands in `floor.ts`.

/** An address in Great Britain with nothing but what must be given. */
export const HOME: Address = {
  contact_name: 'Ada Byron',
  line1: '12 Mill Lane',
  city: 'Leeds',
  postcode: 'LS1 4DY',
  country_code: 'GB',
};

export const TEE_WHITE_M = 'TEE-CLASSIC-WHT-M';

/** One piece of the demo's fixed product, printed on the front, unless told otherwise. */
export function teeItem(service: TestService, changes: Partial<PlaceOrderItem> = {}): PlaceOrderItem {
  return {
    product_id: service.demo.products.fixed,
    variant_sku: TEE_WHITE_M,
    quantity: 1,
    print_jobs: [{ area: 'front', method: 'dtg' }],
    ...changes,
  };
}

/** A basket of one tee to an address in Great Britain, unless told otherwise. */
export function basket(service: TestService, changes: Partial<PlaceOrderBody> = {}): PlaceOrderBody {
  return { items: [teeItem(service)], shipping_address: HOME, ...changes };
}

/** What an order's request may be answered with. */
export type OrderAnswer = Answer<CreatedOrder & Pick<ErrorReply, 'code'>>;

/** A shop of its own: a customer with a plain product, and what an order of one piece of it costs. */
export type Shop = {
  readonly customer: Customer;
  readonly productId: string;
  readonly sku: string;
  readonly totalPence: number;
  readonly order: (changes?: object) => Promise<OrderAnswer>;
};

/** Opens a customer whose balance covers so many orders of one plain tee, and as many pence more. */
export async function openShop(service: TestService, covers: number, extraPence = 0): Promise<Shop> {
  const poor = await openPoorShop(service);
  const balancePence = covers * poor.totalPence + extraPence;
  if (balancePence === 0) return poor;
  const customer = await service.openCustomer({ balancePence });
  return shopOf(service, customer, poor.totalPence);
}

async function openPoorShop(service: TestService): Promise<Shop> {
  const shop = await shopOf(service, await service.openCustomer(), 0);
  const estimate = await shop.customer.request<{ total: number }>('POST', '/orders/estimate', body(shop));
  assert.equal(estimate.status, 200, estimate.text);
  return shopWith(shop.customer, shop.productId, shop.sku, Math.round(estimate.body.total * 100));
}

async function shopOf(service: TestService, customer: Customer, totalPence: number): Promise<Shop> {
  const productId = await addProduct(service, customer, 'TEE-CLASSIC');
  return shopWith(customer, productId, 'TEE-CLASSIC-WHT-M', totalPence);
}

function shopWith(customer: Customer, productId: string, sku: string, totalPence: number): Shop {
  const shop = { customer, productId, sku, totalPence };
  return { ...shop, order: (changes = {}) => customer.request('POST', '/orders', { ...body(shop), ...changes }) };
}

/** One piece of a shop's product. */
export function body(shop: { productId: string; sku: string }): { items: object[]; shipping_address: object } {
  return { items: [{ product_id: shop.productId, variant_sku: shop.sku, quantity: 1 }], shipping_address: HOME };
}

/** A line that is decorated with a stranger's picture. */
export function decorated(
  shop: { productId: string; sku: string },
  url: string,
  method = 'dtg',
  area = 'front',
): object {
  const areas = [{ print_area: area, method, artwork_url: url }];
  return { product_id: shop.productId, variant_sku: shop.sku, quantity: 1, decoration: { areas } };
}

/** A reference that no other test has. */
export function newReference(): string {
  return `test ${randomUUID()}`;
}

/**
 * A product of a customer on a base product of the demo catalogue, without designs unless told otherwise: its public
 * id.
 */
export async function addProduct(
  service: TestService,
  customer: Customer,
  masterSku: string,
  changes: Partial<NewProduct> = {},
): Promise<string> {
  const { baseProducts } = await service.ctx.catalogue.latest();
  const base = baseProducts.find(({ entry }) => entry.master_sku === masterSku);
  if (base === undefined) throw new Error(`the demo catalogue has no ${masterSku}`);
  const now = service.ctx.clock.now();
  const id = newId(now.getTime());
  await insertProduct(service.ctx.database, {
    id,
    accountId: customer.accountId,
    baseProductId: base.id,
    name: `Plain ${base.entry.title}`,
    description: '',
    status: 'active',
    tags: [],
    retailPricePence: null,
    mockupHash: null,
    personalisation: null,
    areas: [],
    variants: base.variants.map(({ entry }) => ({ id: newId(now.getTime()), sku: entry.sku })),
    now,
    ...changes,
  });
  return publicId('prod', id);
}

/**
 * Serves a picture of one colour on the stranger's host: its address. Equal sizes and colours are equal bytes.
 * `first` is done each time before it is sent.
 */
export async function servePicture(
  service: TestService,
  path: string,
  { widthPx = 600, heightPx = 600, colour }: { widthPx?: number; heightPx?: number; colour: string },
  first: () => Promise<unknown> = async () => {},
): Promise<string> {
  const body = await flat(widthPx, heightPx, colour).png().toBuffer();
  service.stranger.serve(path, async (_hit, response) => {
    await first();
    response.writeHead(200, { 'content-type': 'image/png', 'content-length': body.length });
    response.end(body);
  });
  return service.stranger.url(path);
}

/** The problems of a refusal as `path code`, in order. */
export function problemsOf(answer: Answer<ErrorReply>): readonly string[] {
  return (answer.body.errors ?? []).map(({ path, code }) => `${path} ${code}`);
}

/** An error body without the one member that differs from request to request. */
export function withoutRequestId(answer: Answer<ErrorReply>): string {
  const { request_id: requestId, ...rest } = answer.body;
  return JSON.stringify({ ...rest, hasRequestId: requestId.startsWith('req_') });
}

/**
 * A body without the signatures of its addresses, which are made anew for each answer and differ from second to
 * second.
 */
export function unsigned(body: unknown): unknown {
  return JSON.parse(JSON.stringify(body).replaceAll(/(?<=\?[^"]*)expires=\d+&signature=[\w-]+/g, ''));
}

/** The statuses of some answers, the lowest first. */
export const statusesOf = (answers: readonly OrderAnswer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);
