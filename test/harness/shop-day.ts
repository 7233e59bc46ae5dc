import assert from 'node:assert/strict';
import { newId } from '../../src/lib/ids.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import type { CreatedOrder, PlaceOrderBody, PlaceOrderItem } from '../../src/orders/schema.ts';
import { setPaymentMethod } from '../../src/payments/method.ts';
import type { PromoteResults } from '../../src/production/schema.ts';
import type { ShippedOrder } from '../../src/shipments/schema.ts';
import { eventually } from './context.ts';
import type { Customer, OperatorClient, TestService } from './service.ts';
import { addProduct, HOME, servePicture } from './shop.ts';

// What happens in a shop on one day: customers who pay in different ways place orders of different kinds, and each
// order meets a fate. Everything that operators do goes over the operations API.

const ABROAD = {
  ...HOME,
  city: 'Portland',
  county: 'OR',
  postcode: '97201',
  country_code: 'US',
  phone: '+1 503 555 0100',
};

/** What orders are made of. */
export const KINDS = [
  'blank totes',
  'a printed tee',
  'a tee and mugs',
  'a personalised tee',
  'artwork of the order',
  'a parcel abroad',
  'a sample',
  'a bodysuit and a tee',
] as const;
export type Kind = (typeof KINDS)[number];
type OrdinaryKind = Exclude<Kind, 'a personalised tee'>;

/** What becomes of orders. */
export const FATES = [
  'straight through',
  'held before it is promoted',
  'held after it was promoted',
  'a piece is spoiled',
  'two parcels, one corrected',
  'its owner cancels it',
  'ops cancels it',
  'ops cancels a piece',
  'goodwill',
  'another address',
  'a replacement',
] as const;
export type Fate = (typeof FATES)[number];

/** How customers pay: from the balance, by card, or late. */
export const PAYERS = ['balance', 'card', 'bank transfer'] as const;
export type Payer = (typeof PAYERS)[number];

export type Day = {
  readonly customers: Readonly<Record<Payer, ShopCustomer>>;
  /** As `OperatorClient.request`, under a key of its own; what must be answered with 200 or 201. */
  readonly act: <Body = OpsOrder>(
    role: 'production' | 'finance',
    path: string,
    body?: object,
    method?: string,
  ) => Promise<Body>;
  readonly see: (id: string) => Promise<OpsOrder>;
};

export type ShopCustomer = Customer & { readonly products: Readonly<Record<string, string>> };

/** Blanks that the day takes from the shelf. */
const SKUS = ['TOTE-COTTON-NAT', 'TEE-CLASSIC-WHT-M', 'MUG-11OZ-WHT', 'TEE-ORGANIC-ECR-M', 'BODYSUIT-BABY-WHT-3-6M'];

/** Opens the customers and the operators, and fills the shelves. */
export async function openDay(service: TestService): Promise<Day> {
  const operators = {
    production: await service.openOperator('production'),
    finance: await service.openOperator('finance'),
  };
  const act: Day['act'] = (role, path, body, method = 'POST') => actTwice(operators[role], method, path, body);
  await act('production', '/stock/receipts', {
    items: SKUS.map((sku) => ({ sku, quantity: 5_000 })),
    reference: 'DN-1',
  });
  const card = await service.openCustomer();
  await setPaymentMethod(service.ctx, { accountId: card.accountId, kind: 'card', reference: `pm_${newId()}` });
  return {
    act,
    customers: {
      balance: await withProducts(service, await service.openCustomer({ balancePence: 10_000_000 })),
      card: await withProducts(service, card),
      'bank transfer': await withProducts(service, await service.openCustomer()),
    },
    see: async (id) => {
      const { status, text, body } = await operators.production.request<OpsOrder>('GET', `/orders/${id}`);
      assert.equal(status, 200, text);
      return body;
    },
  };
}

let requests = 0;

/** Every third request is sent a second time under its key, as after an answer that got lost. */
async function actTwice<Body>(operator: OperatorClient, method: string, path: string, body?: object): Promise<Body> {
  requests += 1;
  const headers = { 'idempotency-key': `day-${newId()}` };
  const isRepeated = requests % 3 === 0;
  const first = await operator.request<Body>(method, path, body, headers);
  assert.ok([200, 201].includes(first.status), `${method} ${path}: ${first.text}`);
  if (isRepeated) {
    const second = await operator.request<Body>(method, path, body, headers);
    assert.equal(second.status, first.status, second.text);
  }
  return first.body;
}

async function withProducts(service: TestService, customer: Customer): Promise<ShopCustomer> {
  const masters = ['TOTE-COTTON', 'TEE-CLASSIC', 'MUG-11OZ', 'BODYSUIT-BABY'];
  const products: Record<string, string> = {};
  for (const master of masters) products[master] = await addProduct(service, customer, master);
  return { ...customer, products };
}

