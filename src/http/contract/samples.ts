import { EXAMPLES } from './examples.ts';
import type { JsonObject } from './schemas.ts';

/** How the TypeScript client is called for an operation; texts are code. */
type Call = {
  /** Of the client, such as `orders.place`. */
  readonly method: string;
  /** Before the body of the documented request, which is added where there is one. */
  readonly given?: readonly string[];
  /** The name of what comes back; a method that returns an iterator gives one at a time. */
  readonly result?: string;
  readonly kind?: 'each';
  /** What is done with the result. */
  readonly use?: string;
};

const ORDER = quoted(exampleMember('placeOrder', 'reference'));
const LINE = quoted('line_01jq4x0000000000000000000');
const PROBLEM = quoted(exampleMember('getProblem', 'id'));
const PRODUCT = quoted(exampleMember('createProduct', 'id'));
const BRAND = quoted(exampleMember('createBrand', 'id'));
const BASE_PRODUCT = quoted(exampleMember('getBaseProduct', 'id'));
const WEBHOOK = quoted(exampleMember('createWebhook', 'id'));
const DELIVERY = quoted(exampleMember('getWebhookDelivery', 'id'));
const REPLAY = quoted(exampleMember('getWebhookReplay', 'id'));
const CREDIT_NOTE = quoted(exampleMember('getCreditNote', 'id'));

const CALLS: Readonly<Record<string, Call>> = {
  placeOrder: {
    method: 'orders.place',
    result: 'placement',
    use: "if (placement.kind === 'paid') console.log(placement.order.reference, placement.order.charged.total);",
  },
  estimateOrder: { method: 'orders.estimate', result: 'estimate', use: 'console.log(estimate.total);' },
  listOrders: each('orders.iterate', "{ status: 'pending' }", 'order', 'order.reference'),
  getOrder: { method: 'orders.get', given: [ORDER], result: 'order', use: 'console.log(order.status);' },
  cancelOrder: { method: 'orders.cancel', given: [ORDER], result: 'result', use: 'console.log(result.refunded_gbp);' },
  askToCancel: {
    method: 'orders.askToCancel',
    given: [ORDER],
    result: 'request',
    use: 'console.log(request.state, request.answer_by);',
  },
  withdrawCancellationRequest: {
    method: 'orders.withdrawCancellationRequest',
    given: [ORDER],
    result: 'request',
    use: 'console.log(request.state);',
  },
  changeOrderAddress: {
    method: 'orders.changeAddress',
    given: [ORDER],
    result: 'order',
    use: 'console.log(order.shipping_address);',
  },
  replaceArtwork: {
    method: 'orders.replaceArtwork',
    given: [ORDER, LINE],
    result: 'order',
    use: 'console.log(order.items[0]?.artwork?.areas);',
  },
  getInvoice: { method: 'orders.invoice', given: [ORDER], result: 'invoice', use: 'console.log(invoice.number);' },
  listCreditNotes: { method: 'orders.creditNotes', given: [ORDER], result: 'page', use: 'console.log(page.data);' },
  getCreditNote: {
    method: 'orders.creditNote',
    given: [ORDER, CREDIT_NOTE],
    result: 'note',
    use: 'console.log(note.number);',
  },
  reportProblem: {
    method: 'problems.report',
    given: [ORDER],
    result: 'problem',
    use: 'console.log(problem.id, problem.answer_due_at);',
  },
  listOrderProblems: {
    method: 'problems.ofOrder',
    given: [ORDER],
    result: 'problems',
    use: 'console.log(problems.data, problems.actions.report.until);',
  },
  listProblems: each('problems.iterate', "{ status: 'open' }", 'problem', 'problem.order.reference, problem.status'),
  getProblem: {
    method: 'problems.get',
    given: [PROBLEM],
    result: 'problem',
    use: 'console.log(problem.answer?.message);',
  },
  withdrawProblem: {
    method: 'problems.withdraw',
    given: [PROBLEM],
    result: 'problem',
    use: 'console.log(problem.status);',
  },
  listProducts: each('products.iterate', '', 'product', 'product.name, product.print_areas'),
  getProduct: { method: 'products.get', given: [PRODUCT], result: 'product', use: 'console.log(product.variants);' },
  createProduct: { method: 'products.create', result: 'product', use: 'console.log(product.id);' },
  updateProduct: {
    method: 'products.update',
    given: [PRODUCT],
    result: 'product',
    use: 'console.log(product.updated_at);',
  },
  archiveProduct: { method: 'products.archive', given: [PRODUCT] },
  getPersonalisation: {
    method: 'products.personalisation',
    given: [PRODUCT],
    result: 'template',
    use: 'console.log(template.layers);',
  },
  previewPersonalisation: {
    method: 'products.preview',
    given: [PRODUCT],
    result: 'preview',
    use: 'console.log(preview.proof_url, preview.expires_at);',
  },
  listBrands: each('brands.iterate', '', 'brand', 'brand.name, brand.is_default'),
  getBrand: { method: 'brands.get', given: [BRAND], result: 'brand', use: 'console.log(brand.name);' },
  createBrand: { method: 'brands.create', result: 'brand', use: 'console.log(brand.id);' },
  updateBrand: { method: 'brands.update', given: [BRAND], result: 'brand', use: 'console.log(brand.updated_at);' },
  archiveBrand: { method: 'brands.archive', given: [BRAND] },
  listBaseProducts: each('catalogue.iterate', '', 'base', 'base.title, base.variants.length'),
  getBaseProduct: { method: 'catalogue.get', given: [BASE_PRODUCT], result: 'base', use: 'console.log(base.title);' },
  listPrintAreas: {
    method: 'catalogue.printAreas',
    given: [BASE_PRODUCT],
    result: 'areas',
    use: 'console.log(areas.data);',
  },
  getPrices: {
    method: 'catalogue.prices',
    given: [BASE_PRODUCT],
    result: 'prices',
    use: 'console.log(prices.blanks);',
  },
  listStock: each('catalogue.iterateStock', '', 'entry', 'entry.variant_sku, entry.available'),
  validateUploads: { method: 'uploads.validate', result: 'check', use: 'console.log(check.valid, check.results);' },
  listWebhooks: each('webhooks.iterate', '', 'webhook', 'webhook.url, webhook.active'),
  getWebhook: {
    method: 'webhooks.get',
    given: [WEBHOOK],
    result: 'webhook',
    use: 'console.log(webhook.recent_deliveries);',
  },
  createWebhook: { method: 'webhooks.create', result: 'webhook', use: 'console.log(webhook.secret); // shown once' },
  changeWebhook: {
    method: 'webhooks.update',
    given: [WEBHOOK],
    result: 'webhook',
    use: 'console.log(webhook.active);',
  },
  removeWebhook: { method: 'webhooks.remove', given: [WEBHOOK] },
  listWebhookDeliveries: {
    method: 'webhooks.iterateDeliveries',
    given: [WEBHOOK, "{ status: 'abandoned' }"],
    result: 'delivery',
    kind: 'each',
    use: 'console.log(delivery.event, delivery.error);',
  },
  getWebhookDelivery: {
    method: 'webhooks.delivery',
    given: [WEBHOOK, DELIVERY],
    result: 'delivery',
    use: 'console.log(delivery.request?.body);',
  },
  redeliverWebhook: {
    method: 'webhooks.redeliver',
    given: [WEBHOOK, DELIVERY],
    result: 'delivery',
    use: 'console.log(delivery.id, delivery.status);',
  },
  testWebhook: {
    method: 'webhooks.test',
    given: [WEBHOOK],
    result: 'result',
    use: 'console.log(result.delivered, result.response_code, result.answer);',
  },
  rotateWebhookSecret: {
    method: 'webhooks.rotateSecret',
    given: [WEBHOOK],
    result: 'rotated',
    use: 'console.log(rotated.secret); // shown once',
  },
  replayWebhook: { method: 'webhooks.replay', given: [WEBHOOK], result: 'replay', use: 'console.log(replay.events);' },
  listWebhookReplays: {
    method: 'webhooks.replays',
    given: [WEBHOOK],
    result: 'replays',
    use: 'console.log(replays.data);',
  },
  getWebhookReplay: {
    method: 'webhooks.getReplay',
    given: [WEBHOOK, REPLAY],
    result: 'replay',
    use: 'console.log(replay.status, replay.succeeded);',
  },
  changeWebhookReplay: {
    method: 'webhooks.updateReplay',
    given: [WEBHOOK, REPLAY],
    result: 'replay',
    use: 'console.log(replay.status);',
  },
  listEvents: each('events.iterate', `{ order: ${ORDER} }`, 'event', 'event.event, event.data'),
  getBalance: { method: 'account.balance', result: 'account', use: 'console.log(account.balance);' },
  getBilling: { method: 'account.billing', result: 'account', use: 'console.log(account.billing?.legal_name);' },
  listTransactions: each('account.iterateTransactions', '', 'entry', 'entry.created_at, entry.amount'),
  quoteShipping: { method: 'quotes.shipping', result: 'rates', use: 'console.log(rates);' },
  quoteTax: { method: 'quotes.tax', result: 'rates', use: 'console.log(rates);' },
};

