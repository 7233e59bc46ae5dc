import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { Pool } from 'undici';
import type { AppContext } from '../../src/app/context.ts';
import { API_ROUTES } from '../../src/app/service.ts';
import { type Log, silentLog } from '../../src/lib/log.ts';
import type { Route } from '../../src/lib/route.ts';
import { verify } from '../../src/verify/verify.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { rows } from '../harness/written.ts';
import { oddText } from './arbitraries.ts';
import { judge, namesOf, type Received, type Sent } from './judge.ts';
import { mangled, mutated } from './mutate.ts';
import { type Generator, generatorsOf, makeWorld, partsOf, plainOrder, type World } from './operations.ts';
import { REQUESTS, SEED } from './settings.ts';

/** Of so many requests this many are valid. */
const VALID_SHARE = 0.4;
const AT_ONCE = 4;

let service: TestService;
let world: World;
let generators: Readonly<Record<string, Generator>>;
let http: Pool;
/** What the service has warned of, by request: the cause of a 5xx, which its answer does not show. */
const warned = new Map<string, string>();
const keep: Log['warn'] = (fields, message) => {
  if ('request_id' in fields) warned.set(String(fields.request_id), `${message} ${JSON.stringify(fields)}`);
};
/** Answers so far, by operation and status. */
const answers = new Map<string, number>();

before(async () => {
  service = await startTestService({ role: 'api', log: { ...silentLog, warn: keep, error: keep } });
  world = await makeWorld(service);
  generators = generatorsOf(world);
  http = new Pool(service.url, { connections: AT_ONCE });
});
after(async () => {
  await http.close();
  await service.stop();
});

async function send(route: Route<AppContext>, { method, path, query, text }: Sent): Promise<Received> {
  const search = query.map(([name, value]) => `${encode(name)}=${encode(value)}`).join('&');
  const { statusCode, headers, body } = await http.request({
    method,
    path: `/api/v1${path}${search === '' ? '' : `?${search}`}`,
    headers: {
      authorization: `Bearer ${service.customer.token}`,
      ...(text === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: text ?? null,
  });
  const received = { status: statusCode, headers, text: await body.text() };
  const warning = warned.get(String(headers['x-request-id']));
  assert.ok(warning === undefined, warning);
  const key = `${route.operationId} ${statusCode}`;
  answers.set(key, (answers.get(key) ?? 0) + 1);
  await putBack(route, received);
  return received;
}

/** Half a surrogate pair cannot be written in a URL; what stands for it can. */
function encode(text: string): string {
  return encodeURIComponent(text.toWellFormed());
}

/** An account has twenty subscriptions at most, so a new one goes again. */
async function putBack({ operationId }: Route<AppContext>, { status, text }: Received): Promise<void> {
  if (operationId !== 'createWebhook' || status !== 201) return;
  const { id } = JSON.parse(text) as { id: string };
  const removed = await service.customer.request('DELETE', `/webhooks/${id}`);
  assert.equal(removed.status, 204);
}

function pathOf(route: Route<AppContext>, id: string): string {
  return route.path.replace(/:[a-z]+/, encode(id));
}

/** Valid requests of an operation. */
function validRequest(route: Route<AppContext>): fc.Arbitrary<Sent> {
  const { id, query, body } = partsOf(route, generators[route.operationId] ?? {});
  return fc.tuple(id, query, body).map(([id, query, body]) => ({
    method: route.method,
    path: pathOf(route, id),
    query: Object.entries(query),
    text: body === undefined ? undefined : JSON.stringify(body),
  }));
}

/** Requests of an operation with something wrong in them, or everything. */
function wrongRequest(route: Route<AppContext>): fc.Arbitrary<Sent> {
  const { id, query, body } = partsOf(route, generators[route.operationId] ?? {});
  // A dot or two are resolved by whoever sends them, and a head of more than 16 KiB is refused before it is read.
  const wrongId = fc.oneof(
    oddText.filter((text) => !/^\.{0,2}$/.test(text) && encode(text).length < 4_000),
    id.map((text) => text.toUpperCase()),
  );
  const parts = {
    id: route.path.includes(':') ? fc.oneof({ weight: 2, arbitrary: id }, { weight: 1, arbitrary: wrongId }) : id,
    query: route.query === undefined ? fc.constant([]) : wrongQuery(route.query, query),
    text: route.body === undefined ? fc.constant(undefined) : wrongText(body),
  };
  return fc.record(parts).map(({ id, query, text }) => ({
    method: route.method,
    path: pathOf(route, id),
    query,
    text,
  }));
}

function wrongText(body: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 9, arbitrary: mutated(body).map((value) => JSON.stringify(value)) },
    { weight: 1, arbitrary: mangled(body) },
  );
}

