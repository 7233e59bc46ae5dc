import { refundsOfOrder } from './refund-answers.ts';
import {
  type DoubleFulfillment,
  type DoubleFulfillmentOrder,
  type DoubleLine,
  type DoubleOrder,
  type DoubleShop,
  nextNumber,
  returnedOf,
  sentOf,
} from './shop-state.ts';

// What the double answers, as the root of its schema: members of objects by their names, fields with arguments as
// functions.

type Page = { first?: number; after?: string };

export const gid = (kind: string, id: string): string => `gid://shopify/${kind}/${id}`;
const idOf = (text: string): string => text.split('/').at(-1) ?? '';

/** What a change says back: what it made, or what is wrong with it. */
const refusal = (field: string, message: string) => ({ userErrors: [{ field: field.split('.'), message }] });

/** The root of the schema for a shop; `touched` is called with each order that a mutation has changed. */
export function answersOf(shop: DoubleShop, touched: (order: DoubleOrder) => void) {
  const orders = (): DoubleOrder[] => [...shop.orders.values()];
  const line = (order: DoubleOrder, id: string) => {
    const found = order.lines.find((one) => one.id === id);
    if (found === undefined) throw new Error('the double has no such line');
    return lineView(shop, found, order);
  };
  const foundOrder = (id: string) =>
    orders()
      .flatMap((order) => order.fulfillmentOrders.map((one) => ({ order, one })))
      .find(({ one }) => gid('FulfillmentOrder', one.id) === id);

  const fulfillmentOrderView = (order: DoubleOrder, one: DoubleFulfillmentOrder) => ({
    id: gid('FulfillmentOrder', one.id),
    orderId: gid('Order', order.id),
    status: one.status,
    requestStatus: one.requestStatus,
    fulfillAt: one.fulfillAt,
    assignedLocation: { location: locationView(shop, one.locationId) },
    lineItems: ({ first = 50, after }: Page) =>
      connection(
        one.lines.map(({ id, lineId, remaining, total = remaining }) => ({
          id: gid('FulfillmentOrderLineItem', id),
          totalQuantity: total,
          remainingQuantity: remaining,
          lineItem: line(order, lineId),
        })),
        { first, ...(after === undefined ? {} : { after }) },
      ),
    fulfillments: (page: Page) =>
      connection(
        order.fulfillments
          .filter(({ items }) => items.some(({ lineId }) => one.lines.some((each) => each.lineId === lineId)))
          .map((each) => fulfillmentView(order, each)),
        page,
      ),
  });
  const fulfillmentView = (order: DoubleOrder, { id, status, tracking, items }: DoubleFulfillment) => ({
    id: gid('Fulfillment', id),
    status,
    trackingInfo: [{ company: null, number: null, url: null, ...tracking }],
    fulfillmentLineItems: (page: Page) =>
      connection(
        items.map(({ lineId, quantity }) => ({ quantity, lineItem: line(order, lineId) })),
        page,
      ),
  });
  const orderView = (order: DoubleOrder) => ({
    ...order,
    ...refundsOfOrder(shop, order),
    __typename: 'Order',
    id: gid('Order', order.id),
    displayFulfillmentStatus: statusOf(order),
    risk: { recommendation: order.recommendation, assessments: [{ riskLevel: order.riskLevel }] },
    shippingLine: order.shippingTitle === null ? null : { title: order.shippingTitle },
    lineItems: (page: Page) =>
      connection(
        order.lines.map((one) => lineView(shop, one, order)),
        page,
      ),
    fulfillmentOrders: (page: Page) =>
      connection(
        order.fulfillmentOrders.map((one) => fulfillmentOrderView(order, one)),
        page,
      ),
    // A list, which has no second page.
    fulfillments: ({ first }: Page) => order.fulfillments.slice(0, first).map((one) => fulfillmentView(order, one)),
    metafield: ({ key }: { key: string }) =>
      order.metafields.has(key) ? { id: gid('Metafield', '1'), jsonValue: order.metafields.get(key) } : null,
  });
  const found = (id: string) => {
    const order = shop.orders.get(idOf(id));
    return order === undefined ? null : orderView(order);
  };

  /** Answers a request of the shop's people, if it is in the state for it. */
  const answered =
    (
      from: string,
      to: Partial<DoubleFulfillmentOrder>,
      then: (order: DoubleOrder, one: DoubleFulfillmentOrder) => void = () => {},
    ) =>
    ({ id }: { id: string }) => {
      const at = foundOrder(id);
      if (at?.one.requestStatus !== from) return refusal('id', 'is in no state for it');
      Object.assign(at.one, to);
      then(at.order, at.one);
      touched(at.order);
      return { fulfillmentOrder: fulfillmentOrderView(at.order, at.one), userErrors: [] };
    };

  return {
    shop: { fulfillmentServices: () => shop.services.map((one) => serviceView(shop, one.handle)) },
    nodes: ({ ids }: { ids: string[] }) => ids.map(found),
    order: ({ id }: { id: string }) => found(id),
    orders: (asked: Page & { query: string; sortKey: string; reverse: boolean }) => {
      const { edges, ...rest } = listed(orders(), asked);
      return { ...rest, edges: edges.map(({ cursor, node }) => ({ cursor, node: orderView(node) })) };
    },
    fulfillment: ({ id }: { id: string }) => {
      for (const order of orders()) {
        const one = order.fulfillments.find((each) => gid('Fulfillment', each.id) === id);
        if (one !== undefined) return fulfillmentView(order, one);
      }
      return null;
    },
    fulfillmentOrder: ({ id }: { id: string }) => {
      const at = foundOrder(id);
      return at === undefined ? null : fulfillmentOrderView(at.order, at.one);
    },
    assignedFulfillmentOrders: ({ assignmentStatus, ...page }: Page & { assignmentStatus: string }) => {
      const wanted = assignmentStatus === 'FULFILLMENT_REQUESTED' ? 'SUBMITTED' : 'CANCELLATION_REQUESTED';
      const own = new Set(shop.services.map(({ locationId }) => locationId));
      const nodes = orders().flatMap((order) =>
        order.fulfillmentOrders
          .filter(({ requestStatus, locationId }) => requestStatus === wanted && own.has(locationId))
          .map((one) => fulfillmentOrderView(order, one)),
      );
      return connection(nodes, page);
    },
    webhookSubscriptions: ({ uri }: { uri: string }) => ({
      nodes: shop.hooks
        .filter((hook) => hook.uri === uri)
        .map((hook) => ({ ...hook, id: gid('WebhookSubscription', hook.id) })),
    }),

    fulfillmentServiceCreate: ({ name }: { name: string }) => {
      const handle = name.toLowerCase();
      if (shop.services.some((one) => one.handle === handle)) return refusal('name', 'is taken');
      const place = { id: nextNumber(), handle, serviceName: name, type: 'THIRD_PARTY' };
      shop.services.push({ ...place, locationId: gid('Location', nextNumber()) });
      return { fulfillmentService: serviceView(shop, handle), userErrors: [] };
    },
    webhookSubscriptionCreate: ({ topic, webhookSubscription: { uri } }: HookInput) => {
      if (shop.hooks.some((hook) => hook.topic === topic && hook.uri === uri)) return refusal('uri', 'is taken');
      const hook = { id: nextNumber(), topic, uri };
      shop.hooks.push(hook);
      return { webhookSubscription: { ...hook, id: gid('WebhookSubscription', hook.id) }, userErrors: [] };
    },
    fulfillmentOrderAcceptFulfillmentRequest: answered('SUBMITTED', {
      status: 'IN_PROGRESS',
      requestStatus: 'ACCEPTED',
    }),
    fulfillmentOrderRejectFulfillmentRequest: answered('SUBMITTED', { status: 'OPEN', requestStatus: 'REJECTED' }),
    fulfillmentOrderAcceptCancellationRequest: answered(
      'CANCELLATION_REQUESTED',
      { status: 'CLOSED', requestStatus: 'CANCELLATION_ACCEPTED' },
      (order, closed) => {
        // What is not made any more may be asked for anew.
        const anew = { ...closed, id: nextNumber(), status: 'OPEN', requestStatus: 'UNSUBMITTED' };
        const lines = closed.lines.map(({ lineId, remaining }) => ({ id: nextNumber(), lineId, remaining }));
        order.fulfillmentOrders.push({ ...anew, lines });
      },
    ),
    fulfillmentOrderRejectCancellationRequest: answered('CANCELLATION_REQUESTED', {
      requestStatus: 'CANCELLATION_REJECTED',
    }),
    fulfillmentOrderClose: ({ id }: { id: string }) => {
      const at = foundOrder(id);
      if (at?.one.status !== 'IN_PROGRESS') return refusal('id', 'is not in progress');
      Object.assign(at.one, { status: 'INCOMPLETE', requestStatus: 'CLOSED' });
      touched(at.order);
      return { fulfillmentOrder: fulfillmentOrderView(at.order, at.one), userErrors: [] };
    },
    fulfillmentCreate: ({ fulfillment: given }: { fulfillment: FulfillmentInput }) => {
      const parts = given.lineItemsByFulfillmentOrder.map((part) => ({
        part,
        at: foundOrder(part.fulfillmentOrderId),
      }));
      const order = parts[0]?.at?.order;
      if (order === undefined) return refusal('fulfillment', 'has no fulfillment order');
      const places = new Set(parts.map(({ at }) => at?.one.locationId));
      if (places.size > 1) return refusal('fulfillment', 'has several locations');
      const items: DoubleFulfillment['items'] = [];
      for (const { part, at } of parts) {
        const isOpen = at?.one.status === 'OPEN' || at?.one.status === 'IN_PROGRESS';
        if (!isOpen || at.one.requestStatus === 'SUBMITTED') return refusal('fulfillment.status', 'is not open');
        for (const { id, quantity } of part.fulfillmentOrderLineItems) {
          const open = at.one.lines.find((one) => gid('FulfillmentOrderLineItem', one.id) === id);
          if (open === undefined || open.remaining < quantity) return refusal('fulfillment.quantity', 'is too much');
          items.push({ lineId: open.lineId, quantity });
        }
      }
      for (const { part, at } of parts) {
        for (const { id, quantity } of part.fulfillmentOrderLineItems) {
          const open = at?.one.lines.find((one) => gid('FulfillmentOrderLineItem', one.id) === id);
          if (open !== undefined) open.remaining -= quantity;
        }
        if (at?.one.lines.every(({ remaining }) => remaining === 0) === true) at.one.status = 'CLOSED';
      }
      const made = { id: nextNumber(), status: 'SUCCESS', tracking: { ...given.trackingInfo }, items };
      const fulfillment = { ...made, notified: given.notifyCustomer ? 1 : 0 };
      order.fulfillments.push(fulfillment);
      touched(order);
      return { fulfillment: fulfillmentView(order, fulfillment), userErrors: [] };
    },
    fulfillmentTrackingInfoUpdate: ({ fulfillmentId, trackingInfoInput, notifyCustomer }: CorrectionInput) => {
      for (const order of orders()) {
        const one = order.fulfillments.find(({ id }) => gid('Fulfillment', id) === fulfillmentId);
        if (one === undefined) continue;
        one.tracking = { ...trackingInfoInput };
        if (notifyCustomer) one.notified += 1;
        touched(order);
        return { fulfillment: fulfillmentView(order, one), userErrors: [] };
      }
      return refusal('fulfillmentId', 'is none');
    },
    metafieldsSet: ({ metafields }: { metafields: { ownerId: string; key: string; value: string }[] }) => {
      for (const { ownerId, key, value } of metafields) {
        shop.orders.get(idOf(ownerId))?.metafields.set(key, JSON.parse(value));
      }
      return { metafields: [], userErrors: [] };
    },
    tagsAdd: ({ id, tags }: { id: string; tags: string[] }) => {
      const order = shop.orders.get(idOf(id));
      if (order === undefined || tags.some((tag) => tag.length > 40)) return refusal('tags', 'are too long');
      for (const tag of tags) order.tags.add(tag);
      touched(order);
      return { node: orderView(order), userErrors: [] };
    },
    appUninstall: () => {
      shop.isInstalled = false;
      shop.hooks.length = 0;
      shop.services.length = 0;
      return { app: { id: gid('App', '1') }, userErrors: [] };
    },
  };
}

