import assert from 'node:assert/strict';
import type { BegunLink, Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { createAuthority } from '../../harness/authority.ts';
import { eventually } from '../../harness/context.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';
import { APP, type ShopifyDouble, startShopifyDouble } from '../../harness/shopify/double.ts';
import { startsWithShop } from '../../harness/shopify/names.ts';
import type { DoubleLine, DoubleShop } from '../../harness/shopify/shop-state.ts';
import { rows } from '../../harness/written.ts';
import { sellBlanks } from './blanks.ts';

// Shops of Shopify that customers connect, with a double in Shopify's place.

export let service: TestService;
export let double: ShopifyDouble;

/** Every line that was logged. */
export const logged: string[] = [];

export async function openShopify(names: readonly string[]): Promise<void> {
  const authority = createAuthority();
  double = await startShopifyDouble(authority, names);
  const keep = (fields: object, message: string): void => {
    logged.push(JSON.stringify({ ...fields, message }));
  };
  service = await startTestService({
    authority,
    log: { debug: keep, info: keep, warn: keep, error: keep },
    resolve: async (host) => {
      if (startsWithShop(host, names) || host.endsWith('.example.test')) return [{ address: '127.0.0.1', family: 4 }];
      throw new Error('no such name');
    },
    portOf: (host) => (startsWithShop(host, names) ? double.port : undefined),
    env: {
      SHOPIFY_CLIENT_ID: APP.clientId,
      SHOPIFY_CLIENT_SECRET: APP.clientSecret,
      TRUSTED_PRIVATE_HOSTS: names.map((name) => `${name}.myshopify.com:443`).join(','),
    },
  });
  double.serviceUrl = service.url;
  double.now = () => service.ctx.clock.now();
}

export async function closeShopify(): Promise<void> {
  await service?.stop();
  await double?.close();
}

/** A customer with a product, a person of theirs in the portal, and a connected shop of Shopify. */
export type Connected = {
  readonly customer: Customer;
  readonly owner: PortalClient;
  readonly channelId: string;
  readonly shop: DoubleShop;
  /** A line of one piece of their product. */
  readonly ours: Partial<DoubleLine>;
};

export type Person = Pick<Connected, 'customer' | 'owner' | 'ours'>;

/** A customer with a product, whose balance covers so many orders of it, and a person of theirs in the portal. */
export async function openPerson(covers = 5): Promise<Person> {
  const { customer, productId, sku } = await openShop(service, covers);
  const owner = await openRole(service, 'owner', customer.accountId);
  return { customer, owner, ours: { sku: `${productId}/${sku}`, title: 'Fern tee', variantTitle: 'White / M' } };
}

/** Begins to connect a shop; the page on which its people consent. */
export async function begin({ owner }: Pick<Person, 'owner'>, name: string): Promise<string> {
  const body = { platform: 'shopify', name: 'Fern and Thread', address: `${name}.myshopify.com` };
  const { status, text, body: begun } = await owner.request<BegunLink>('POST', '/channels/links', { body });
  assert.equal(status, 201, text);
  return begun.consent_url ?? assert.fail('it is linked by consent');
}

/** Follows where the browser of a person is led; nobody is signed in in it where they are left out. */
export async function follow(path: string, by?: PortalClient): Promise<{ status: number; to: string; text: string }> {
  const headers = by === undefined ? {} : { cookie: `platen_session=${by.secret}` };
  const response = await fetch(service.url + path, { headers, redirect: 'manual' });
  return { status: response.status, to: response.headers.get('location') ?? '', text: await response.text() };
}

/** Connects a shop of a new customer, and waits until its first sync has ended. */
export async function connect(name: string, covers = 5): Promise<Connected> {
  const person = await openPerson(covers);
  const { status, text } = await follow(double.consent(await begin(person, name)), person.owner);
  assert.equal(status, 302, text);
  const [channel] = await channelsOf(person);
  assert.ok(channel !== undefined);
  await sellBlanks(service, channel.id);
  await synced({ ...person, channelId: channel.id });
  return { ...person, channelId: channel.id, shop: double.shop(name) };
}

/** The connected shops of a person, as they see them. */
export async function channelsOf({ owner }: Pick<Person, 'owner'>): Promise<Channel[]> {
  return (await owner.request<{ data: Channel[] }>('GET', '/channels')).body.data;
}

/** A shop once all that had changed in it was read. */
export async function synced({ owner, channelId }: Pick<Connected, 'owner' | 'channelId'>): Promise<Channel> {
  return eventually('the shop was read', async () => {
    const { body } = await owner.request<Channel>('GET', `/channels/${channelId}`);
    return body.link?.synced_at === null || body.link?.fault !== null ? undefined : body;
  });
}

/** What has come of the orders of a person's shops. */
export async function inboxOf({ owner }: Pick<Person, 'owner'>): Promise<readonly ShopOrderView[]> {
  return (await owner.request<{ data: ShopOrderView[] }>('GET', '/shop-orders?limit=100')).body.data;
}

/** An order once what has become of it is this. */
export async function until(
  person: Pick<Person, 'owner'>,
  orderId: string,
  isSo: (order: ShopOrderView) => boolean,
): Promise<ShopOrderView> {
  return eventually('the order has come so far', async () =>
    (await inboxOf(person)).find((one) => one.shop_order_id === orderId && isSo(one)),
  );
}

/** As `until`, for what no notice tells of: the shop is synchronised until it is so. */
export async function untilVisited(
  person: Pick<Person, 'owner'>,
  orderId: string,
  isSo: (order: ShopOrderView) => boolean,
): Promise<ShopOrderView> {
  let visitedAt = 0;
  return eventually('the order has come so far by syncs', async () => {
    const found = (await inboxOf(person)).find((one) => one.shop_order_id === orderId && isSo(one));
    if (found !== undefined || performance.now() - visitedAt < 1_000) return found;
    visitedAt = performance.now();
    await visitAgain();
    return undefined;
  });
}

export const isPlaced = ({ state }: ShopOrderView): boolean => state === 'placed';

export const waitsFor =
  (wanted: string) =>
  ({ state, reason }: ShopOrderView): boolean =>
    state === 'waiting' && reason === wanted;

/** Has all shops synchronised, which list what has changed. */
export async function visitAgain(): Promise<void> {
  service.shiftMs(130_000);
  await rows(service, 'update channel_link set next_sync_at = $1, retry_at = null', [service.ctx.clock.now()]);
  service.ctx.wake('shop_sync_due');
}
