import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { AppContext } from '../../src/app/context.ts';
import { newId, newOrderReference, publicId } from '../../src/lib/ids.ts';
import type { Page } from '../../src/lib/paging.ts';
import type { Route } from '../../src/lib/route.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { EVENT_NAMES } from '../../src/webhooks/events.ts';
import type { TestService } from '../harness/service.ts';
import { addProduct, basket, HOME, servePicture } from '../harness/shop.ts';
import { fromSchema } from './arbitraries.ts';

/** How valid requests of an operation are made. What is left out is made from its schemas. */
export type Generator = {
  readonly id?: fc.Arbitrary<string>;
  readonly query?: fc.Arbitrary<Readonly<Record<string, string>>>;
  readonly body?: fc.Arbitrary<unknown>;
  /** Statuses that a valid request may get beside those of success. */
  readonly also?: readonly number[];
  /** How often it is asked, 10 when left out: less for what takes long. */
  readonly weight?: number;
};

/** What there is to ask for, made once before the requests. */
export type World = {
  readonly orders: readonly CreatedOrder[];
  /** Orders to be cancelled. */
  readonly doomed: readonly CreatedOrder[];
  readonly products: {
    readonly listed: readonly string[];
    readonly changing: readonly string[];
    readonly doomed: readonly string[];
  };
  readonly webhooks: { readonly changing: readonly string[]; readonly doomed: readonly string[] };
  readonly baseProducts: readonly {
    readonly id: string;
    readonly areas: readonly Area[];
    readonly skus: readonly string[];
  }[];
  readonly events: readonly string[];
  readonly tote: string;
  readonly demo: TestService['demo']['products'];
  readonly pictures: readonly string[];
  readonly hook: string;
};

type Area = { readonly print_area: string; readonly methods: readonly string[] };

const DOOMED = 10;