/** The body of an order of a kind for a customer. */
async function bodyOf(
  service: TestService,
  customer: ShopCustomer,
  kind: OrdinaryKind,
  index: number,
): Promise<PlaceOrderBody> {
  const { products } = customer;
  const blank = (master: string, sku: string, quantity: number): PlaceOrderItem => ({
    product_id: products[master] ?? '',
    variant_sku: sku,
    quantity,
    print_jobs: [],
  });
  const tee = async (quantity: number, areas: readonly (readonly [area: string, method: string])[]) => {
    const artwork_url = await servePicture(service, `/art-${index % 5}.png`, {
      widthPx: 800 + (index % 5),
      heightPx: 800,
      colour: '#a05030',
    });
    const decoration = { areas: areas.map(([print_area, method]) => ({ print_area, method, artwork_url })) };
    return { product_id: products['TEE-CLASSIC'] ?? '', variant_sku: 'TEE-CLASSIC-WHT-M', quantity, decoration };
  };
  const items = {
    'blank totes': async () => [blank('TOTE-COTTON', 'TOTE-COTTON-NAT', 3)],
    'a printed tee': async () => [await tee(2, [['front', 'dtg']])],
    'a tee and mugs': async () => [
      await tee(1, [
        ['front', 'dtg'],
        ['back', 'dtf'],
      ]),
      blank('MUG-11OZ', 'MUG-11OZ-WHT', 4),
    ],
    'artwork of the order': async () => [await tee(3, [['left_sleeve', 'embroidery']])],
    'a parcel abroad': async () => [blank('TOTE-COTTON', 'TOTE-COTTON-NAT', 5)],
    'a sample': async () => [await tee(1, [['front', 'dtg']])],
    'a bodysuit and a tee': async () => [
      blank('BODYSUIT-BABY', 'BODYSUIT-BABY-WHT-3-6M', 2),
      await tee(1, [['front', 'dtf']]),
    ],
  };
  return {
    items: await items[kind](),
    shipping_address: kind === 'a parcel abroad' ? ABROAD : HOME,
    ...(kind === 'a sample' ? { type: 'sample' as const } : {}),
    external_reference: `DAY-${newId()}`,
  };
}

/** A personalised order is one of the demo account, whose product it is. */
function personalised(service: TestService, index: number): PlaceOrderBody {
  const decoration = { personalisation: { inputs: { line: `Day ${index % 4}`, motif: 'sun' } } };
  const product_id = service.demo.products.personalised;
  const items = [{ product_id, variant_sku: 'TEE-ORGANIC-ECR-M', quantity: 2, decoration }];
  return { items, shipping_address: HOME, external_reference: `DAY-${newId()}` };
}

/** An order of the day and the events that must tell of it. */
export type Lived = { readonly customer: Customer; readonly id: string; readonly events: readonly string[] };

/** Places an order and leads it through its fate; the orders that came of it, a replacement being one of its own. */
export async function live(
  service: TestService,
  shop: Day,
  order: { readonly index: number; readonly kind: Kind; readonly fate: Fate; readonly payer: Payer },
): Promise<Lived[]> {
  const { index, kind, fate, payer } = order;
  const isPersonalised = kind === 'a personalised tee';
  const customer = isPersonalised ? service.customer : shop.customers[payer];
  const body = isPersonalised
    ? personalised(service, index)
    : await bodyOf(service, shop.customers[payer], kind, index);
  const answer = await customer.request<CreatedOrder>('POST', '/orders', body);
  assert.equal(answer.status, 201, answer.text);
  const { id, payment_status: status } = answer.body;
  // A refund of an order before may have left enough on the balance of who pays late.
  const events = status === 'failed' ? ['order.payment_failed', 'order.created'] : ['order.created'];
  if (status === 'failed') await shop.act('finance', `/orders/${id}/settle`);
  const lived = (...more: string[]): Lived => ({ customer, id, events: [...events, ...more] });
  if (fate === 'its owner cancels it') {
    assert.equal((await customer.request('POST', `/orders/${id}/cancel`)).status, 200);
    await payOut(shop, id);
    return [lived('order.cancelled')];
  }
  if (fate === 'another address') {
    await shop.act('production', `/orders/${id}/address`, { line1: '14 Mill Lane' }, 'PATCH');
  }
  const holds = fate.startsWith('held') ? ['order.on_hold'] : [];
  if (fate === 'held before it is promoted') await holdAndResume(shop, id);
  await promote(shop, id, index);
  if (fate === 'held after it was promoted') await holdAndResume(shop, id);
  if (fate === 'ops cancels it') {
    await shop.act('production', `/orders/${id}/cancel`, { reason: 'asked by phone' });
    await payOut(shop, id);
    return [lived('order.cancelled')];
  }
  const parcels = await make(shop, id, fate);
  const told = lived(...holds, 'order.in_production', ...parcels, 'order.dispatched');
  if (fate === 'goodwill') {
    await shop.act('finance', `/orders/${id}/refunds`, { amount_gbp: 1.27, reason: 'late' });
    await payOut(shop, id);
  }
  if (fate !== 'a replacement') return [told];
  return [told, await replace(shop, customer, id)];
}