type HookInput = { topic: string; webhookSubscription: { uri: string } };
type FulfillmentInput = {
  lineItemsByFulfillmentOrder: {
    fulfillmentOrderId: string;
    fulfillmentOrderLineItems: { id: string; quantity: number }[];
  }[];
  trackingInfo?: { company?: string; number?: string; url?: string };
  notifyCustomer: boolean;
};
type CorrectionInput = {
  fulfillmentId: string;
  trackingInfoInput: { company?: string; number?: string; url?: string };
  notifyCustomer: boolean;
};

function statusOf({ fulfillmentOrders, fulfillments }: DoubleOrder): string {
  const left = fulfillmentOrders.flatMap(({ lines }) => lines.map(({ remaining }) => remaining));
  if (fulfillmentOrders.length > 0 && left.every((remaining) => remaining === 0)) return 'FULFILLED';
  return fulfillments.length > 0 ? 'PARTIALLY_FULFILLED' : 'UNFULFILLED';
}

/** A line of an order as the schema has it. */
export function lineView(shop: DoubleShop, { variantId, service, ordered, ...line }: DoubleLine, order: DoubleOrder) {
  const standing = sentOf(order, line.id) - returnedOf(order, line.id);
  return {
    ...line,
    quantity: Math.max(ordered ?? 0, line.currentQuantity),
    refundableQuantity: line.currentQuantity,
    unfulfilledQuantity: Math.max(line.currentQuantity - standing, 0),
    id: gid('LineItem', line.id),
    variant: variantId === null ? null : { id: gid('ProductVariant', variantId) },
    fulfillmentService: service === undefined ? null : serviceView(shop, service),
  };
}

