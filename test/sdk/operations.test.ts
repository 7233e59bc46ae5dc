import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { type Document, format, generate } from '../../sdk/generate.ts';
import { OPERATIONS } from '../../sdk/src/generated.ts';
import { type Client, createClient, VERSION } from '../../sdk/src/index.ts';
import { HOME } from '../harness/shop.ts';
import { collect, scriptedFetch } from './scripted-fetch.ts';

test('the types of the client are those of the document that is committed', () => {
  const document = JSON.parse(readFileSync('docs/generated/openapi.json', 'utf8')) as Document;
  const committed = readFileSync('sdk/src/generated.ts', 'utf8');
  assert.ok(format(generate(document)) === committed, 'out of date: run `node sdk/generate.ts`');
});

test('the package says the version that the client sends', () => {
  const { version } = JSON.parse(readFileSync('sdk/package.json', 'utf8')) as { version: string };
  assert.equal(version, VERSION);
});

const ORDER = { items: [{ product_id: 'prod_1', variant_sku: 'TEE', quantity: 1 }], shipping_address: HOME };

/** One call of every operation, by its name in the document. */
const CALLS: Record<keyof typeof OPERATIONS, (client: Client) => Promise<unknown>> = {
  placeOrder: ({ orders }) => orders.place(ORDER),
  estimateOrder: ({ orders }) => orders.estimate(ORDER),
  getOrder: ({ orders }) => orders.get('7'),
  listOrders: ({ orders }) => orders.list({ limit: 1 }),
  cancelOrder: ({ orders }) => orders.cancel('7'),
  askToCancel: ({ orders }) => orders.askToCancel('7', { reason: 'changed_mind' }),
  withdrawCancellationRequest: ({ orders }) => orders.withdrawCancellationRequest('7'),
  changeOrderAddress: ({ orders }) => orders.changeAddress('7', { line2: 'Flat 2' }),
  replaceArtwork: ({ orders }) =>
    orders.replaceArtwork('7', '8', { print_area: 'front', url: 'https://art.example/a.png' }),
  getInvoice: ({ orders }) => orders.invoice('7'),
  listCreditNotes: ({ orders }) => orders.creditNotes('7'),
  getCreditNote: ({ orders }) => orders.creditNote('7', '8'),
  reportProblem: ({ problems }) =>
    problems.report('7', { kind: 'lost', text: 'Gone.', items: [{ line_id: '8', quantity: 1 }] }),
  listOrderProblems: ({ problems }) => problems.ofOrder('7'),
  listProblems: ({ problems }) => problems.list({ status: 'open' }),
  getProblem: ({ problems }) => problems.get('7'),
  withdrawProblem: ({ problems }) => problems.withdraw('7'),
  getProduct: ({ products }) => products.get('7'),
  listProducts: ({ products }) => products.list(),
  createProduct: ({ products }) => products.create({ base_product_id: '1', name: 'Tee', variant_skus: ['A'] }),
  updateProduct: ({ products }) => products.update('7', { name: 'Tee' }),
  archiveProduct: ({ products }) => products.archive('7'),
  getPersonalisation: ({ products }) => products.personalisation('7'),
  previewPersonalisation: ({ products }) => products.preview('7', { inputs: { line: 'Ada' } }),
  listBrands: ({ brands }) => brands.list(),
  getBrand: ({ brands }) => brands.get('7'),
  createBrand: ({ brands }) => brands.create({ name: 'Fern' }),
  updateBrand: ({ brands }) => brands.update('7', { name: 'Fable' }),
  archiveBrand: ({ brands }) => brands.archive('7'),
  listBaseProducts: ({ catalogue }) => catalogue.list(),
  getBaseProduct: ({ catalogue }) => catalogue.get('7'),
  listPrintAreas: ({ catalogue }) => catalogue.printAreas('7'),
  getPrices: ({ catalogue }) => catalogue.prices('7'),
  listStock: ({ catalogue }) => catalogue.stock({ variant_sku: 'A,B' }),
  validateUploads: ({ uploads }) => uploads.validate({ url: 'https://art.example/a.png' }),
  createWebhook: ({ webhooks }) => webhooks.create({ url: 'https://shop.example/hooks' }),
  getWebhook: ({ webhooks }) => webhooks.get('7'),
  listWebhooks: ({ webhooks }) => webhooks.list(),
  changeWebhook: ({ webhooks }) => webhooks.update('7', { active: false }),
  removeWebhook: ({ webhooks }) => webhooks.remove('7'),
  listWebhookDeliveries: ({ webhooks }) => webhooks.deliveries('7', { status: 'abandoned' }),
  getWebhookDelivery: ({ webhooks }) => webhooks.delivery('7', '8'),
  redeliverWebhook: ({ webhooks }) => webhooks.redeliver('7', '8'),
  testWebhook: ({ webhooks }) => webhooks.test('7'),
  rotateWebhookSecret: ({ webhooks }) => webhooks.rotateSecret('7'),
  replayWebhook: ({ webhooks }) => webhooks.replay('7', { since: '2026-11-21T09:30:00.000Z', dry_run: true }),
  listWebhookReplays: ({ webhooks }) => webhooks.replays('7'),
  getWebhookReplay: ({ webhooks }) => webhooks.getReplay('7', '8'),
  changeWebhookReplay: ({ webhooks }) => webhooks.updateReplay('7', '8', { status: 'paused' }),
  listEvents: ({ events }) => events.list({ order: 'PF-1' }),
  getBalance: ({ account }) => account.balance(),
  getBilling: ({ account }) => account.billing(),
  listTransactions: ({ account }) => account.transactions(),
  quoteShipping: ({ quotes }) =>
    quotes.shipping({ destination: { country: 'GB', postcode: 'LS1' }, items: [{ variant_id: 'var_1', qty: 1 }] }),
  quoteTax: ({ quotes }) =>
    quotes.tax({
      destination: { country: 'GB', postcode: 'LS1' },
      lines: [{ variant_id: 'var_1', qty: 1, unit_price: 5 }],
      currency: 'GBP',
    }),
};

