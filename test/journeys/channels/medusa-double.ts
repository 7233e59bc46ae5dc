import type { Authority } from '../../harness/authority.ts';
import { type Handler, type Hit, type Stranger, startStranger } from '../../harness/stranger.ts';
import { type MedusaGoods, serveProducts } from './medusa-goods.ts';

// A shop of Medusa as its admin API answers: a few orders in memory, and a key.

export type DoubleOrder = {
  readonly id: string;
  display_id: number;
  status: string;
  created_at: string;
  updated_at: string;
  email: string;
  metadata: Record<string, unknown> | null;
  items: {
    id: string;
    title: string;
    variant_id: string;
    variant_sku: string;
    quantity: number;
    metadata: object;
    detail: { quantity: number; fulfilled_quantity: number };
  }[];
  shipping_address: object;
  shipping_methods: { name: string; shipping_option_id: string }[];
  payment_status: string;
  payment_collections: { updated_at: string; payments: DoublePayment[] }[];
  fulfillments: DoubleFulfilment[];
};

type DoublePayment = { id: string; provider_id: string; captured_at: string | null; canceled_at: null };

type DoubleFulfilment = {
  id: string;
  shipped_at: string | null;
  canceled_at: null;
  metadata: object | null;
  labels: object[];
};

/** An answer in place of what was asked, or a connection that ends after it was done; undefined is neither. */
export type Instead = (hit: Hit) => { readonly status: number; readonly json: unknown } | 'reset' | undefined;

export type MedusaDouble = {
  readonly stranger: Stranger;
  readonly key: string;
  readonly orders: Map<string, DoubleOrder>;
  readonly goods: MedusaGoods;
  instead: Instead;
  /** The id of its store; undefined where it gives out none. */
  storeId: string | undefined;
  /** Requests that changed something, as `POST path`. */
  readonly writes: string[];
  /** Puts an order of a variant into the shop, paid unless reported otherwise. */
  readonly sell: (item: { sku: string; quantity?: number }, changes?: Partial<DoubleOrder>) => DoubleOrder;
  /** Takes the money of an order, as Medusa does: the order itself keeps its time. */
  readonly capture: (order: DoubleOrder) => void;
};

/** A way of shipping for goods of others. */
export const OTHERS = 'so_of_others';

/** Below this the same shop is once more, as by another address. */
export const SECOND = '/second';

const HOSTNAME = 'medusa.example.test';