type Pairs = readonly (readonly [name: string, value: string])[];

function wrongQuery(
  schema: NonNullable<Route<AppContext>['query']>,
  query: fc.Arbitrary<Readonly<Record<string, string>>>,
): fc.Arbitrary<Pairs> {
  const known = fc.constantFrom(...namesOf(schema));
  const wrong = fc.tuple(fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: oddText }), oddText);
  const short = wrong.filter(([name, value]) => encode(name).length + encode(value).length < 4_000);
  return fc
    .tuple(query, fc.array(short, { minLength: 1, maxLength: 3 }))
    .map(([valid, pairs]) => [...Object.entries(valid), ...pairs]);
}

const WEIGHT = 10;

function runsOf(route: Route<AppContext>, share: number): number {
  const weight = ({ operationId }: Route<AppContext>): number => generators[operationId]?.weight ?? WEIGHT;
  const all = API_ROUTES.reduce((sum, each) => sum + weight(each), 0);
  return Math.ceil((REQUESTS * share * weight(route)) / all);
}

describe(`random requests of seed ${SEED}`, { concurrency: AT_ONCE }, () => {
  for (const route of API_ROUTES) {
    test(`valid requests to ${route.operationId} succeed as documented`, async () => {
      const generator = generators[route.operationId];
      const property = fc.asyncProperty(validRequest(route), async (sent) => {
        const received = await send(route, sent);
        judge(route, sent, received);
        // Without a generator of its own an operation gets what its schemas admit, which may be refused for its
        // meaning.
        const isExpected =
          received.status < 300 || generator === undefined || generator.also?.includes(received.status);
        assert.ok(isExpected, `${received.status} ${received.text}`);
      });
      await fc.assert(property, { seed: SEED, numRuns: runsOf(route, VALID_SHARE) });
    });

    test(`wrong requests to ${route.operationId} are refused with a code and a path, or are right after all`, async () => {
      const property = fc.asyncProperty(wrongRequest(route), async (sent) =>
        judge(route, sent, await send(route, sent)),
      );
      await fc.assert(property, { seed: SEED, numRuns: runsOf(route, 1 - VALID_SHARE) });
    });
  }
});

test('after all of it the books are right, and there is what was answered with 201 and nothing else', async (context) => {
  const { checks } = await verify(service.ctx);
  assert.deepEqual(
    checks.filter(({ violations }) => violations.length > 0),
    [],
  );
  const [count] = await rows<{ orders: number; products: number; webhooks: number }>(
    service,
    `select (select count(*) from orders) as orders, (select count(*) from product) as products,
       (select count(*) from webhook_subscription) as webhooks`,
  );
  const made = (operation: string): number => answers.get(`${operation} 201`) ?? 0;
  const { orders, doomed, products, webhooks } = world;
  assert.equal(count?.orders, orders.length + doomed.length + made('placeOrder'));
  const madeProducts = products.listed.length + products.changing.length + products.doomed.length + 1;
  assert.equal(count?.products, madeProducts + made('createProduct'));
  assert.ok((count?.webhooks ?? 0) <= webhooks.changing.length + webhooks.doomed.length);
  const plain = await service.customer.request('POST', '/orders', plainOrder(world));
  assert.equal(plain.status, 201, plain.text);
  const total = [...answers.values()].reduce((sum, value) => sum + value, 0);
  assert.ok(total >= REQUESTS, `${total} requests`);
  context.diagnostic(
    `${total} requests: ${[...answers]
      .map(([what, number]) => `${what}: ${number}`)
      .toSorted()
      .join(', ')}`,
  );
});
