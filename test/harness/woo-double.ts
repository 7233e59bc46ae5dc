import { createHmac, randomBytes, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import type { Clock } from '../../src/lib/clock.ts';
import type { TestService } from './service.ts';
import { openShopClock, type ShopClock } from './shop-knobs.ts';
import type { Handler, Hit } from './stranger.ts';
import { openWooProducts, type WooProduct } from './woo-products.ts';

// A shop of WooCommerce as it is seen from outside: its REST API, its consent page and its webhooks, on a real HTTPS
// server, with knobs for how it fails.

export type WooLine = {
  readonly id: number;
  readonly name: string;
  readonly product_id: number;
  readonly variation_id: number;
  readonly sku: string;
  readonly quantity: number;
  readonly meta_data: readonly object[];
  /** Without tax, and each tax of it. */
  readonly total?: string;
  readonly taxes?: readonly { readonly id: number; readonly total: string }[];
};

/** What was refunded, as the shop lists it. */
export type WooRefund = {
  readonly id: number;
  readonly amount: string;
  readonly reason: string;
  readonly isPaid: boolean;
  readonly line_items: readonly {
    readonly quantity: number;
    readonly total: string;
    readonly taxes: readonly { readonly id: number; readonly total: string }[];
    readonly meta_data: readonly Meta[];
  }[];
};

export type WooOrder = {
  readonly id: number;
  readonly number: string;
  status: string;
  readonly date_created_gmt: string;
  date_modified_gmt: string;
  readonly [member: string]: unknown;
  readonly line_items: readonly WooLine[];
  meta_data: readonly { key: string; value: unknown }[];
  refunds: readonly { id: number }[];
};

type Hook = { readonly id: number; topic: string; delivery_url: string; secret: string; status: string };
type Meta = { readonly key: string; readonly value: unknown };
type SentRefund = {
  readonly amount: string;
  readonly reason: string;
  readonly api_refund: boolean;
  readonly line_items: readonly {
    readonly id: number;
    readonly quantity: number;
    readonly refund_total: string;
    readonly refund_tax: readonly { readonly id: number; readonly refund_total: string }[];
  }[];
};
type Answer = { readonly status: number; readonly body: unknown; readonly headers?: object };
type Fulfilment = { readonly id: number; readonly is_fulfilled?: boolean; readonly meta_data: readonly Meta[] };

/** What the shop does in place of an answer, the next so many times that it is asked. */
export type Failing = { readonly times: number; readonly how: Handler; readonly only?: RegExp };

export type WooDouble = {
  readonly address: string;
  readonly orders: Map<number, WooOrder>;
  /** Orders that the user of our key may not read. */
  readonly hidden: Set<number>;
  readonly hooks: Map<number, Hook>;
  readonly notes: Map<number, { note: string; customer_note: boolean }[]>;
  readonly fulfilments: Map<number, Fulfilment[]>;
  readonly products: Map<number, WooProduct>;
  readonly refunds: Map<number, WooRefund[]>;
  /** Every request that it was sent, as `GET /wp-json/…` without its query. */
  readonly asked: string[];
  /** Puts an order of one item into the shop, changed by now, and tells nobody. */
  readonly order: (changes?: Partial<WooOrder>) => WooOrder;
  /** Changes an order by now, and tells nobody. */
  readonly change: (id: number, changes: Partial<WooOrder>) => void;
  /** Says to whom it may concern that an order has changed; the status of each answer. */
  readonly tell: (order: WooOrder, signing?: { secret?: string; topic?: string }) => Promise<number[]>;
  /** Consents on the page that it was asked for: posts a key; the status of the answer. */
  readonly consent: (url: string, changes?: object) => Promise<number>;
  readonly fail: (failing: Failing) => void;
  /** It does what it is asked so many times, and its answer is lost. */
  readonly lose: (times: number, only: RegExp) => void;
  /** It fails no more. */
  readonly mend: () => void;
  /** Its people refund pieces of a line, and tell nobody. WooCommerce does not say whether they were sent. */
  readonly refundByShop: (order: WooOrder, lineId: number, quantity: number) => void;
  /** Its people send pieces of a line themselves, where the feature of fulfilments is on; it says so to no one. */
  readonly sendByShop: (order: WooOrder, lineId: number, quantity: number) => void;
  /** Whether the feature of fulfilments is on. */
  readonly feature: (isOn: boolean) => void;
  /**
   * What the index of its REST API says, which is open to all: where the site is, as it calls itself.
   * A handler answers in place of the index: plug-ins close it, and write into it.
   */
  readonly setIndex: (index: { readonly home: string } | Handler) => void;
  /** Its people take our key away. */
  readonly revoke: () => void;
  readonly clock: ShopClock;
};

/** Opens a shop below a path of the stranger's server of a service. */
export function openWooDouble({
  stranger,
  url: serviceUrl,
  ctx,
}: Pick<TestService, 'stranger' | 'url'> & { readonly ctx: { readonly clock: Pick<Clock, 'now'> } }): WooDouble {
  /** The service does not know at which port a test has it listen. */
  const reach = (url: string): string => serviceUrl + new URL(url).pathname;
  const path = `/woo-${randomUUID().slice(0, 8)}`;
  const address = stranger.url(path);
  const keys = new Set<string>();
  const orders: WooDouble['orders'] = new Map();
  const hidden = new Set<number>();
  const hooks: WooDouble['hooks'] = new Map();
  const notes: WooDouble['notes'] = new Map();
  const fulfilments: WooDouble['fulfilments'] = new Map();
  const refunds: WooDouble['refunds'] = new Map();
  const asked: string[] = [];
  const failings: { left: number; how: Handler; only: RegExp }[] = [];
  const losses: { left: number; only: RegExp }[] = [];
  let hasFulfilments = false;
  const clock = openShopClock(() => ctx.clock.now());
  let ids = 100;
  const nextId = (): number => {
    ids += 1;
    return ids;
  };
  const { products, answerProducts } = openWooProducts(nextId, (url) => reach(url) + new URL(url).search);
  const seconds = (): string => clock.now().toISOString().slice(0, 19);

  function send(response: ServerResponse, status: number, body: unknown, headers: object = {}): void {
    const common = { 'content-type': 'application/json; charset=UTF-8', date: clock.header() };
    response.writeHead(status, { ...common, ...headers });
    response.end(JSON.stringify(body));
  }

  let index: { readonly home: string } | Handler = { home: address };

  stranger.serveBelow(path, async (hit, response) => {
    const url = new URL(hit.path, address);
    const route = url.pathname.slice(path.length).replace(/^\/wp-json\/wc\/v3/, '');
    asked.push(`${hit.method} ${route}`);
    const failing = failings.find(({ left, only }) => left > 0 && only.test(`${hit.method} ${route}`));
    if (failing !== undefined) {
      failing.left -= 1;
      await failing.how(hit, response);
      return;
    }
    if (route === '/wp-json/') {
      if (typeof index === 'function') await index(hit, response);
      else send(response, 200, { ...index, url: index.home });
      return;
    }
    const given = /^Basic (.*)$/.exec(hit.headers.authorization ?? '')?.[1] ?? '';
    if (!keys.has(Buffer.from(given, 'base64').toString())) {
      send(response, 401, { code: 'woocommerce_rest_cannot_view', message: 'Sorry, you cannot list resources.' });
      return;
    }
    const { status, body, headers } = await answer(hit, route, url.searchParams);
    const loss = losses.find(({ left, only }) => left > 0 && only.test(`${hit.method} ${route}`));
    if (loss !== undefined) {
      loss.left -= 1;
      response.socket?.destroy();
      return;
    }
    send(response, status, body, headers);
  });

  const none = { status: 404, body: { code: 'rest_no_route', message: 'No route was found.' } };

  async function answer(hit: Hit, route: string, query: URLSearchParams): Promise<Answer> {
    const sent = hit.body.length === 0 ? {} : (JSON.parse(hit.body.toString()) as Record<string, unknown>);
    const [, collection = '', id = '', part = '', partId = ''] = route.split('/');
    if (collection === '') return { status: 200, body: { routes: routes() } };
    if (collection === 'webhooks') return answerHooks(hit.method, Number(id), sent);
    if (collection === 'products') return answerProducts(hit, route.split('/').slice(2), { query, sent });
    if (collection !== 'orders') return none;
    if (id === '') return list(query);
    const order = orders.get(Number(id));
    if (order === undefined) return { status: 404, body: { code: 'woocommerce_rest_shop_order_invalid_id' } };
    if (part === 'notes') {
      const of = notes.get(order.id) ?? [];
      if (hit.method === 'POST') notes.set(order.id, [...of, sent as { note: string; customer_note: boolean }]);
      return { status: hit.method === 'POST' ? 201 : 200, body: notes.get(order.id) ?? [] };
    }
    if (part === 'refunds' && hit.method === 'POST') return answerRefund(order, sent as unknown as SentRefund);
    if (part === 'refunds') return { status: 200, body: refunds.get(order.id) ?? order.refund_details ?? [] };
    if (part === 'fulfillments') return answerFulfilments(hit.method, order.id, Number(partId), sent);
    if (hit.method === 'PUT') {
      const { meta_data: meta = [], ...rest } = sent as { meta_data?: Meta[] };
      const kept = order.meta_data.filter(({ key }) => !meta.some((one) => one.key === key));
      Object.assign(order, rest, { meta_data: [...kept, ...meta], date_modified_gmt: seconds() });
    }
    return { status: 200, body: order };
  }

  const routes = (): object => ({
    '/wc/v3': {},
    '/wc/v3/orders': {},
    ...(hasFulfilments ? { '/wc/v3/orders/(?P<order_id>[\\d]+)/fulfillments': {} } : {}),
  });

  /** As WooCommerce does: an amount that does not fit is refused, and how many pieces is not looked at. */
  function answerRefund(order: WooOrder, { amount, reason, api_refund: isPaid, line_items: lines }: SentRefund) {
    const parts = lines.flatMap(({ refund_total: total, refund_tax: taxes }) => [
      total,
      ...taxes.map((tax) => tax.refund_total),
    ]);
    const sum = (amounts: readonly string[]): number =>
      Math.round(amounts.reduce((all, one) => all + Number(one), 0) * 100);
    const before = refunds.get(order.id) ?? [];
    const left = sum([String(order.total)]) - sum(before.map((one) => one.amount));
    if (sum(parts) !== sum([amount]) || sum([amount]) > left) {
      return { status: 500, body: { code: 'woocommerce_rest_cannot_create_order_refund', message: 'Invalid amount.' } };
    }
    const made: WooRefund = {
      id: nextId(),
      ...{ amount, reason, isPaid },
      line_items: lines.map(({ id, quantity, refund_total: total, refund_tax: taxes }) => ({
        quantity: -quantity,
        total: `-${total}`,
        taxes: taxes.map((tax) => ({ id: tax.id, total: `-${tax.refund_total}` })),
        meta_data: [{ key: '_refunded_item_id', value: String(id) }],
      })),
    };
    refunds.set(order.id, [...before, made]);
    const isWhole = sum([amount]) === left;
    Object.assign(order, { refunds: [...order.refunds, { id: made.id }], date_modified_gmt: seconds() });
    if (isWhole) order.status = 'refunded';
    return { status: 201, body: made };
  }

  function answerHooks(method: string, id: number, sent: Record<string, unknown>): { status: number; body: unknown } {
    if (method === 'GET') return { status: 200, body: [...hooks.values()] };
    if (method === 'DELETE') {
      hooks.delete(id);
      return { status: 200, body: {} };
    }
    const hook = {
      id: Number.isNaN(id) || id === 0 ? nextId() : id,
      topic: '',
      delivery_url: '',
      secret: '',
      status: '',
    };
    hooks.set(hook.id, { ...hook, ...hooks.get(hook.id), ...sent });
    return { status: method === 'POST' ? 201 : 200, body: hooks.get(hook.id) };
  }

  function answerFulfilments(
    method: string,
    orderId: number,
    id: number,
    sent: Record<string, unknown>,
  ): { status: number; body: unknown } {
    if (!hasFulfilments) return none;
    const of = fulfilments.get(orderId) ?? [];
    if (method === 'POST') fulfilments.set(orderId, [...of, { ...sent, id: nextId() } as Fulfilment]);
    if (method === 'PUT')
      fulfilments.set(
        orderId,
        of.map((one) => (one.id === id ? { ...one, ...sent } : one)),
      );
    if (method !== 'GET') markFulfilled(orderId);
    return { status: method === 'POST' ? 201 : 200, body: fulfilments.get(orderId) ?? [] };
  }

  /** The order says itself whether anything of it was sent, as WooCommerce has it do. */
  function markFulfilled(orderId: number): void {
    const order = orders.get(orderId);
    const isAnySent = (fulfilments.get(orderId) ?? []).some((one) => one.is_fulfilled === true);
    if (order === undefined || !isAnySent) return;
    const rest = order.meta_data.filter(({ key }) => key !== '_fulfillment_status');
    const mark = { key: '_fulfillment_status', value: 'partially_fulfilled' };
    Object.assign(order, { meta_data: [...rest, mark], date_modified_gmt: seconds() });
  }

  function list(query: URLSearchParams): Answer {
    const given = (name: string): string => (query.get(name) ?? '').replace(/\.\d+Z$|Z$/, '');
    const statuses = query.get('status')?.split(',');
    const orderby = query.get('orderby');
    const by = orderby === 'id' ? 'id' : orderby === 'modified' ? 'date_modified_gmt' : 'date_created_gmt';
    const sign = query.get('order') === 'asc' ? 1 : -1;
    const perPage = Number(query.get('per_page'));
    const from = (Number(query.get('page')) - 1) * perPage;
    const ids = query.get('include')?.split(',').map(Number);
    const found = [...orders.values()]
      .filter((order) => (statuses === undefined ? order.status !== 'trash' : statuses.includes(order.status)))
      .filter(({ id }) => ids === undefined || ids.includes(id))
      .filter((order) => given('modified_after') === '' || order.date_modified_gmt > given('modified_after'))
      .filter((order) => given('modified_before') === '' || order.date_modified_gmt < given('modified_before'))
      .filter((order) => given('before') === '' || order.date_created_gmt < given('before'))
      .toSorted((a, b) => sign * (by !== 'id' && a[by] !== b[by] ? (a[by] < b[by] ? -1 : 1) : a.id - b.id));
    // Counted first, and then left out, as WooCommerce does.
    const body = found.slice(from, from + perPage).filter(({ id }) => !hidden.has(id));
    return { status: 200, body, headers: { 'x-wp-totalpages': String(Math.ceil(found.length / perPage)) } };
  }

  return {
    address,
    orders,
    hidden,
    hooks,
    notes,
    fulfilments,
    products,
    refunds,
    asked,
    order: (changes = {}) => {
      const id = nextId();
      const order: WooOrder = {
        id,
        number: String(id),
        status: 'processing',
        date_created_gmt: seconds(),
        date_modified_gmt: seconds(),
        billing: { first_name: 'Ada', last_name: 'Byron', email: 'ada@example.com', phone: '', address_1: '' },
        shipping: {
          first_name: 'Ada',
          last_name: 'Byron',
          company: '',
          address_1: '12 Mill Lane',
          address_2: '',
          city: 'Leeds',
          state: '',
          postcode: 'LS1 4DY',
          country: 'GB',
        },
        shipping_lines: [{ method_title: 'Flat rate' }],
        customer_note: '',
        line_items: [],
        meta_data: [],
        refunds: [],
        ...changes,
      };
      orders.set(id, order);
      return order;
    },
    change: (id, changes) => {
      const order = orders.get(id);
      if (order === undefined) throw new Error(`the shop has no order ${id}`);
      Object.assign(order, { date_modified_gmt: seconds() }, changes);
    },
    tell: async (order, { secret, topic = 'order.updated' } = {}) => {
      const wanted = [...hooks.values()].filter((hook) => hook.topic === topic && hook.status === 'active');
      return Promise.all(
        wanted.map(async (hook) => {
          const body = JSON.stringify(order);
          const signature = createHmac('sha256', secret ?? hook.secret)
            .update(body)
            .digest('base64');
          const headers = {
            'content-type': 'application/json',
            'x-wc-webhook-topic': topic,
            'x-wc-webhook-resource': 'order',
            'x-wc-webhook-signature': signature,
          };
          try {
            const response = await fetch(reach(hook.delivery_url), { method: 'POST', headers, body });
            await response.arrayBuffer();
            return response.status;
          } catch {
            // The service is not there; a shop does not try again for ever.
            return 0;
          }
        }),
      );
    },
    consent: async (url, changes = {}) => {
      const query = new URL(url).searchParams;
      const [key, secret] = ['ck_', 'cs_'].map((prefix) => prefix + randomBytes(20).toString('hex'));
      keys.add(`${key}:${secret}`);
      const response = await fetch(reach(query.get('callback_url') ?? ''), {
        method: 'POST',
        headers: { 'content-type': 'application/json;charset=UTF-8' },
        body: JSON.stringify({
          key_id: nextId(),
          user_id: query.get('user_id'),
          consumer_key: key,
          consumer_secret: secret,
          key_permissions: 'read_write',
          ...changes,
        }),
      });
      await response.arrayBuffer();
      return response.status;
    },
    fail: ({ times, how, only = /^/ }) => {
      failings.push({ left: times, how, only });
    },
    lose: (times, only) => {
      losses.push({ left: times, only });
    },
    mend: () => {
      failings.length = 0;
      losses.length = 0;
    },
    refundByShop: (order, lineId, quantity) => {
      const line = {
        ...{ quantity: -quantity, total: '-20.00', taxes: [] },
        meta_data: [{ key: '_refunded_item_id', value: String(lineId) }],
      };
      const made = { id: nextId(), amount: '20.00', reason: '', isPaid: true, line_items: [line] };
      refunds.set(order.id, [...(refunds.get(order.id) ?? []), made]);
      Object.assign(order, { refunds: [...order.refunds, { id: made.id }], date_modified_gmt: seconds() });
    },
    sendByShop: ({ id }, lineId, quantity) => {
      const meta_data = [{ key: '_items', value: [{ item_id: lineId, qty: quantity }] }];
      fulfilments.set(id, [...(fulfilments.get(id) ?? []), { id: nextId(), is_fulfilled: true, meta_data }]);
      markFulfilled(id);
    },
    feature: (isOn) => {
      hasFulfilments = isOn;
    },
    setIndex: (given) => {
      index = given;
    },
    revoke: () => keys.clear(),
    clock,
  };
}
