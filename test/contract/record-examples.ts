import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { changeBillingIdentity } from '../../src/accounts/billing-identity/change-billing.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { closeWindow, openFloor, placeOrder, ship, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { type Customer, startTestService, type TestService } from '../harness/service.ts';
import { servePicture } from '../harness/shop.ts';

/**
 * `npm run openapi -- --examples`: plays one story on the real service with the demo data and keeps each request with
 * its reply as the example of its operation, so that the examples of the document are true and tell of the same
 * order. Addresses of this machine and the signing secret are replaced; long lists of the catalogue are cut.
 */
const FILE = 'src/http/contract/examples.json';

const SELLER = {
  SELLER_NAME: 'Platen Print Ltd',
  SELLER_ADDRESS: '1 Press Lane, Leeds, LS1 4DY, GB',
  SELLER_VAT_NUMBER: 'GB123456782',
};

type Example = { request?: unknown; reply?: unknown };

export async function recordExamples(): Promise<void> {
  const service = await startTestService({ env: SELLER });
  try {
    const examples = await playStory(service);
    writeFileSync(FILE, `${JSON.stringify(withoutThisMachine(service, examples), null, 2)}\n`);
    execFileSync('node_modules/.bin/biome', ['format', '--write', FILE]);
  } finally {
    await service.stop();
  }
}

async function playStory(service: TestService): Promise<Record<string, Example>> {
  const { customer, demo } = service;
  const examples: Record<string, Example> = {};
  const record = recorder(customer, examples);
  await changeBillingIdentity(service.ctx, { kind: 'command line', osUser: 'docs' }, customer.accountId, {
    legal_name: 'Byron Club Ltd',
    address: { line1: '5 High Street', city: 'York', postcode: 'YO1 7HH', country_code: 'GB' },
    contact: { name: 'Ada Byron', email: 'accounts@club.example' },
  });

  const bases = await customer.request<{ data: Base[] }>('GET', '/catalog/products?limit=100');
  const base = bases.body.data.find(({ master_sku: sku }) => sku === 'TEE-CLASSIC');
  assert.ok(base !== undefined);
  const page = (await record<{ data: Base[] }>('listBaseProducts', 'GET', '/catalog/products?limit=1')).data;
  for (const listed of page) listed.variants.length = 2;
  (await record<Base>('getBaseProduct', 'GET', `/catalog/products/${base.id}`)).variants.length = 2;
  (await record<{ data: unknown[] }>('listPrintAreas', 'GET', `/catalog/products/${base.id}/print-areas`)).data.length =
    2;
  const prices = await record<Record<string, unknown[]>>('getPrices', 'GET', `/catalog/products/${base.id}/prices`);
  for (const list of [prices.blanks, prices.prints, prices.setups]) {
    if (list !== undefined && list.length > 2) list.length = 2;
  }
  await record('listStock', 'GET', '/stock?variant_sku=TEE-CLASSIC-BLK-M');

  const front = await servePicture(service, '/club-front.png', { widthPx: 2_400, heightPx: 2_800, colour: 'plum' });
  await record('validateUploads', 'POST', '/uploads/validate', {
    urls: [front, service.stranger.url('/typo.png')],
    base_product_id: base.id,
    print_area: 'front',
    method: 'dtg',
  });
  const product = await record<{ id: string }>('createProduct', 'POST', '/products', {
    base_product_id: base.id,
    name: 'Club tee',
    description: 'Front print for the rowing club.',
    variant_skus: ['TEE-CLASSIC-BLK-M', 'TEE-CLASSIC-BLK-L'],
    tags: ['club', '2026'],
    retail_price: 24.99,
    decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: front, position: { scale: 0.9 } }] },
  });
  await record('updateProduct', 'PATCH', `/products/${product.id}`, { name: 'Rowing club tee', retail_price: 26.5 });
  await record('getProduct', 'GET', `/products/${product.id}`);
  await record('listProducts', 'GET', '/products?limit=1');
  const logo = await servePicture(service, '/club-logo.png', { widthPx: 1_200, heightPx: 400, colour: 'plum' });
  const brand = await record<{ id: string }>('createBrand', 'POST', '/brands', {
    name: 'Byron Club',
    message: 'Thank you for rowing with us.',
    support_email: 'shop@club.example',
    website: 'https://club.example',
    return_lines: ['Byron Club', '5 High Street', 'York YO1 7HH'],
    logo_url: logo,
  });
  await record('updateBrand', 'PATCH', `/brands/${brand.id}`, { message: 'Thank you. See you on the river.' });
  await record('getBrand', 'GET', `/brands/${brand.id}`);
  await record('listBrands', 'GET', '/brands?limit=1');
  await record('getPersonalisation', 'GET', `/products/${demo.products.personalised}/personalisation`);
  await record('previewPersonalisation', 'POST', `/products/${demo.products.personalised}/personalisation/preview`, {
    inputs: { line: 'Sunday walks', 'line#font': 'Pacifico', motif: 'sun' },
    variant_sku: 'TEE-ORGANIC-SAG-M',
  });

  service.stranger.serve('/webhooks/platen', { status: 204 });
  const hook = await record<{ id: string; secret: string }>('createWebhook', 'POST', '/webhooks', {
    url: service.stranger.url('/webhooks/platen'),
    events: ['order.created', 'order.dispatched'],
    description: 'Order desk',
  });
  hook.secret = 'whsec_c2VjcmV0IG9mIHRoZSBleGFtcGxlLCAzMiBieXRlcy4=';
  await record('changeWebhook', 'PATCH', `/webhooks/${hook.id}`, { description: 'Order desk and packing table' });
  await record('listWebhooks', 'GET', '/webhooks');

  const basket = {
    type: 'bulk',
    items: [
      {
        product_id: product.id,
        variant_sku: 'TEE-CLASSIC-BLK-M',
        quantity: 2,
        print_jobs: [{ area: 'front', method: 'dtg' }],
      },
    ],
    shipping_address: {
      contact_name: 'Ada Lovelace',
      line1: '12 St James Square',
      city: 'London',
      postcode: 'SW1Y 4JH',
      country_code: 'GB',
      phone: '+44 20 7946 0958',
    },
    external_reference: 'rowing-1042',
    notes: 'Please fold in half.',
    brand: brand.id,
    metadata: { channel: 'club shop' },
  };
  await record('estimateOrder', 'POST', '/orders/estimate', basket);
  const order = await record<CreatedOrder>('placeOrder', 'POST', '/orders', basket);
  await eventually('print files', async () => {
    const { body } = await customer.request<{ items: { artwork_ready: boolean }[] }>('GET', `/orders/${order.id}`);
    return body.items.every((item) => item.artwork_ready);
  });
  await record('getOrder', 'GET', `/orders/${order.reference}`);
  await record('listOrders', 'GET', '/orders?limit=1');
  await record('getInvoice', 'GET', `/orders/${order.id}/invoice`);
  await record('listEvents', 'GET', `/events?order=${order.reference}`);
  await eventually('the delivery', async () => {
    const { body } = await customer.request<{ recent_deliveries: { status: string }[] }>('GET', `/webhooks/${hook.id}`);
    return body.recent_deliveries.some(({ status }) => status === 'succeeded');
  });
  await record('getWebhook', 'GET', `/webhooks/${hook.id}`);
  await recordRecovery(record, hook.id);
  await record('changeOrderAddress', 'PATCH', `/orders/${order.id}/address`, { line2: 'Flat 2' });
  await record('cancelOrder', 'POST', `/orders/${order.id}/cancel`);
  const notes = await record<{ data: { id: string }[] }>('listCreditNotes', 'GET', `/orders/${order.id}/credit-notes`);
  await record('getCreditNote', 'GET', `/orders/${order.id}/credit-notes/${notes.data[0]?.id}`);
  await record('getBalance', 'GET', '/account/balance');
  await record('getBilling', 'GET', '/account/billing');
  await record('listTransactions', 'GET', '/account/transactions?limit=2');
  await recordProblem(service, record, product.id);
  await recordReplacement(service, record, product.id);
  await recordAsking(service, record, product.id);
  Object.assign(examples, quotes(base.variants[0]?.id ?? ''));
  return examples;
}