/** Fills the demo account with something of everything. */
export async function makeWorld(service: TestService): Promise<World> {
  const { customer, stranger } = service;
  const post = async <Body = { id: string }>(path: string, body: unknown): Promise<Body> => {
    const answer = await customer.request<Body>('POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body;
  };
  const several = async <Item>(make: () => Promise<Item>): Promise<Item[]> => {
    const made: Item[] = [];
    for (let count = 0; count < DOOMED; count += 1) made.push(await make());
    return made;
  };
  const product = (): Promise<string> => addProduct(service, customer, 'TOTE-COTTON');
  const hook = stranger.url('/hook');
  const webhook = async (): Promise<string> => (await post('/webhooks', { url: hook })).id;
  const colours = ['teal', 'navy', 'gold', 'plum'];
  const { baseProducts } = await service.ctx.catalogue.latest();
  return {
    orders: await several(() => post<CreatedOrder>('/orders', basket(service))),
    doomed: await several(() => post<CreatedOrder>('/orders', basket(service))),
    products: {
      listed: Object.values(service.demo.products),
      changing: await several(product),
      doomed: await several(product),
    },
    webhooks: {
      changing: [await webhook(), await webhook()],
      doomed: [await webhook(), await webhook(), await webhook()],
    },
    baseProducts: baseProducts.map(({ id, entry }) => ({
      id: publicId('bprod', id),
      areas: entry.print_areas,
      skus: entry.variants.map(({ sku }) => sku),
    })),
    events: (await customer.request<Page<{ id: string }>>('GET', '/events?limit=100')).body.data.map(({ id }) => id),
    tote: await product(),
    demo: service.demo.products,
    pictures: await Promise.all(
      colours.map((colour) => servePicture(service, `/${colour}.png`, { widthPx: 40, heightPx: 30, colour })),
    ),
    hook,
  };
}

/** The generators that know what there is, by operation. Every other operation is asked for by its schemas alone. */
export function generatorsOf(world: World): Readonly<Record<string, Generator>> {
  const order = fc
    .constantFrom(...world.orders, ...world.doomed)
    .chain(({ id, reference }) => fc.constantFrom(id, reference, reference.toLowerCase()));
  const basketBody = basketOf(world);
  const product = fc.constantFrom(...world.products.listed, ...world.products.changing);
  const productBody = productOf(world);
  const baseProduct = { id: fc.constantFrom(...world.baseProducts.map(({ id }) => id)) };
  const webhook = webhookOf(world);
  return {
    listOrders: {
      query: fc.record(
        {
          limit,
          cursor: cursorOf(
            'ord',
            world.orders.map(({ id }) => id),
          ),
          status: fc.constantFrom('pending', 'confirmed', 'in_production', 'dispatched', 'delivered', 'cancelled'),
          type: fc.constantFrom('sample', 'bulk'),
          external_reference: text(60),
          updated_since: time,
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      weight: 20,
    },
    getOrder: { id: order, weight: 20 },
    placeOrder: { body: basketBody, also: [409], weight: 40 },
    estimateOrder: { body: basketBody, also: [409], weight: 60 },
    cancelOrder: { id: fc.constantFrom(...world.doomed.map(({ id }) => id)) },
    getInvoice: { id: order, also: [409] },
    listCreditNotes: { id: order, query: pageOf('cn', []) },
    getCreditNote: { id: order, also: [404] },
    getBalance: { query: fc.constantFrom({}, { at: '2020-02-29T12:00:00.000Z' }) },
    listProducts: { query: pageOf('prod', world.products.listed) },
    getProduct: { id: product },
    createProduct: { body: productBody, weight: 20 },
    updateProduct: {
      id: fc.constantFrom(...world.products.changing),
      body: fc.record(toteMembers(world), { requiredKeys: [], noNullPrototype: true }),
      weight: 30,
    },
    archiveProduct: { id: fc.constantFrom(...world.products.doomed) },
    getPersonalisation: { id: fc.constant(world.demo.personalised) },
    getBaseProduct: baseProduct,
    listPrintAreas: baseProduct,
    getPrices: baseProduct,
    listBaseProducts: {
      query: pageOf(
        'bprod',
        world.baseProducts.map(({ id }) => id),
      ),
    },
    listStock: {
      query: fc.record(
        {
          limit,
          cursor: fc.constantFrom(...world.baseProducts.flatMap(({ skus }) => skus.slice(0, 2))),
          variant_sku: fc
            .array(fc.constantFrom('TEE-CLASSIC-WHT-M', 'TOTE-COTTON-NAT', 'NO-SUCH-SKU'), {
              minLength: 1,
              maxLength: 5,
            })
            .map((skus) => skus.join()),
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
    },
    listWebhooks: { query: pageOf('whk', world.webhooks.changing) },
    createWebhook: {
      body: fc.record(webhook, { requiredKeys: ['url'], noNullPrototype: true }),
      weight: 20,
    },
    changeWebhook: {
      id: fc.constantFrom(...world.webhooks.changing),
      body: fc.record({ ...webhook, active: fc.boolean() }, { requiredKeys: [], noNullPrototype: true }),
      weight: 20,
    },
    getWebhook: { id: fc.constantFrom(...world.webhooks.changing) },
    removeWebhook: { id: fc.constantFrom(...world.webhooks.doomed), also: [404] },
    listEvents: {
      query: fc.record(
        {
          limit,
          cursor: cursorOf('evt', world.events),
          order: fc.oneof(order, fc.constant(newOrderReference()), fc.constant(publicId('ord', newId()))),
          event: fc.uniqueArray(fc.constantFrom(...EVENT_NAMES), { minLength: 1 }).map((names) => names.join()),
          since: time,
        },
        { requiredKeys: [], noNullPrototype: true },
      ),
      weight: 20,
    },
    listTransactions: { query: pageOf('txn', []) },
    validateUploads: {
      body: fc.oneof(
        fc.record({ url: picture(world) }, { noNullPrototype: true }),
        fc.record({ urls: fc.array(picture(world), { minLength: 1, maxLength: 10 }) }, { noNullPrototype: true }),
      ),
    },
    quoteShipping: { body: shippingQuote, also: [501], weight: 20 },
    quoteTax: { body: taxQuote, also: [501], weight: 20 },
  };
}

/** The parts of a valid request, from its generator where there is one and else from its schemas. */
export function partsOf(
  route: Route<AppContext>,
  generator: Generator,
): {
  readonly id: fc.Arbitrary<string>;
  readonly query: fc.Arbitrary<Readonly<Record<string, string>>>;
  readonly body: fc.Arbitrary<unknown>;
} {
  const query = fromSchema(route.query).map((value) => value as Readonly<Record<string, string>>);
  return {
    id: generator.id ?? fc.constant(publicId('ord', newId())),
    query: generator.query ?? (route.query === undefined ? fc.constant({}) : query),
    body: generator.body ?? (route.body === undefined ? fc.constant(undefined) : fromSchema(route.body)),
  };
}

const limit = fc.integer({ min: 1, max: 100 }).map(String);

const time = fc
  .date({ min: new Date('1970-01-01'), max: new Date('2100-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString());

function cursorOf(
  prefix: 'ord' | 'prod' | 'bprod' | 'whk' | 'evt' | 'txn' | 'cn',
  known: readonly string[],
): fc.Arbitrary<string> {
  return fc.constantFrom(
    ...known,
    publicId(prefix, newId()),
    `${prefix}_${'0'.repeat(26)}`,
    `${prefix}_7${'z'.repeat(25)}`,
  );
}

function pageOf(
  prefix: 'prod' | 'bprod' | 'whk' | 'txn' | 'cn',
  known: readonly string[],
): fc.Arbitrary<Readonly<Record<string, string>>> {
  return fc.record({ limit, cursor: cursorOf(prefix, known) }, { requiredKeys: [], noNullPrototype: true });
}

/** Text that may be stored, of all scripts; never blank. */
function text(maxLength: number): fc.Arbitrary<string> {
  return fc
    .oneof(
      fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: Math.floor(maxLength / 10) }),
      fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength }),
    )
    .map((value) => (value.trim() === '' ? 'x' : value));
}

const somewhere = fc.constantFrom(
  ['GB', 'LS1 4DY'],
  ['GB', 'BT1 5GS'],
  ['GB', 'HS2 0AA'],
  ['IM', 'IM1 1AA'],
  ['DE', '10115'],
  ['FR', '75001'],
  ['US', '94107'],
  ['CA', 'K1A 0B1'],
  ['AU', '2000'],
  ['JP', '100-0001'],
);

const address: fc.Arbitrary<object> = fc
  .tuple(
    somewhere,
    fc.record(
      {
        contact_name: text(200),
        line1: text(200),
        city: text(200),
        company_name: fc.string({ maxLength: 200 }),
        line2: fc.string({ maxLength: 200 }),
        county: fc.string({ maxLength: 200 }),
        phone: fc.string({ maxLength: 50 }),
      },
      { requiredKeys: ['contact_name', 'line1', 'city'], noNullPrototype: true },
    ),
  )
  .map(([[country_code, postcode], rest]) => ({ ...rest, country_code, postcode }));

function picture(world: World): fc.Arbitrary<string> {
  return fc.constantFrom(...world.pictures);
}

const optionalLabels = { name: text(200), colour: text(100), size: text(100) };
const quantity = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 10_000 }) },
);