/** Starts a double; `now` is the clock of the shop. */
export async function startMedusaDouble(authority: Authority, now: () => Date): Promise<MedusaDouble> {
  const stranger = await startStranger({ authority, hostnames: [HOSTNAME] });
  const orders = new Map<string, DoubleOrder>();
  let made = 0;
  const next = (prefix: string): string => {
    made += 1;
    return `${prefix}_${made}`;
  };
  const double: MedusaDouble = {
    stranger,
    key: `sk_${'ab12'.repeat(16)}`,
    orders,
    goods: { products: [], isWithoutPlaces: false },
    instead: () => undefined,
    storeId: undefined,
    writes: [],
    sell: ({ sku, quantity = 1 }, changes = {}) => {
      const id = next('order');
      const at = now().toISOString();
      const order: DoubleOrder = {
        id,
        display_id: made,
        status: 'pending',
        created_at: at,
        updated_at: at,
        email: 'ada@buyer.example',
        metadata: null,
        items: [
          {
            id: next('ordli'),
            title: 'Fern tee',
            variant_id: `variant_of_${sku}`,
            variant_sku: sku,
            quantity,
            metadata: {},
            detail: { quantity, fulfilled_quantity: 0 },
          },
        ],
        shipping_address: ADDRESS,
        shipping_methods: [{ name: 'Standard', shipping_option_id: 'so_1' }],
        payment_status: 'captured',
        payment_collections: [
          {
            updated_at: at,
            payments: [{ id: next('pay'), provider_id: 'pp_stripe_stripe', captured_at: at, canceled_at: null }],
          },
        ],
        fulfillments: [],
        ...changes,
      };
      orders.set(id, order);
      serveOrder(order);
      return order;
    },
    capture: (order) => {
      order.payment_status = 'captured';
      for (const collection of order.payment_collections) {
        collection.updated_at = now().toISOString();
        for (const payment of collection.payments) payment.captured_at = collection.updated_at;
      }
    },
  };
  const serve = (path: string, act: (hit: Hit) => readonly [number, unknown]): void => {
    const handler: Handler = (hit, response) => {
      const isLetIn = hit.headers.authorization === `Basic ${Buffer.from(`${double.key}:`).toString('base64')}`;
      if (hit.method !== 'GET') double.writes.push(`${hit.method} ${path}`);
      const instead = double.instead(hit);
      const isRefused = instead !== undefined && instead !== 'reset';
      const [status, json] = isRefused
        ? [instead.status, instead.json]
        : isLetIn
          ? act(hit)
          : [401, { message: 'Unauthorized' }];
      if (instead === 'reset') {
        response.socket?.destroy();
        return;
      }
      response.writeHead(status, { 'content-type': 'application/json', date: now().toUTCString() });
      response.end(JSON.stringify(json));
    };
    for (const prefix of ['', SECOND]) stranger.serve(`${prefix}${path}`, handler);
  };
  serve('/admin/stores', () =>
    double.storeId === undefined
      ? [404, { type: 'not_found', message: 'Not Found' }]
      : [200, { stores: [{ id: double.storeId }], count: 1, offset: 0, limit: 1 }],
  );
  serveProducts(double.goods, serve, next);
  const listOf = (name: string, rows: (query: URLSearchParams) => readonly { id: string; updated_at: string }[]) =>
    serve(`/admin/${name}`, (hit) => {
      const { searchParams } = new URL(hit.path, 'https://shop');
      const [offset, limit] = [Number(searchParams.get('offset')), Number(searchParams.get('limit'))];
      const by = searchParams.get('order') === 'id' ? 'id' : 'updated_at';
      const before = searchParams.get('updated_at[$lt]') ?? '9';
      const all = rows(searchParams)
        .filter((row) => row.updated_at < before)
        .toSorted((a, b) => a[by].localeCompare(b[by]));
      return [200, { [name]: all.slice(offset, offset + limit), count: all.length, offset, limit }];
    });
  listOf('orders', (query) => {
    const ids = query.getAll('id[]');
    const [from, before] = [query.get('updated_at[$gte]') ?? '', query.get('created_at[$lt]') ?? '9'];
    return [...orders.values()].filter(
      ({ id, updated_at: updatedAt, created_at: createdAt }) =>
        (ids.length === 0 || ids.includes(id)) && updatedAt >= from && createdAt < before,
    );
  });
  listOf('payments', (query) => {
    const from = query.get('updated_at[$gte]') ?? '';
    return [...orders.values()]
      .flatMap(({ id, payment_collections: collections }) =>
        collections.map(({ updated_at: updatedAt }) => ({
          id: `pay_of_${id}`,
          updated_at: updatedAt,
          payment_collection: { order: { id } },
        })),
      )
      .filter(({ updated_at: updatedAt }) => updatedAt >= from);
  });

  function serveOrder(order: DoubleOrder): void {
    const path = `/admin/orders/${order.id}`;
    serve(path, ({ method, body }) => {
      if (method === 'POST') {
        if (order.status === 'canceled') {
          return [400, { type: 'invalid_data', message: `Order with id ${order.id} has been canceled.` }];
        }
        const { metadata } = JSON.parse(body.toString()) as { metadata: Record<string, unknown> };
        order.metadata = { ...order.metadata, ...metadata };
        order.updated_at = now().toISOString();
      }
      return [200, { order }];
    });
    serve(`${path}/fulfillments`, ({ body }) => {
      const { items, metadata, ...more } = JSON.parse(body.toString()) as {
        items: { id: string; quantity: number }[];
        metadata: object;
        shipping_option_id?: string;
      };
      if (more.shipping_option_id === OTHERS) {
        return [400, { type: 'invalid_data', message: 'Shipping profile does not match that of the order item.' }];
      }
      for (const { id, quantity } of items) {
        const line = order.items.find((one) => one.id === id);
        if (line === undefined || line.detail.fulfilled_quantity + quantity > line.detail.quantity) {
          return [400, { type: 'invalid_data', message: 'Cannot fulfill more items than what was ordered.' }];
        }
        line.detail.fulfilled_quantity += quantity;
      }
      const id = next('ful');
      const fulfilment: DoubleFulfilment = { id, shipped_at: null, canceled_at: null, metadata, labels: [] };
      order.fulfillments.push(fulfilment);
      order.updated_at = now().toISOString();
      serve(`${path}/fulfillments/${id}/shipments`, (hit) => {
        if (fulfilment.shipped_at !== null) {
          return [400, { type: 'not_allowed', message: 'Shipment has already been created' }];
        }
        fulfilment.shipped_at = now().toISOString();
        fulfilment.labels = (JSON.parse(hit.body.toString()) as { labels: object[] }).labels;
        order.updated_at = now().toISOString();
        return [200, { order }];
      });
      return [200, { order }];
    });
  }
  return double;
}

const ADDRESS = {
  first_name: 'Ada',
  last_name: 'Byron',
  address_1: '12 Mill Lane',
  city: 'Leeds',
  country_code: 'gb',
  postal_code: 'LS1 4DY',
};