describe('the client has every operation of the API', () => {
  for (const [name, call] of Object.entries(CALLS)) {
    test(name, async () => {
      const { fetch, sent } = scriptedFetch({ status: 200, body: {} });
      await call(createClient({ token: 'pat_live_sample', baseUrl: 'https://print.example', fetch }));
      const { method, path } = OPERATIONS[name as keyof typeof OPERATIONS];
      assert.equal(sent.length, 1);
      const { pathname } = new URL(sent[0]?.url ?? '');
      assert.deepEqual(
        [sent[0]?.method, pathname],
        [method, `/api/v1${path.replace('{id}', '7').replace(/\{(credit_note_id|delivery|replay|line)\}/, '8')}`],
      );
    });
  }
});

describe('walking over a collection', () => {
  const page = (ids: string[], next: string | null) => ({
    status: 200,
    body: { data: ids.map((id) => ({ id })), has_more: next !== null, next_cursor: next },
  });
  const open = (...steps: Parameters<typeof scriptedFetch>) => {
    const { fetch, sent } = scriptedFetch(...steps);
    const client = createClient({ token: 'pat_live_sample', baseUrl: 'https://print.example', fetch });
    return { client, queries: () => sent.map(({ url }) => new URL(url).search) };
  };

  test('goes from page to page by the cursors of the service, with the filters kept', async () => {
    const { client, queries } = open(page(['a', 'b'], 'b'), page([], 'c'), page(['d'], null));
    const found: string[] = [];
    for await (const order of client.orders.iterate({ status: 'pending', limit: 2 })) found.push(order.id);
    assert.deepEqual(found, ['a', 'b', 'd']);
    assert.deepEqual(queries(), [
      '?status=pending&limit=2',
      '?status=pending&limit=2&cursor=b',
      '?status=pending&limit=2&cursor=c',
    ]);
  });

  test('begins at a cursor, asks for the largest pages and fetches none that is not needed', async () => {
    const { client, queries } = open(page(['a', 'b'], 'b'));
    for await (const event of client.events.iterate({ cursor: 'evt_1' })) if (event.id === 'a') break;
    assert.deepEqual(queries(), ['?cursor=evt_1&limit=100']);
  });

  test('ends with an error when the service gives one cursor twice, and with what a page is refused with', async () => {
    const endless = open(page(['a'], 'a'));
    await assert.rejects(collect(endless.client.products.iterate()), /the cursor a twice/);
    assert.equal(endless.queries().length, 2);
    const refusing = open(page(['a'], 'a'), { status: 401, body: { code: 'unauthorized', detail: 'Not any more.' } });
    await assert.rejects(collect(refusing.client.products.iterate()), /Not any more/);
  });

  test('every collection can be walked over', async () => {
    const { client } = open(page(['a'], null));
    const walks = [
      client.orders.iterate(),
      client.products.iterate(),
      client.webhooks.iterate(),
      client.webhooks.iterateDeliveries('whk_1'),
      client.events.iterate(),
      client.catalogue.iterate(),
      client.catalogue.iterateStock(),
      client.account.iterateTransactions(),
    ];
    for (const walk of walks) assert.equal((await collect<unknown>(walk)).length, 1);
  });
});
