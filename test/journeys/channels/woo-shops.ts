import assert from 'node:assert/strict';
import type { BegunLink, Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderPage } from '../../../src/channels/inbox-schema.ts';
import type { Static } from '../../../src/lib/typebox.ts';
import { eventually } from '../../harness/context.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import type { Customer } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';
import type { Handler } from '../../harness/stranger.ts';
import { openWooDouble, type WooDouble, type WooLine, type WooOrder } from '../../harness/woo-double.ts';
import { sellBlanks } from './blanks.ts';
import { service } from './shops.ts';

// Shops of WooCommerce that are linked with the service.

export type LinkedShop = {
  readonly customer: Customer;
  readonly owner: PortalClient;
  readonly channelId: string;
  readonly productId: string;
  readonly sku: string;
  readonly woo: WooDouble;
};

/** A line of the shop that names a variant of ours by its SKU. */
export function wooLine(shop: Pick<LinkedShop, 'productId' | 'sku'>, changes: Partial<WooLine> = {}): WooLine {
  return {
    id: 1,
    name: 'Fern tee',
    product_id: 71,
    variation_id: 0,
    sku: `${shop.productId}/${shop.sku}`,
    quantity: 1,
    meta_data: [],
    ...changes,
  };
}

/** Puts an order of one line of ours into the shop. */
export function buy(shop: LinkedShop, changes: Partial<WooOrder> = {}): WooOrder {
  return shop.woo.order({ line_items: [wooLine(shop)], ...changes });
}

/** Begins to link a shop; where its people are to consent. */
export async function beginLink(owner: PortalClient, address: string, more: object = {}): Promise<string> {
  const { status, body, text } = await owner.request<BegunLink>('POST', '/channels/links', {
    body: { platform: 'woocommerce', name: 'Fern and Thread', address, ...more },
  });
  assert.equal(status, 201, text);
  return body.consent_url ?? assert.fail('it is linked by consent');
}

/** Links a new shop with a new customer whose balance covers so many orders; `before` fills the shop first. */
export async function linkShop(covers = 5, before: (shop: LinkedShop) => void = () => {}): Promise<LinkedShop> {
  const { customer, productId, sku } = await openShop(service, covers);
  const owner = await openRole(service, 'owner', customer.accountId);
  const woo = openWooDouble(service);
  const unlinked = { customer, owner, productId, sku, woo, channelId: '' };
  before(unlinked);
  assert.equal(await woo.consent(await beginLink(owner, woo.address)), 200);
  const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
  const channelId = body.data[0]?.id ?? assert.fail('the shop is linked');
  const shop = { ...unlinked, channelId };
  await sellBlanks(service, channelId);
  await eventually('it was synchronised', async () => (await channelOfLinked(shop)).link?.synced_at !== null);
  return shop;
}

/** The plug-in is deactivated: the site has no page for anything of it, until the shop is mended. */
export function switchOff({ woo }: Pick<LinkedShop, 'woo'>, { times = 1_000, only = /^/ } = {}): void {
  const body = JSON.stringify({ code: 'rest_no_route', message: 'No route was found.' });
  const how: Handler = (_hit, response) => {
    response.writeHead(404, { 'content-type': 'application/json' }).end(body);
  };
  woo.fail({ times, only, how });
}

/** The channel as its people see it. */
export async function channelOfLinked({ owner, channelId }: Pick<LinkedShop, 'owner' | 'channelId'>): Promise<Channel> {
  return (await owner.request<Channel>('GET', `/channels/${channelId}`)).body;
}

/** What has become of the orders of a shop, by the shop's ids. */
export async function inboxOf({ owner, channelId }: LinkedShop): Promise<Record<string, string>> {
  const { body } = await owner.request<Static<typeof ShopOrderPage>>(
    'GET',
    `/shop-orders?channel=${channelId}&limit=100`,
  );
  return Object.fromEntries(
    body.data.map((row) => [row.shop_order_id, [row.state, row.reason].filter(Boolean).join(' ')]),
  );
}

/** Waits until an order of a shop has come to something. */
export async function untilInbox(shop: LinkedShop, order: WooOrder, wanted: string): Promise<void> {
  await eventually(`order ${order.id} is ${wanted}`, async () => (await inboxOf(shop))[String(order.id)] === wanted);
}

/** Moves the clock to the next time at which shops list what has changed. */
export function passTime(ms = 121_000): void {
  service.shiftMs(ms);
}
