import { randomBytes } from 'node:crypto';
import { openShopClock, openSlowDrip, type ShopClock, type SlowDrip } from '../shop-knobs.ts';

// What a shop of the double holds. Its people change it by plain assignments, as they would in the admin.

export type DoubleLine = {
  id: string;
  title: string;
  sku: string | null;
  variantId: string | null;
  variantTitle: string | null;
  currentQuantity: number;
  /** Pieces that were ordered, those that were refunded or taken out since included. */
  ordered?: number;
  /** Of a piece, in the money of the buyer. */
  price?: string;
  requiresShipping: boolean;
  customAttributes: { key: string; value: string }[];
  /** The handle of the fulfilment service that makes it; the shop itself when left out. */
  service?: string;
};

export type DoubleFulfillmentOrder = {
  id: string;
  status: string;
  requestStatus: string;
  fulfillAt: string | null;
  locationId: string;
  /** In all as many as are left, where `total` is left out. */
  lines: { id: string; lineId: string; remaining: number; total?: number }[];
};

export type DoubleFulfillment = {
  id: string;
  status: string;
  tracking: { company?: string; number?: string; url?: string };
  items: { lineId: string; quantity: number }[];
  /** How often the buyer was written to. */
  notified: number;
};

export type DoubleOrder = {
  id: string;
  name: string;
  createdAt: string;
  processedAt: string;
  updatedAt: string;
  cancelledAt: string | null;
  test: boolean;
  email: string | null;
  phone: string | null;
  note: string | null;
  displayFinancialStatus: string | null;
  recommendation: string;
  riskLevel: string;
  shippingTitle: string | null;
  shippingAddress: Record<string, string> | null;
  lines: DoubleLine[];
  fulfillmentOrders: DoubleFulfillmentOrder[];
  fulfillments: DoubleFulfillment[];
  metafields: Map<string, unknown>;
  tags: Set<string>;
  refunds: DoubleRefund[];
};

/** A refund; `key` is what it was asked for by. */
export type DoubleRefund = {
  id: string;
  key: string;
  note: string;
  amount: string;
  lines: { lineId: string; quantity: number; restockType?: RestockType }[];
};

/** Of pieces that were not sent, that came back after they were, or of any. */
export type RestockType = 'CANCEL' | 'RETURN' | 'NO_RESTOCK';

/** A product; `metafields` are those of our app, by their keys. */
export type DoubleProduct = {
  id: string;
  handle: string;
  title: string;
  descriptionHtml: string;
  status: string;
  media: string[];
  options: { id: string; name: string }[];
  metafields: Map<string, string>;
  variants: DoubleVariant[];
};

/** A variant; its `values` are in the sequence of the options, `levels` what is available at each location. */
export type DoubleVariant = {
  id: string;
  sku: string | null;
  price: string;
  inventoryPolicy: string;
  tracked: boolean;
  values: string[];
  levels: Map<string, number>;
};

/** What goes wrong with the next request to the API. */
export type Fault =
  | 'none'
  | 'throttled'
  | 'away'
  | 'limited'
  | 'page'
  | 'reset'
  | 'drip'
  | 'slow drip'
  | 'answer lost'
  /** It finds something wrong with what it is asked to change. */
  | 'rejected';

export type DoubleShop = {
  readonly domain: string;
  readonly orders: Map<string, DoubleOrder>;
  readonly products: DoubleProduct[];
  /** Keys of metafields of products that are unique in the shop. */
  readonly definitions: Set<string>;
  /** What its people have consented to. */
  scopes: Set<string>;
  readonly hooks: { id: string; topic: string; uri: string }[];
  readonly services: { id: string; handle: string; serviceName: string; type: string; locationId: string }[];
  /** Taken one a request, in their order. */
  readonly faults: Fault[];
  readonly slowDrip: SlowDrip;
  readonly clock: ShopClock;
  /** The names of the operations that were done, in their order. */
  readonly done: string[];
  /** It finds something wrong with refunds, as where the payment is too old for one. */
  refusesRefunds: boolean;
  /** The operation that is done once more without an answer. */
  loseAnswerOf: string | undefined;
  /** What goes wrong with an operation, such as `mutation Sent`, each time that it is asked for. */
  faultOf: (operation: string) => Fault | undefined;
  tokens: TokenState;
  isInstalled: boolean;
};

/** The tokens of one app in one shop. */
export type TokenState = {
  code: string | undefined;
  access: string | undefined;
  /** No access by it any more, and not renewed yet. */
  isExpired: boolean;
  /** No token is given before this. */
  hold?: Promise<void>;
  refresh: string | undefined;
  /** Taken again until its replacement is used. */
  refreshBefore: string | undefined;
  refreshed: number;
};

export const MERCHANT_LOCATION = 'gid://shopify/Location/1';

/** A shop without orders, in which our app is not. */
export function newShop(domain: string): DoubleShop {
  return {
    domain,
    orders: new Map(),
    products: [],
    definitions: new Set(),
    scopes: new Set(),
    hooks: [],
    services: [],
    faults: [],
    slowDrip: openSlowDrip(),
    clock: openShopClock(() => new Date()),
    done: [],
    refusesRefunds: false,
    loseAnswerOf: undefined,
    faultOf: () => undefined,
    tokens: {
      code: undefined,
      access: undefined,
      isExpired: false,
      refresh: undefined,
      refreshBefore: undefined,
      refreshed: 0,
    },
    isInstalled: false,
  };
}