/**
 * The samples of an operation of the public API: one for the TypeScript client.
 * A viewer of the document makes the one for curl itself. Throws for an operation that the client does not have.
 */
export function samplesOf(operationId: string): readonly JsonObject[] {
  const call = CALLS[operationId];
  if (call === undefined) throw new Error(`the samples have no call of ${operationId}`);
  return [{ lang: 'typescript', label: 'TypeScript', source: sourceOf(operationId, call) }];
}

function sourceOf(operationId: string, { method, given = [], result, kind, use }: Call): string {
  const body = EXAMPLES[operationId]?.request;
  const parameters = [...given, ...(body === undefined ? [] : [literal(body)])].filter((text) => text !== '');
  const call = `platen.${method}(${parameters.join(', ')})`;
  const lines =
    kind === 'each'
      ? [`for await (const ${result} of ${call}) {`, `  ${use}`, '}']
      : [`${result === undefined ? '' : `const ${result} = `}await ${call};`, ...(use === undefined ? [] : [use])];
  return [...PREAMBLE, ...lines].join('\n');
}

const PREAMBLE = [
  "import { createClient } from 'platen-sdk';",
  '',
  'const platen = createClient({',
  "  baseUrl: 'https://platen.example.com',",
  "  token: process.env.PLATEN_TOKEN ?? '',",
  '});',
  '',
];

function each(method: string, query: string, result: string, shown: string): Call {
  return { method, given: [query], result, kind: 'each', use: `console.log(${shown});` };
}

function exampleMember(operationId: string, name: string): string {
  const value = (EXAMPLES[operationId]?.reply as JsonObject | undefined)?.[name];
  if (typeof value !== 'string') throw new Error(`the example of ${operationId} has no ${name}`);
  return value;
}

function quoted(text: string): string {
  return `'${text}'`;
}

/** JSON with the names of members as JavaScript writes them. */
function literal(value: unknown): string {
  return JSON.stringify(value, null, 2).replaceAll(/^( *)"(\w+)":/gm, '$1$2:');
}