function serviceView(shop: DoubleShop, handle: string) {
  const own = shop.services.find((one) => one.handle === handle);
  const others = { id: '0', handle, serviceName: handle, type: 'THIRD_PARTY', locationId: gid('Location', '99') };
  const { id, locationId, ...service } = own ?? others;
  return { ...service, id: gid('FulfillmentService', id), location: locationView(shop, locationId) };
}

function locationView(shop: DoubleShop, id: string) {
  const isFulfillmentService = shop.services.some((one) => one.locationId === id) || id === gid('Location', '99');
  return { id, isFulfillmentService };
}

function connection<T>(all: readonly T[], { first = 50, after }: Page) {
  const from = after === undefined || after === null ? 0 : Number(after);
  const nodes = all.slice(from, from + first);
  return { nodes, pageInfo: { hasNextPage: from + first < all.length, endCursor: String(from + nodes.length) } };
}

/** Cursors name the last order by its value and its id, as Shopify's do. */
function listed(all: readonly DoubleOrder[], { first = 50, after, query, sortKey, reverse }: ListInput) {
  const since = /updated_at:>='([^']+)'/.exec(query)?.[1];
  const before = /created_at:<'([^']+)'/.exec(query)?.[1];
  const keyOf = (order: DoubleOrder): string =>
    `${sortKey === 'UPDATED_AT' ? order.updatedAt : order.createdAt} ${order.id}`;
  const matching = all
    .filter(({ updatedAt }) => since === undefined || Date.parse(updatedAt) >= Date.parse(since))
    .filter(({ createdAt }) => before === undefined || Date.parse(createdAt) < Date.parse(before))
    .filter((order) => !query.includes('unfulfilled') || statusOf(order) === 'UNFULFILLED')
    .filter(({ cancelledAt }) => !query.includes('status:open') || cancelledAt === null)
    .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1) * (reverse ? -1 : 1));
  const last = after === undefined || after === null ? undefined : Buffer.from(after, 'base64').toString();
  const rest = matching.filter((one) => last === undefined || (reverse ? keyOf(one) < last : keyOf(one) > last));
  const edges = rest.slice(0, first).map((node) => ({ cursor: Buffer.from(keyOf(node)).toString('base64'), node }));
  return { edges, pageInfo: { hasNextPage: rest.length > first, endCursor: edges.at(-1)?.cursor ?? null } };
}

type ListInput = Page & { query: string; sortKey: string; reverse: boolean };