let lastNumber = 5_000_000_000;

/** A number that Shopify has given to nothing else. */
export function nextNumber(): string {
  lastNumber += 1;
  return String(lastNumber);
}

/**
 * A time as Shopify writes it, to the second.
 * The second that follows: what is made after a shop was connected is not of before.
 */
export function shopTime(time: Date): string {
  return `${new Date(Math.ceil(time.getTime() / 1_000) * 1_000).toISOString().slice(0, 19)}Z`;
}

export function newToken(prefix: string): string {
  return `${prefix}_${randomBytes(16).toString('hex')}`;
}

/** A paid order of now with these lines, at the location of our service, or of the shop where there is none. */
export function newOrder(shop: DoubleShop, lines: readonly Partial<DoubleLine>[], changes: Partial<DoubleOrder> = {}) {
  const now = shopTime(shop.clock.now());
  const whole = lines.map(
    (line): DoubleLine => ({
      ...{ id: nextNumber(), title: 'Fern tee', sku: null, variantId: null, variantTitle: null, currentQuantity: 1 },
      ...{ requiresShipping: true, customAttributes: [] },
      ...line,
      ordered: line.currentQuantity ?? 1,
    }),
  );
  const order: DoubleOrder = {
    ...{ id: nextNumber(), name: '#1001', createdAt: now, processedAt: now, updatedAt: now, cancelledAt: null },
    ...{ test: false, email: 'ada@byron.example', phone: null, note: null, displayFinancialStatus: 'PAID' },
    ...{ recommendation: 'ACCEPT', riskLevel: 'LOW', shippingTitle: 'Standard', lines: whole, fulfillments: [] },
    shippingAddress: {
      ...{ firstName: 'Ada', lastName: 'Byron', name: 'Ada Byron', address1: '12 Mill Lane', city: 'Leeds' },
      ...{ zip: 'LS1 4DY', countryCodeV2: 'GB' },
    },
    fulfillmentOrders: [],
    metafields: new Map(),
    tags: new Set(),
    refunds: [],
    ...changes,
  };
  const ours = shop.services.find(({ serviceName }) => serviceName === 'Platen');
  order.fulfillmentOrders.push(fulfillmentOrder(whole, ours?.locationId ?? MERCHANT_LOCATION));
  return order;
}

/** Has the shop's people send pieces of a line themselves. */
export function sendByShop(order: DoubleOrder, lineId: string, quantity: number): void {
  let left = quantity;
  for (const one of order.fulfillmentOrders) {
    for (const line of one.lines.filter((each) => each.lineId === lineId)) {
      const some = Math.min(left, line.remaining);
      Object.assign(line, { total: line.total ?? line.remaining, remaining: line.remaining - some });
      left -= some;
    }
    if (one.lines.every(({ remaining }) => remaining === 0)) one.status = 'CLOSED';
  }
  const items = [{ lineId, quantity }];
  order.fulfillments.push({ id: nextNumber(), status: 'SUCCESS', tracking: {}, items, notified: 0 });
}

/** Pieces of a line that were sent, those that came back included. */
export function sentOf({ fulfillments }: DoubleOrder, lineId: string): number {
  return fulfillments
    .filter(({ status }) => status === 'SUCCESS')
    .flatMap(({ items }) => items)
    .reduce((sum, item) => sum + (item.lineId === lineId ? item.quantity : 0), 0);
}

/** Pieces of a line that were refunded after they were sent. */
export function returnedOf({ refunds }: DoubleOrder, lineId: string): number {
  return refunds
    .flatMap(({ lines }) => lines)
    .reduce((sum, one) => sum + (one.lineId === lineId && one.restockType === 'RETURN' ? one.quantity : 0), 0);
}

/** Has the shop's people refund pieces of a line: such that are not sent yet, or that were. */
export function refundByShop(
  order: DoubleOrder,
  lineId: string,
  quantity: number,
  restockType: Exclude<RestockType, 'NO_RESTOCK'>,
): void {
  const line = order.lines.find(({ id }) => id === lineId);
  if (line === undefined) throw new Error('the double has no such line');
  const standing = sentOf(order, lineId) - returnedOf(order, lineId);
  const most = restockType === 'RETURN' ? standing : line.currentQuantity - standing;
  if (quantity > most) throw new Error(`Shopify refunds ${most} such pieces at the most`);
  line.currentQuantity -= quantity;
  if (restockType === 'CANCEL') takeOpen(order, lineId, quantity);
  const lines = [{ lineId, quantity, restockType }];
  order.refunds.push({ id: nextNumber(), key: nextNumber(), note: '', amount: '20.00', lines });
}

/** What is refunded before it was sent is not to be sent. */
export function takeOpen(order: DoubleOrder, lineId: string, quantity: number): void {
  let left = quantity;
  for (const open of order.fulfillmentOrders.flatMap(({ lines }) => lines).filter((one) => one.lineId === lineId)) {
    const some = Math.min(left, open.remaining);
    open.remaining -= some;
    left -= some;
  }
}

/** A fulfilment order for all pieces of these lines. */
export function fulfillmentOrder(lines: readonly DoubleLine[], locationId: string): DoubleFulfillmentOrder {
  return {
    ...{ id: nextNumber(), status: 'OPEN', requestStatus: 'UNSUBMITTED', fulfillAt: null, locationId },
    lines: lines.map(({ id, currentQuantity }) => ({ id: nextNumber(), lineId: id, remaining: currentQuantity })),
  };
}