/** What a developer does about deliveries; the secrets and signatures of the examples are made up. */
async function recordRecovery(record: RecordStep, hook: string): Promise<void> {
  const tested = await record<{ request: { headers: Record<string, string> }; duration_ms: number }>(
    'testWebhook',
    'POST',
    `/webhooks/${hook}/test`,
    { event: 'order.created' },
  );
  tested.duration_ms = 84;
  const list = await record<{ data: { id: string }[] }>('listWebhookDeliveries', 'GET', `/webhooks/${hook}/deliveries`);
  const delivery = `/webhooks/${hook}/deliveries/${list.data[0]?.id}`;
  await record('getWebhookDelivery', 'GET', delivery);
  await record('redeliverWebhook', 'POST', `${delivery}/redeliver`);
  const rotated = await record<{ secret: string }>('rotateWebhookSecret', 'POST', `/webhooks/${hook}/rotate-secret`);
  rotated.secret = 'whsec_YW5vdGhlciBzZWNyZXQsIGFsc28gMzIgYnl0ZXMgbG8=';
  const since = new Date(Date.now() - 86_400_000).toISOString();
  const started = await record<{ replay: { id: string } }>('replayWebhook', 'POST', `/webhooks/${hook}/replay`, {
    since,
  });
  const { replay } = started;
  await record('getWebhookReplay', 'GET', `/webhooks/${hook}/replays/${replay.id}`);
  await record('listWebhookReplays', 'GET', `/webhooks/${hook}/replays`);
  await record('changeWebhookReplay', 'PATCH', `/webhooks/${hook}/replays/${replay.id}`, { status: 'cancelled' });
}