function basketOf(world: World): fc.Arbitrary<object> {
  const jobs = fc.subarray([
    { area: 'front', method: 'dtg' },
    { area: 'back', method: 'dtf' },
    { area: 'left_sleeve', method: 'embroidery' },
  ]);
  const fixed = fc.record(
    {
      product_id: fc.constant(world.demo.fixed),
      variant_sku: fc.constantFrom('TEE-CLASSIC-WHT-M', 'TEE-CLASSIC-WHT-L', 'TEE-CLASSIC-WHT-2XL'),
      quantity,
      print_jobs: jobs,
      ...optionalLabels,
    },
    { requiredKeys: ['product_id', 'variant_sku', 'quantity'], noNullPrototype: true },
  );
  const tote = { product_id: fc.constant(world.tote), variant_sku: fc.constant('TOTE-COTTON-NAT'), quantity };
  const blank = fc.record({ ...tote, print_jobs: fc.constant([]) }, { noNullPrototype: true });
  const decorated = fc.record(
    {
      ...tote,
      decoration: fc.record({ areas: areasOf(world, { mock_url: picture(world) }) }, { noNullPrototype: true }),
    },
    { noNullPrototype: true },
  );
  const personalised = fc.record(
    {
      product_id: fc.constant(world.demo.personalised),
      variant_sku: fc.constantFrom('TEE-ORGANIC-ECR-M', 'TEE-ORGANIC-SAG-L'),
      quantity: fc.integer({ min: 1, max: 5 }),
      decoration: inputsOf(world).map((inputs) => ({ personalisation: { inputs } })),
    },
    { noNullPrototype: true },
  );
  const item = fc.oneof(
    { weight: 12, arbitrary: fixed },
    { weight: 6, arbitrary: blank },
    { weight: 1, arbitrary: decorated },
    { weight: 1, arbitrary: personalised },
  );
  return fc.record(
    {
      items: fc.array(item, { minLength: 1, maxLength: 5 }),
      shipping_address: address,
      billing_address: address,
      type: fc.constantFrom('sample', 'bulk'),
      external_reference: fc.tuple(text(60), fc.uuid()).map(([name, unique]) => `${name}-${unique}`),
      notes: fc.oneof(text(1_000), fc.constant('')),
      metadata: fc.dictionary(text(50), text(200), { maxKeys: 5, noNullPrototype: true }),
    },
    { requiredKeys: ['items', 'shipping_address'], noNullPrototype: true },
  );
}

/** The layers of the demo's personalised product. */
function inputsOf(world: World): fc.Arbitrary<object> {
  return fc.record(
    {
      line: fc.constantFrom('Grüße', 'Family 2026', 'اهلا', '東京', '🌿🌿', '</text><image/>'),
      'line#font': fc.constantFrom('Noto Sans', 'Pacifico', 'Oswald', null),
      'line#color': fc.constantFrom('#20402f', '#FFFFFF', '#000000', null),
      photos: fc.oneof(
        fc.uniqueArray(picture(world), { minLength: 1, maxLength: 2 }).map((urls) => JSON.stringify(urls)),
        fc.constant(null),
      ),
      portrait: fc.oneof(picture(world), fc.constant(null)),
      motif: fc.constantFrom('star', 'heart', 'sun', null),
    },
    { requiredKeys: ['line'], noNullPrototype: true },
  );
}

