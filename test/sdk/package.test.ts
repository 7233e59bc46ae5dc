import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative, resolve } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { OPERATIONS } from '../../sdk/src/generated.ts';
import { API_ROUTES } from '../../src/app/service.ts';
import { openApiDocument } from '../../src/http/contract/openapi.ts';
import { signedHeaders } from '../../src/webhooks/sign.ts';
import { filled, type Snippet, snippetsOf } from '../contract/snippets/documents.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { HOME, TEE_WHITE_M } from '../harness/shop.ts';
import { balancePence } from '../harness/written.ts';

const README = 'sdk/README.md';
const RUN_TIMEOUT_MS = 120_000;
const run = promisify(execFile);

/** The shop of a stranger: a folder of its own, into which the packed client was installed and nothing else. */
let folder: string;
let shop: string;
let installed: string;
let packed: readonly string[];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'platen-sdk-'));
  shop = join(folder, 'shop');
  installed = join(shop, 'node_modules', 'platen-sdk');
  await mkdir(shop);
  await writeFile(join(shop, 'package.json'), '{ "name": "shop", "private": true, "type": "module" }');
  // Both commands as the README has them, but for where the file goes.
  const [pack, install] = snippetsOf(README).filter(({ language }) => language === 'sh');
  assert.ok(pack !== undefined && install !== undefined);
  await shell(resolve('.'), `${pack.code.trim()} -- '${folder}'`);
  await shell(shop, filled(install, { '…': folder }));
  packed = (await readdir(installed, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => relative(installed, join(parentPath, name)));
});
after(() => rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 }));

/** Runs a command with an npm that has a cache of its own and no network. */
function shell(cwd: string, command: string) {
  const settings = {
    npm_config_cache: join(folder, 'cache'),
    npm_config_offline: 'true',
    npm_config_audit: 'false',
    npm_config_fund: 'false',
  };
  return run('/bin/sh', ['-c', command], {
    cwd,
    env: { ...process.env, ...settings },
    timeout: RUN_TIMEOUT_MS,
  });
}

test('the package holds the built client, its types, a licence and a page to read, and nothing else', async () => {
  const others = packed.filter((path) => !/^dist\/[a-z-]+\.(js|d\.ts)$/.test(path));
  assert.deepEqual(others.toSorted(), ['LICENSE', 'README.md', 'package.json']);
  assert.ok(packed.includes('dist/index.js') && packed.includes('dist/index.d.ts'));
  assert.equal(await readFile('sdk/LICENSE', 'utf8'), await readFile('LICENSE', 'utf8'));
  const { dependencies, peerDependencies } = JSON.parse(await readFile(join(installed, 'package.json'), 'utf8')) as {
    dependencies?: object;
    peerDependencies?: object;
  };
  assert.deepEqual([dependencies, peerDependencies], [undefined, undefined]);
  assert.deepEqual(await readdir(join(shop, 'node_modules')), ['.package-lock.json', 'platen-sdk']);
});

