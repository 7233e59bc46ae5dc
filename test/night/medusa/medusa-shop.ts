import { randomUUID } from 'node:crypto';

// A merchant and a buyer at work in a Medusa shop, over its own APIs.

export type MedusaPlace = {
  readonly url: string;
  /** Of a user of its admin. */
  readonly email: string;
  readonly password: string;
};

type Json = { readonly [name: string]: Json | undefined } & { readonly id?: string } & readonly Json[];

/** A shop that sells one product: what a buyer and we need of it. */
export type MedusaShop = {
  /** The secret key of its admin API, as its merchant copies it. */
  readonly key: string;
  readonly variantIds: readonly string[];
  /** A request of its merchant. */
  readonly admin: <Answer = Json>(method: string, path: string, body?: object) => Promise<Answer>;
  /** Buys so many pieces of each variant, its own unless named, pays, and returns the order. */
  readonly buy: (pieces: readonly number[], variantIds?: readonly string[]) => Promise<string>;
  /** Takes the money of an order, which its buyer has promised. */
  readonly capture: (orderId: string) => Promise<void>;
};

/** The parts of an order that this run looks at. */
export type MedusaOrder = {
  readonly id: string;
  readonly display_id: number;
  readonly status: string;
  readonly payment_status: string;
  readonly fulfillment_status: string;
  readonly updated_at: string;
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly items: readonly { readonly id: string; readonly variant_id: string; readonly quantity: number }[];
  readonly fulfillments: readonly {
    readonly id: string;
    readonly shipped_at: string | null;
    readonly metadata: Readonly<Record<string, unknown>> | null;
    readonly items: readonly { readonly line_item_id: string; readonly quantity: number }[];
    readonly labels: readonly { readonly tracking_number: string; readonly tracking_url: string }[];
  }[];
  readonly payment_collections: readonly { readonly payments: readonly { readonly id: string }[] }[];
};

/** Makes all that a shop of Medusa needs before it can sell, and a product whose variants have these SKUs. */
export async function openMedusaShop(place: MedusaPlace, skus: readonly string[]): Promise<MedusaShop> {
  const { token } = await ask<{ token: string }>(place.url, 'POST', '/auth/user/emailpass', {
    body: { email: place.email, password: place.password },
  });
  const bearer = { authorization: `Bearer ${token}` };
  const admin = <Answer = Json>(method: string, path: string, body?: object): Promise<Answer> =>
    ask<Answer>(place.url, method, `/admin${path}`, { headers: bearer, ...(body === undefined ? {} : { body }) });
  const make = async (path: string, member: string, body: object): Promise<string> => {
    const answer = await admin<Record<string, { id: string }>>('POST', path, body);
    return idOf(answer[member], path);
  };
  const channel = await make('/sales-channels', 'sales_channel', { name: 'The web' });
  const region = await make('/regions', 'region', {
    name: 'Great Britain',
    currency_code: 'gbp',
    countries: ['gb'],
    payment_providers: ['pp_system_default'],
  });
  const { optionId, profileId } = await openShipping({ admin, make, channel, region });
  const { product } = await admin<{ product: { variants: { id: string; sku: string }[] } }>('POST', '/products', {
    title: 'Fern tee',
    status: 'published',
    shipping_profile_id: profileId,
    sales_channels: [{ id: channel }],
    options: [{ title: 'Kind', values: skus }],
    variants: skus.map((sku) => ({
      title: sku,
      sku,
      manage_inventory: false,
      options: { Kind: sku },
      prices: [{ currency_code: 'gbp', amount: 20 }],
    })),
  });
  const publishable = await admin<{ api_key: { id: string; token: string } }>('POST', '/api-keys', {
    title: 'The storefront',
    type: 'publishable',
  });
  await admin('POST', `/api-keys/${publishable.api_key.id}/sales-channels`, { add: [channel] });
  const secret = await admin<{ api_key: { token: string } }>('POST', '/api-keys', { title: 'Platen', type: 'secret' });
  const variantIds = skus.map((sku) => product.variants.find((one) => one.sku === sku)?.id ?? '');
  return {
    key: secret.api_key.token,
    variantIds,
    admin,
    buy: (pieces, named = variantIds) =>
      buy({ url: place.url, token: publishable.api_key.token, region, optionId, variantIds: named }, pieces),
    capture: async (orderId) => {
      const { order } = await admin<{ order: MedusaOrder }>('GET', `/orders/${orderId}`);
      for (const { payments } of order.payment_collections) {
        for (const { id } of payments) await admin('POST', `/payments/${id}/capture`, {});
      }
    },
  };
}