/** One or two decorated areas of the tote, each with what `more` says beside its artwork. */
function areasOf(world: World, more: Readonly<Record<string, fc.Arbitrary<unknown>>>): fc.Arbitrary<object[]> {
  const area = (print_area: string): fc.Arbitrary<object> => {
    const members: Record<string, fc.Arbitrary<unknown>> = {
      print_area: fc.constant(print_area),
      method: fc.constantFrom('dtg', 'dtf', 'screen_print'),
      artwork_url: picture(world),
      ...more,
    };
    const requiredKeys = ['print_area', 'method', 'artwork_url'];
    return fc.record(members, { requiredKeys, noNullPrototype: true });
  };
  return fc.oneof(fc.tuple(area('front')), fc.tuple(area('back'), area('front')));
}

/** On the print area at least in part. */
const position = fc.record(
  {
    x: fc.double({ min: 0, max: 1, noNaN: true }),
    y: fc.double({ min: 0, max: 1, noNaN: true }),
    scale: fc.double({ min: 0.05, max: 3, noNaN: true }),
    rotation: fc.double({ min: -1e9, max: 1e9, noNaN: true }),
  },
  { requiredKeys: [], noNullPrototype: true },
);

/** Members of a product of a tote bag. */
function toteMembers(world: World) {
  const skus = world.baseProducts.find((base) => base.skus.includes('TOTE-COTTON-NAT'))?.skus ?? [];
  return {
    name: text(200),
    variant_skus: fc.shuffledSubarray([...skus], { minLength: 1 }),
    description: fc.oneof(text(2_000), fc.constant('')),
    retail_price: fc.oneof(
      fc.integer({ min: 0, max: 1_000_000 }).map((pence) => pence / 100),
      fc.constant(null),
    ),
    tags: fc.array(text(100), { maxLength: 5 }),
    status: fc.constantFrom('active', 'draft'),
    mockup_url: fc.oneof({ weight: 1, arbitrary: picture(world) }, { weight: 9, arbitrary: fc.constant(null) }),
    decoration: fc.oneof(
      { weight: 1, arbitrary: areasOf(world, { position }).map((areas) => ({ areas })) },
      { weight: 4, arbitrary: fc.constant({ areas: [] }) },
    ),
  };
}

function productOf(world: World): fc.Arbitrary<object> {
  const tote = world.baseProducts.find((base) => base.skus.includes('TOTE-COTTON-NAT'));
  return fc.record(
    { base_product_id: fc.constant(tote?.id ?? ''), ...toteMembers(world) },
    { requiredKeys: ['base_product_id', 'name', 'variant_skus'], noNullPrototype: true },
  );
}

function webhookOf(world: World) {
  return {
    url: fc.webQueryParameters().map((query) => `${world.hook}?${encodeURI(query)}`.slice(0, 2_000)),
    events: fc.array(fc.constantFrom(...EVENT_NAMES), { maxLength: 10 }),
    description: fc.oneof(text(200), fc.constant('')),
  };
}

const variantLine = { variant_id: fc.constant(publicId('var', newId())), qty: fc.integer({ min: 1, max: 10_000 }) };
const currency = fc.constantFrom('GBP', 'EUR', 'USD', 'JPY');
const state = fc.constantFrom('CA', 'NY', 'ON', 'WA', 'ka');

const shippingQuote = fc.record(
  {
    destination: fc.record(
      {
        country: fc.constantFrom('GB', 'US', 'CA', 'AU', 'DE', 'IN'),
        postcode: text(20),
        state: fc.oneof(state, fc.constant(null)),
        city: fc.string({ maxLength: 200 }),
      },
      { requiredKeys: ['country', 'postcode'], noNullPrototype: true },
    ),
    items: fc.array(fc.record(variantLine, { noNullPrototype: true }), { minLength: 1, maxLength: 20 }),
    currency,
  },
  { requiredKeys: ['destination', 'items'], noNullPrototype: true },
);

const taxQuote = fc.record(
  {
    destination: fc.record(
      { country: fc.constantFrom('GB', 'US', 'CA', 'AU', 'DE', 'IN'), postcode: text(20), state },
      { noNullPrototype: true },
    ),
    lines: fc.array(
      fc.record(
        { ...variantLine, unit_price: fc.double({ min: 0, max: 1e9, noNaN: true }) },
        { noNullPrototype: true },
      ),
      { minLength: 1, maxLength: 20 },
    ),
    currency,
  },
  { noNullPrototype: true },
);

/** An order that everything about is plain, to see that the service still works. */
export function plainOrder(world: World): object {
  const items = [{ product_id: world.tote, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  return { items, shipping_address: HOME };
}