describe('installed by a stranger', () => {
  let service: TestService;
  before(async () => {
    service = await startTestService();
  });
  after(() => service.stop());

  test('it places an order that is charged, and tells what became of the payment', async () => {
    await writeFile(
      join(shop, 'order.js'),
      `import { createClient, isPlatenError } from 'platen-sdk';
       const { BASE_URL: baseUrl, TOKEN: token, PRODUCT: product_id, SKU: variant_sku, ADDRESS } = process.env;
       const platen = createClient({ baseUrl, token });
       const item = { product_id, variant_sku, quantity: 1, print_jobs: [{ area: 'front', method: 'dtg' }] };
       const placement = await platen.orders.place({ items: [item], shipping_address: JSON.parse(ADDRESS) });
       const codes = [];
       await platen.orders.get('PF-NOSUCH99').catch((error) => codes.push(isPlatenError(error, 'not_found')));
       console.log(JSON.stringify({ kind: placement.kind, total: placement.order.charged.total, codes }));`,
    );
    const balance = await balancePence(service, service.customer);
    const { stdout } = await run(process.execPath, ['order.js'], {
      cwd: shop,
      timeout: RUN_TIMEOUT_MS,
      env: {
        BASE_URL: service.url,
        TOKEN: service.customer.token,
        PRODUCT: service.demo.products.fixed,
        SKU: TEE_WHITE_M,
        ADDRESS: JSON.stringify(HOME),
      },
    });
    const { kind, total, codes } = JSON.parse(stdout) as { kind: string; total: number; codes: boolean[] };
    assert.deepEqual([kind, codes], ['paid', [true]]);
    assert.equal(balance - (await balancePence(service, service.customer)), Math.round(total * 100));
  });

  test('the examples of its README do what they say', async () => {
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
    const data = { reference: 'PF-1', status: 'dispatched', carrier: 'Royal Mail', tracking_numbers: ['RM 4711'] };
    const rawBody = JSON.stringify({ id: 'evt_1', event: 'order.dispatched', data });
    const about = { event: 'order.dispatched', eventId: 'evt_1', subscriptionId: 'whk_1', deliveryId: 'dlv_1' };
    const headers = signedHeaders(secret, { ...about, at: new Date(), body: Buffer.from(rawBody) });
    const tooMany = { product_id: service.demo.products.fixed, variant_sku: TEE_WHITE_M, quantity: 10_000 };
    const given = {
      order: { items: [tooMany], shipping_address: HOME },
      request: { headers },
      rawBody,
      since: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const values = {
      'https://print.example': service.url,
      'prod_…': service.demo.products.fixed,
      'whsec_…': secret,
    };
    const code = readmeExamples().map((example) => filled(example, values));
    const preamble = `const { order, request, rawBody, since } = ${JSON.stringify(given)};`;
    await writeFile(join(shop, 'run-readme.ts'), `${preamble}\n${code.join('\n')}`);
    const { stdout } = await run(process.execPath, ['run-readme.ts'], {
      cwd: shop,
      timeout: RUN_TIMEOUT_MS,
      env: { PLATEN_TOKEN: service.customer.token },
    });
    const placed = (await service.customer.request<{ data: Placed[] }>('GET', '/orders?limit=100')).body.data;
    const own = placed.find((order) => order.external_reference === 'shop-1042');
    assert.ok(own !== undefined, 'the order is placed');
    const { variant_sku, quantity } = tooMany;
    const lines = stdout.trimEnd().split('\n');
    assert.equal(lines[0], `${own.reference} ${own.total}`);
    for (const shown of [`variant_sku: '${variant_sku}'`, `requested: ${quantity}`, "[ 'RM 4711' ]"]) {
      assert.ok(stdout.includes(shown), stdout);
    }
    assert.ok(lines.includes(own.reference), 'it is among the orders that are read');
  });
});

test('it runs where there is nothing of Node.js, with the globals of the web alone', async () => {
  const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
  const body = '{"id":"evt_1","event":"order.on_hold","data":{"reference":"PF-1","status":"pending","reason":"é"}}';
  const about = { event: 'order.on_hold', eventId: 'evt_1', subscriptionId: 'whk_1', deliveryId: 'dlv_1' };
  const headers = signedHeaders(secret, { ...about, at: new Date(), body: Buffer.from(body) });
  const { stdout } = await run(
    process.execPath,
    [
      '--experimental-vm-modules',
      '--no-warnings',
      resolve('test/sdk/bare-runtime.ts'),
      join(installed, 'dist'),
      body,
      JSON.stringify(headers),
      secret,
    ],
    { timeout: RUN_TIMEOUT_MS, cwd: shop },
  );
  assert.deepEqual(JSON.parse(stdout), {
    event: JSON.parse(body) as unknown,
    order: { id: 'https://print.example/api/v1/orders/PF-1' },
  });
});

describe('its types and the examples of its README hold under every strictness of the compiler, with the types of Node.js, of browsers and of workers', () => {
  const strict = {
    noEmit: true,
    target: 'es2022',
    module: 'nodenext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    noPropertyAccessFromIndexSignature: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
  };
  const settings: [what: string, options: object][] = [
    ['Node.js', { lib: ['es2022'], types: ['node'], typeRoots: [resolve('node_modules/@types')] }],
    ['browsers and Deno', { lib: ['es2022', 'dom', 'dom.iterable'], types: [] }],
    ['workers', { lib: ['es2022', 'webworker'], types: [] }],
    ['Node.js 16 resolution', { lib: ['es2022', 'dom'], types: [], module: 'node16' }],
    ['a bundler', { lib: ['es2022', 'dom'], types: [], module: 'esnext', moduleResolution: 'bundler' }],
  ];
  before(async () => {
    await writeFile(join(shop, 'shop.ts'), CONSUMER);
    const examples = readmeExamples().map(({ code }) => code);
    await writeFile(join(shop, 'readme.ts'), README_PREAMBLE + examples.join('\n'));
  });
  test('the samples of the reference compile, and call the operation that they stand for', async () => {
    const samples = Object.values(openApiDocument(API_ROUTES).paths as Record<string, Item>).flatMap((item) =>
      Object.values(item).map((operation) => ({ ...operation, source: operation['x-codeSamples'][0]?.source ?? '' })),
    );
    const names = samples.map(({ operationId }) => operationId as keyof typeof OPERATIONS);
    assert.deepEqual(names.toSorted(), Object.keys(OPERATIONS).toSorted());
    await mkdir(join(shop, 'samples'));
    for (const { operationId, source } of samples) await writeFile(join(shop, 'samples', `${operationId}.ts`), source);
    const file = join(shop, 'tsconfig.json');
    const node = { lib: ['es2022'], types: ['node'], typeRoots: [resolve('node_modules/@types')] };
    const options = { ...strict, ...node, noPropertyAccessFromIndexSignature: false };
    await writeFile(file, JSON.stringify({ compilerOptions: options, include: ['samples'] }));
    const { stdout } = await run(resolve('node_modules/.bin/tsc'), ['-p', file], { timeout: RUN_TIMEOUT_MS }).catch(
      (error: { stdout: string }) => error,
    );
    assert.equal(stdout, '');
    await writeFile(join(shop, 'call-samples.js'), CALL_SAMPLES);
    const called = await run(process.execPath, ['call-samples.js', ...names], {
      cwd: shop,
      env: { PLATEN_TOKEN: 'pat_live_sample' },
      timeout: RUN_TIMEOUT_MS,
    });
    const sent = JSON.parse(called.stdout.trim().split('\n').at(-1) ?? '') as Record<string, string>;
    for (const name of names) {
      const { method, path } = OPERATIONS[name];
      assert.match(sent[name] ?? '', new RegExp(`^${method} /api/v1${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`), name);
    }
  });

  for (const [what, options] of settings) {
    test(what, async () => {
      const file = join(shop, 'tsconfig.json');
      await writeFile(
        file,
        JSON.stringify({ compilerOptions: { ...strict, ...options }, files: ['shop.ts', 'readme.ts'] }),
      );
      const { stdout } = await run(resolve('node_modules/.bin/tsc'), ['-p', file], { timeout: RUN_TIMEOUT_MS }).catch(
        (error: { stdout: string }) => error,
      );
      assert.equal(stdout, '');
    });
  }
});

type Placed = { readonly reference: string; readonly external_reference: string; readonly total: number };

function readmeExamples(): readonly Snippet[] {
  const examples = snippetsOf(README).filter(({ language }) => language === 'ts');
  assert.equal(examples.length, 4);
  return examples;
}

type Item = Readonly<Record<string, { operationId: string; 'x-codeSamples': readonly { source: string }[] }>>;

/** Runs samples against a service that answers nothing of use: the first request of each. */
const CALL_SAMPLES = `
const sent = {};
for (const name of process.argv.slice(2)) {
  globalThis.fetch = async (url, init) => {
    sent[name] ??= init.method + ' ' + new URL(url).pathname;
    return Response.json({ data: [], has_more: false, next_cursor: null });
  };
  await import('./samples/' + name + '.ts').catch(() => {});
}
console.log(JSON.stringify(sent));
`;

/** What the examples of the README take as given. */
const README_PREAMBLE = `
import type { PlaceOrderBody } from 'platen-sdk';
declare const process: { env: { PLATEN_TOKEN?: string } };
declare const order: PlaceOrderBody;
declare const request: Request;
declare const rawBody: string;
declare const since: string;
`;

/** What compiles and what must not. Each line after `@ts-expect-error` is a mistake that the compiler has to find. */
const CONSUMER = `
import { type Client, createClient, isPlatenError, type PlaceOrderBody, type Placement, verifyWebhook } from 'platen-sdk';

const platen: Client = createClient({ baseUrl: 'https://print.example', token: async () => 'token', fetch });
const body: PlaceOrderBody = {
  items: [{ product_id: 'prod_1', variant_sku: 'TEE', quantity: 1, name: undefined }] as const,
  shipping_address: { contact_name: 'A', line1: '1', city: 'Leeds', postcode: 'LS1', country_code: 'GB' },
};

export function paidTotal(placement: Placement): number {
  // @ts-expect-error an order that nobody looked at is not there
  placement.order;
  switch (placement.kind) {
    case 'paid':
      return placement.order.charged.total;
    case 'processing':
    case 'awaiting_payment':
    case 'unknown':
      // @ts-expect-error it has not been paid
      placement.order;
      return placement.waitingOrder.charged.total * 0;
    case 'cancelled':
      return placement.cancelledOrder.charged.total * 0;
  }
}

// @ts-expect-error a forgotten address
void platen.orders.place({ items: body.items });
// @ts-expect-error a type of order that there is not
void platen.orders.estimate({ ...body, type: 'huge' });
// @ts-expect-error a filter that there is not
void platen.orders.list({ state: 'pending' });
// @ts-expect-error a client without a token
createClient({ baseUrl: 'https://print.example' });

for await (const order of platen.orders.iterate({ status: 'pending', limit: undefined })) {
  const sku: string | undefined = order.items[0]?.blank_variant_sku;
  // A word that is newer than the client is a word all the same.
  if (order.status === 'pending' || order.status === 'teleported') console.log(sku);
}

try {
  console.log(paidTotal(await platen.orders.place(body, { signal: AbortSignal.timeout(1_000), retries: 1 })));
} catch (error) {
  if (isPlatenError(error, 'out_of_stock')) console.log(error.extras.oversold[0]?.available.toFixed(0));
  else if (isPlatenError(error, 'validation_failed')) console.log(error.problems[0]?.path.length);
  else if (isPlatenError(error)) console.log(error.code === 'rate_limited', error.retryAfterSeconds, error.requestId);
}

export async function receive(request: Request): Promise<string> {
  const event = await verifyWebhook({ secret: 'whsec_x', headers: request.headers, rawBody: await request.text() });
  switch (event.event) {
    case 'order.created':
      return event.data.total.toFixed(2);
    case 'order.shipment_created':
      return event.data.shipment.items.map(({ quantity }) => quantity).join();
    default:
      // @ts-expect-error not every event has a total
      event.data.total;
      return event.data.reference;
  }
}
`;