type Making = {
  readonly admin: MedusaShop['admin'];
  readonly make: (path: string, member: string, body: object) => Promise<string>;
  readonly channel: string;
  readonly region: string;
};

/** A place that goods are sent from, and one way to send them. */
async function openShipping({
  admin,
  make,
  channel,
  region,
}: Making): Promise<{ optionId: string; profileId: string }> {
  const location = await make('/stock-locations', 'stock_location', { name: 'The print shop' });
  await admin('POST', `/stock-locations/${location}/sales-channels`, { add: [channel] });
  await admin('POST', `/stock-locations/${location}/fulfillment-providers`, { add: ['manual_manual'] });
  const { stock_location: located } = await admin<{
    stock_location: { fulfillment_sets: { id: string }[] };
  }>('POST', `/stock-locations/${location}/fulfillment-sets?fields=*fulfillment_sets`, {
    name: `Posting ${randomUUID()}`,
    type: 'shipping',
  });
  const setId = idOf(located.fulfillment_sets[0], 'fulfillment-sets');
  const { fulfillment_set: set } = await admin<{ fulfillment_set: { service_zones: { id: string }[] } }>(
    'POST',
    `/fulfillment-sets/${setId}/service-zones`,
    { name: `Great Britain ${randomUUID()}`, geo_zones: [{ type: 'country', country_code: 'gb' }] },
  );
  const profileId = await make('/shipping-profiles', 'shipping_profile', {
    name: `Parcels ${randomUUID()}`,
    type: 'default',
  });
  const optionId = await make('/shipping-options', 'shipping_option', {
    name: 'Standard',
    service_zone_id: idOf(set.service_zones[0], 'service-zones'),
    shipping_profile_id: profileId,
    provider_id: 'manual_manual',
    price_type: 'flat',
    type: { label: 'Standard', description: 'By post', code: 'standard' },
    prices: [{ region_id: region, amount: 4 }],
    rules: [],
  });
  return { optionId, profileId };
}

/** Buys over the store API, as a storefront does. */
async function buy(
  of: {
    readonly url: string;
    readonly token: string;
    readonly region: string;
    readonly optionId: string;
    readonly variantIds: readonly string[];
  },
  pieces: readonly number[],
): Promise<string> {
  const headers = { 'x-publishable-api-key': of.token };
  const store = <Answer = Json>(path: string, body: object): Promise<Answer> =>
    ask<Answer>(of.url, 'POST', `/store${path}`, { headers, body });
  const { cart } = await store<{ cart: { id: string } }>('/carts', {
    region_id: of.region,
    email: 'ada@buyer.example',
    shipping_address: {
      first_name: 'Ada',
      last_name: 'Byron',
      address_1: '12 Mill Lane',
      city: 'Leeds',
      postal_code: 'LS1 4DY',
      country_code: 'gb',
    },
  });
  for (const [at, quantity] of pieces.entries()) {
    if (quantity > 0) await store(`/carts/${cart.id}/line-items`, { variant_id: of.variantIds[at], quantity });
  }
  await store(`/carts/${cart.id}/shipping-methods`, { option_id: of.optionId });
  const { payment_collection: collection } = await store<{ payment_collection: { id: string } }>(
    '/payment-collections',
    { cart_id: cart.id },
  );
  await store(`/payment-collections/${collection.id}/payment-sessions`, { provider_id: 'pp_system_default' });
  const { order } = await store<{ order?: { id: string } }>(`/carts/${cart.id}/complete`, {});
  return idOf(order, 'complete');
}

function idOf(value: { readonly id: string } | undefined, of: string): string {
  if (value === undefined) throw new Error(`Medusa answered without what was made: ${of}`);
  return value.id;
}

async function ask<Answer>(
  url: string,
  method: string,
  path: string,
  { headers = {}, body }: { readonly headers?: Readonly<Record<string, string>>; readonly body?: object },
): Promise<Answer> {
  const response = await fetch(url + path, {
    method,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(60_000),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`Medusa answered ${method} ${path} with ${response.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as Answer;
}
