import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { verify } from '../../src/verify/verify.ts';
import { flat } from '../harness/pictures.ts';
import type { SecondConnection } from '../harness/second-connection.ts';
import type { Answer, Customer, ErrorReply, TestService } from '../harness/service.ts';
import { addProduct, HOME, rows } from '../journeys/fixtures.ts';

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

export type Books = { orders: number; paid: number; charges: number; charged_pence: number; balance_pence: number };

/** What an account has: orders, how many of them are paid, orders that were charged, all charges, and the balance. */
export async function booksOf(service: TestService, customer: Customer): Promise<Books> {
  const [books] = await rows<Books>(
    service,
    `select (select count(*) from orders where account_id = $1) as orders,
            (select count(*) from orders where account_id = $1 and state <> 'awaiting_payment') as paid,
            (select count(distinct order_id) from posting where account_id = $1 and kind = 'charge') as charges,
            (select coalesce(sum(amount_pence), 0)::bigint from posting where account_id = $1 and kind = 'charge') as charged_pence,
            (select balance_pence from account_balance where account_id = $1) as balance_pence`,
    [customer.accountId],
  );
  assert.ok(books);
  return books;
}

/** Holds an account's balance, so that whoever charges it waits. */
export async function holdBalance(second: SecondConnection, shop: Shop): Promise<void> {
  await second.query('begin');
  await second.query('select 1 from account_balance where account_id = $1 for update', [shop.customer.accountId]);
}

/** Serves a picture, doing something first each time it is fetched. */
export async function servePicture(
  service: TestService,
  path: string,
  colour: string,
  first: () => Promise<unknown> = async () => {},
): Promise<string> {
  const picture = await flat(600, 600, colour).png().toBuffer();
  service.stranger.serve(path, async (_hit, response) => {
    await first();
    response.end(picture);
  });
  return service.stranger.url(path);
}

/** The statuses of some answers, the lowest first. */
export const statusesOf = (answers: readonly OrderAnswer[]): number[] =>
  answers.map(({ status }) => status).toSorted((a, b) => a - b);

/** `platen verify` finds nothing wrong. */
export async function assertSound(service: TestService): Promise<void> {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.flatMap(({ name, violations }) => violations.map((violation) => `${name}: ${violation}`)),
    [],
  );
}