/** What a customer asks once the window is over. */
async function recordAsking(service: TestService, record: RecordStep, productId: string): Promise<void> {
  const items = [{ product_id: productId, variant_sku: 'TEE-CLASSIC-BLK-M', quantity: 1, print_jobs: [] }];
  const order = await placeOrder(service, { items });
  await closeWindow(service, order);
  const path = `/orders/${order.reference}/cancellation-request`;
  await record('askToCancel', 'POST', path, { reason: 'buyer_cancelled', text: 'Our customer has found the old tee.' });
  await record('withdrawCancellationRequest', 'DELETE', path);
}

/** What a customer does about artwork that could not be made. */
async function recordReplacement(service: TestService, record: RecordStep, productId: string): Promise<void> {
  const artwork = { print_area: 'front', method: 'dtg' };
  const [damaged, whole] = [
    await servePicture(service, '/crest-damaged.png', { widthPx: 2_400, heightPx: 3_000, colour: 'navy' }),
    await servePicture(service, '/crest-whole.png', { widthPx: 2_400, heightPx: 3_000, colour: 'darkblue' }),
  ];
  const decoration = { areas: [{ ...artwork, artwork_url: damaged }] };
  const items = [{ product_id: productId, variant_sku: 'TEE-CLASSIC-BLK-M', quantity: 1, decoration }];
  const order = await placeOrder(service, { items });
  await untilReady(await openFloor(service), order.id);
  await leaveFailed(service, order);
  const path = `/orders/${order.reference}/lines/${order.items.lineItems[0]?.id}/artwork`;
  await record('replaceArtwork', 'POST', path, { print_area: 'front', url: whole });
}

/** What a customer does about a piece that came torn: of an order that was sent. */
async function recordProblem(service: TestService, record: RecordStep, productId: string): Promise<void> {
  const floor = await openFloor(service);
  const items = [{ product_id: productId, variant_sku: 'TEE-CLASSIC-BLK-M', quantity: 3, print_jobs: [] }];
  const order = await placeOrder(service, { items });
  const lineId = order.items.lineItems[0]?.id;
  await floor.post(`/orders/${order.id}/promote`);
  await floor.post(`/orders/${order.id}/lines/${lineId}/start`);
  await ship(floor, order.id, [{ line_id: lineId, quantity: 3 }]);
  const problem = await record<{ id: string }>('reportProblem', 'POST', `/orders/${order.reference}/problems`, {
    kind: 'damaged',
    text: 'One tee has a hole below the collar.',
    items: [{ line_id: lineId, quantity: 1 }],
    photos: [await servePicture(service, '/torn-tee.png', { widthPx: 1_200, heightPx: 900, colour: 'grey' })],
    external_reference: 'case-77',
  });
  const answer = { message: 'We are sorry: another tee is on its way.' };
  await floor.post(`/problems/${problem.id}/replace`, answer);
  await record('getProblem', 'GET', `/problems/${problem.id}`);
  const { body: other } = await service.customer.request<{ id: string }>('POST', `/orders/${order.id}/problems`, {
    kind: 'wrong_item',
    text: 'One tee is an L.',
    items: [{ line_id: lineId, quantity: 1 }],
  });
  await record('withdrawProblem', 'POST', `/problems/${other.id}/withdraw`);
  await record('listOrderProblems', 'GET', `/orders/${order.reference}/problems`);
  await record('listProblems', 'GET', '/problems?limit=1');
}

type Base = { id: string; master_sku: string; variants: { id: string }[] };

type RecordStep = <Reply>(operationId: string, method: string, path: string, body?: unknown) => Promise<Reply>;

function recorder(customer: Customer, examples: Record<string, Example>): RecordStep {
  return async <Reply>(operationId: string, method: string, path: string, body?: unknown): Promise<Reply> => {
    const answer = await customer.request<Reply>(method, path, body);
    assert.ok(answer.status < 300, `${operationId}: ${answer.text}`);
    examples[operationId] = { ...(body === undefined ? {} : { request: body }), reply: answer.body };
    return answer.body;
  };
}

/** The requests are true; there is no reply yet but 501. */
function quotes(variantId: string): Record<string, Example> {
  const destination = { country: 'US', state: 'CA', postcode: '94107' };
  const sold = { variant_id: variantId, qty: 2 };
  return {
    quoteShipping: {
      request: { destination: { ...destination, city: 'San Francisco' }, items: [sold], currency: 'GBP' },
    },
    quoteTax: { request: { destination, lines: [{ ...sold, unit_price: 24.99 }], currency: 'GBP' } },
  };
}

function withoutThisMachine(service: TestService, examples: Record<string, Example>): unknown {
  const text = JSON.stringify(examples)
    .replaceAll(`https://${service.stranger.hostPort}/webhooks`, 'https://shop.example.com/webhooks')
    .replaceAll(`https://${service.stranger.hostPort}`, 'https://cdn.example.com')
    .replaceAll(service.ctx.config.baseUrl, 'https://platen.example.com')
    .replaceAll(/(?<=[?&]signature=)[\w-]+/g, 'EXAMPLE');
  assert.doesNotMatch(text, /127\.0\.0\.1|localhost|example\.test/);
  return JSON.parse(text) as unknown;
}