async function holdAndResume(shop: Day, id: string): Promise<void> {
  await shop.act('production', `/orders/${id}/hold`, { reason: 'The logo looks wrong', code: 'artwork' });
  assert.equal((await shop.see(id)).state, 'on_hold');
  await shop.act('finance', `/orders/${id}/resume`);
}

async function promote(shop: Day, id: string, index: number): Promise<void> {
  if (index % 2 === 0) {
    await shop.act('production', `/orders/${id}/promote`);
    return;
  }
  const { results } = await shop.act<PromoteResults>('production', '/orders/promote', { ids: [id] });
  assert.deepEqual(
    results.map(({ ok, code }) => [ok, code]),
    [[true, undefined]],
  );
}

/** Starts and finishes every line and ships every piece; the names of the events of its parcels. */
async function make(shop: Day, id: string, fate: Fate): Promise<string[]> {
  const order = await untilReady(shop, id);
  for (const [at, line] of order.lines.entries()) {
    const path = `/orders/${id}/lines/${line.id}`;
    await shop.act('production', `${path}/start`);
    if (fate === 'a piece is spoiled' && at === 0) {
      await shop.act('production', `${path}/spoil`, { quantity: 1, reason: 'misprint' });
    }
  }
  if (fate === 'ops cancels a piece') {
    const [line] = order.lines;
    const lines = [{ line_id: line?.id, quantity: 1 }];
    if ((line?.quantity ?? 0) > 1) {
      await shop.act('finance', `/orders/${id}/cancel`, { reason: 'one too many', lines });
      await payOut(shop, id);
    }
  }
  const left = (await shop.see(id)).lines.map(
    ({ id: line_id, quantity, quantity_cancelled: cancelled, print_jobs: jobs }) => ({
      line_id,
      quantity: quantity - cancelled,
      isPrinted: jobs.length > 0,
    }),
  );
  for (const { line_id, quantity, isPrinted } of left) {
    if (isPrinted) await shop.act('production', `/orders/${id}/lines/${line_id}/finish`, { quantity });
  }
  const pieces = left.map(({ line_id, quantity }) => ({ line_id, quantity }));
  const [first] = pieces;
  if (fate !== 'two parcels, one corrected' || first === undefined || first.quantity < 2) {
    await ship(shop, id, pieces);
    return ['order.shipment_created'];
  }
  const shipment = await ship(shop, id, [{ ...first, quantity: 1 }]);
  await shop.act('production', `/orders/${id}/shipments/${shipment}`, { tracking_number: `RM${newId()}` }, 'PATCH');
  await ship(shop, id, [{ ...first, quantity: first.quantity - 1 }, ...pieces.slice(1)]);
  return ['order.shipment_created', 'order.shipment_created'];
}

async function untilReady(shop: Day, id: string): Promise<OpsOrder> {
  return eventually(
    `the print files of ${id}`,
    async () => {
      const order = await shop.see(id);
      return order.lines.every((line) => line.artwork_ready) && order;
    },
    120_000,
  );
}

async function ship(shop: Day, id: string, items: readonly { line_id: string; quantity: number }[]): Promise<string> {
  const parcel = { carrier: 'Royal Mail', tracking_number: `RM${newId()}`, items };
  return (await shop.act<ShippedOrder>('production', `/orders/${id}/shipments`, parcel)).shipment_id;
}

async function replace(shop: Day, customer: Customer, id: string): Promise<Lived> {
  const { lines } = await shop.see(id);
  const items = lines.slice(0, 1).map((line) => ({ line_id: line.id, quantity: 1 }));
  const made = await shop.act('production', `/orders/${id}/replacement`, { items, reason: 'arrived torn' });
  assert.deepEqual([made.replaces?.id, made.total, made.source], [id, 0, 'replacement']);
  await shop.act('production', `/orders/${made.id}/promote`);
  const parcels = await make(shop, made.id, 'straight through');
  const events = ['order.created', 'order.in_production', ...parcels, 'order.dispatched'];
  return { customer, id: made.id, events };
}

/** Pays out by hand what is owed to a card. */
async function payOut(shop: Day, id: string): Promise<void> {
  const owed = (await shop.see(id)).refunds.filter(({ status }) => status === 'pending');
  const payments = new Set(owed.map(({ payment_id: payment }) => payment));
  for (const payment of payments) await shop.act('finance', `/orders/${id}/refunds/${payment}/paid`);
  assert.equal((await shop.see(id)).refund_owed_gbp, 0);
}
