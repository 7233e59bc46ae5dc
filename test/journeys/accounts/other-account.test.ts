import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_ROUTES } from '../../../src/app/service.ts';
import { type IdPrefix, newId, newOrderReference, publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { eventually } from '../../harness/context.ts';
import { openFloor, ship } from '../../harness/floor.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { addProduct, basket, teeItem, unsigned } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

/** What of one account another may ask for: by its id, and where there is one by its reference. */
type Owned = { readonly what: string; readonly id: string; readonly unknown: string };

let service: TestService;
let owner: Customer;
let stranger: Customer;
/** By the first segment of the paths that lead to them. */
const owned = new Map<string, readonly Owned[]>();

/** These stand in paths with an id, and belong to nobody. */
const SHARED = new Set(['catalog']);

/** Lists of what accounts have; a cursor of one is an id of its kind. */
const COLLECTIONS = ['/orders', '/products', '/brands', '/webhooks', '/events', '/account/transactions'];

/** A valid body for each operation on an id that takes one; a new operation must say what it takes. */
const BODIES: Readonly<Record<string, object>> = {
  changeWebhook: { description: 'mine now', active: false },
  changeOrderAddress: { line2: 'Mine now' },
  updateBrand: { name: 'Mine now' },
  replaceArtwork: { print_area: 'front', url: 'https://art.example/mine.png' },
  askToCancel: { reason: 'changed_mind' },
  updateProduct: { name: 'Mine now', status: 'draft' },
  previewPersonalisation: { inputs: {} },
  testWebhook: {},
  replayWebhook: { since: '2026-01-01T00:00:00.000Z' },
  changeWebhookReplay: { status: 'cancelled' },
  reportProblem: { kind: 'lost', text: 'It is not mine.', items: [{ line_id: 'line_1', quantity: 1 }] },
};

before(async () => {
  service = await startTestService({ role: 'api' });
  owner = service.customer;
  stranger = await service.openCustomer({ balancePence: 100_000 });
  const live = await create<CreatedOrder>(
    '/orders',
    basket(service, { items: [teeItem(service, { print_jobs: [] })] }),
  );
  const cancelled = await place();
  const cancel = await owner.request('POST', `/orders/${cancelled.id}/cancel`);
  assert.equal(cancel.status, 200, cancel.text);
  const { id: problem } = await create(`/orders/${live.id}/problems`, {
    kind: 'damaged',
    text: 'It is torn.',
    items: [{ line_id: await send(live), quantity: 1 }],
  });
  const { id: brand } = await create('/brands', { name: 'Fern' });
  const { id: webhook } = await create('/webhooks', { url: service.stranger.url('/hook') });
  const { fixed, personalised } = service.demo.products;
  owned.set('orders', [...namesOf('a live order', live), ...namesOf('a cancelled order', cancelled)]);
  owned.set('products', [owns('a product', 'prod', fixed), owns('a personalised product', 'prod', personalised)]);
  owned.set('problems', [owns('a problem', 'prob', problem)]);
  owned.set('brands', [owns('a brand', 'brand', brand)]);
  owned.set('webhooks', [owns('a subscription', 'whk', webhook)]);
});
after(() => service.stop());

function owns(what: string, prefix: IdPrefix, id: string): Owned {
  return { what, id, unknown: publicId(prefix, newId()) };
}

function namesOf(what: string, { id, reference }: CreatedOrder): readonly Owned[] {
  const unknown = newOrderReference();
  return [
    owns(what, 'ord', id),
    { what: `${what} by its reference`, id: reference, unknown },
    { what: `${what} by its reference in lower case`, id: reference.toLowerCase(), unknown: unknown.toLowerCase() },
  ];
}

/** Sends the only piece of an order; returns its line. */
async function send({ id, items }: CreatedOrder): Promise<string> {
  const floor = await openFloor(service);
  const line = items.lineItems[0]?.id ?? assert.fail('no line');
  await floor.post(`/orders/${id}/promote`);
  await floor.post(`/orders/${id}/lines/${line}/start`);
  await ship(floor, id, [{ line_id: line, quantity: 1 }]);
  return line;
}

async function place(): Promise<CreatedOrder> {
  return create<CreatedOrder>('/orders', basket(service));
}

async function create<Body = { id: string }>(path: string, body: object): Promise<Body> {
  const answer = await owner.request<Body>('POST', path, body);
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

/**
 * Everything of an answer that may not tell whether a resource exists: status, headers and bytes, but for what
 * numbers the request.
 */
function visible({ status, headers, text, body }: Answer<ErrorReply>): object {
  const own = new Set(['x-request-id', 'date']);
  return {
    status,
    headers: Object.fromEntries([...headers].filter(([name]) => !own.has(name) && !name.startsWith('x-ratelimit-'))),
    text: text.replace(body?.request_id ?? 'none', 'req_'),
  };
}

/** What the owner sees of all that is asked for here. */
async function ownersView(): Promise<object> {
  const paths = [...owned].flatMap(([collection, list]) => list.map(({ id }) => `/${collection}/${id}`));
  const answers = await Promise.all(paths.map((path) => owner.request('GET', path)));
  return answers.map(({ status, body }) => ({ status, body: unsigned(body) }));
}

/** The second id of a path, of nothing that is there. */
const SECOND: Readonly<Record<string, IdPrefix>> = {
  credit_note_id: 'cn',
  delivery: 'dlv',
  replay: 'rpl',
  line: 'line',
};
const withSecond = (path: string): string =>
  Object.entries(SECOND).reduce((known, [name, prefix]) => known.replace(`:${name}`, publicId(prefix, newId())), path);

const ROUTES = API_ROUTES.filter(({ path }) => path.includes(':')).filter(
  ({ path }) => !SHARED.has(path.split('/')[1] ?? ''),
);

test('every operation on an id is compared below', () => {
  const asked = new Set(ROUTES.map(({ path }) => path.split('/')[1] ?? ''));
  assert.deepEqual([...asked].toSorted(), [...owned.keys()].toSorted());
  assert.deepEqual(
    ROUTES.filter(({ path }) => withSecond(path).split(':').length !== 2).map(({ path }) => path),
    [],
    'a path with two ids is compared by its first: without the order there is no credit note to look for',
  );
  assert.deepEqual(
    ROUTES.filter(({ body, operationId }) => body !== undefined && BODIES[operationId] === undefined).map(
      ({ operationId }) => operationId,
    ),
    [],
  );
});

for (const { method, path, operationId, body: schema } of ROUTES) {
  const methods = method === 'GET' ? ['GET', 'HEAD'] : [method];
  test(`1.7 5.5 B38 B39 ${method} ${path} tells another account's id from an unknown one by nothing`, async () => {
    const before = await ownersView();
    const written = await everythingWritten(service);
    const bodies =
      schema === undefined ? [undefined] : [BODIES[operationId], {}, { name: 5, url: 5, active: 'x' }, '{'];
    for (const { what, id, unknown } of owned.get(path.split('/')[1] ?? '') ?? []) {
      for (const verb of methods) {
        for (const body of bodies) {
          const place = withSecond(path);
          const theirs = await stranger.request(verb, place.replace(':id', id), body);
          const nobodys = await stranger.request(verb, place.replace(':id', unknown), body);
          assert.deepEqual(visible(theirs), visible(nobodys), `${verb} of ${what} with ${JSON.stringify(body)}`);
          const isShaped = body === undefined || body === BODIES[operationId];
          if (isShaped) assert.equal(theirs.status, 404, `${verb} of ${what}: ${theirs.text}`);
          if (isShaped && verb !== 'HEAD') assert.equal(theirs.body.code, 'not_found');
          assert.ok(theirs.status >= 400 && theirs.status < 500);
        }
      }
    }
    assert.deepEqual(await ownersView(), before, 'the owner sees what was there before');
    assert.deepEqual(await everythingWritten(service), written);
  });
}

test('1.7 a product of another account in a basket is as unknown as one of nobody', async () => {
  const order = (product_id: string): object => {
    const { items, ...rest } = basket(service);
    return { ...rest, items: items.map((item) => ({ ...item, product_id })) };
  };
  for (const path of ['/orders', '/orders/estimate']) {
    const theirs = await stranger.request('POST', path, order(service.demo.products.fixed));
    const nobodys = await stranger.request('POST', path, order(publicId('prod', newId())));
    assert.equal(theirs.status, 404);
    assert.deepEqual(
      { ...visible(theirs), text: theirs.text.replaceAll(/(prod|req)_\w+/g, '') },
      { ...visible(nobodys), text: nobodys.text.replaceAll(/(prod|req)_\w+/g, '') },
    );
  }
});

test('1.7 lists and the log show nothing of another account, and its ids as cursors are places only', async () => {
  const lists = API_ROUTES.filter(({ method, path }) => method === 'GET' && !path.includes(':'))
    .map(({ path }) => path)
    .filter((path) => !['/stock', '/catalog/products'].includes(path));
  const ids = [...owned.values()].flat().map(({ id }) => id);
  for (const path of lists) {
    const { status, text } = await stranger.request('GET', path);
    assert.equal(status, 200, path);
    for (const id of ids) assert.equal(text.includes(id), false, path);
  }
  // What the owner has now lies between two records of the stranger in every collection.
  for (const by of [stranger, owner, stranger]) await fillCollections(by);
  const listOf = async (by: Customer, path: string, cursor?: string): Promise<string[]> => {
    const at = cursor === undefined ? '' : `&cursor=${cursor}`;
    const { status, text, body } = await by.request<Page<{ id: string }>>('GET', `${path}?limit=100${at}`);
    assert.equal(status, 200, `${path}${at}: ${text}`);
    return body.data.map(({ id }) => id);
  };
  // The log hides what is newer than the oldest transaction that writes.
  const seen = async (by: Customer): Promise<number> => (await listOf(by, '/events')).length;
  await eventually('the log has both', async () => (await seen(stranger)) >= 2 && (await seen(owner)) >= 1);
  for (const path of COLLECTIONS) {
    const own = await listOf(stranger, path);
    const lengths = new Set<number>();
    for (const cursor of await listOf(owner, path)) {
      const page = await listOf(stranger, path, cursor);
      assert.deepEqual(page, own.slice(own.length - page.length), `${path} from ${cursor} on`);
      lengths.add(page.length);
    }
    assert.ok(
      [...lengths].some((length) => length > 0 && length < own.length),
      `${path}: ${[...lengths].join()}`,
    );
  }
});

/** Adds a record of a caller to each collection. */
async function fillCollections(by: Customer): Promise<void> {
  const product_id = await addProduct(service, by, 'TOTE-COTTON');
  const items = [{ product_id, variant_sku: 'TOTE-COTTON-NAT', quantity: 1, print_jobs: [] }];
  const made = [
    await by.request('POST', '/brands', { name: `Brand ${newId()}` }),
    await by.request('POST', '/webhooks', { url: service.stranger.url('/hook') }),
    await by.request('POST', '/orders', basket(service, { items })),
  ];
  for (const { status, text } of made) assert.equal(status, 201, text);
}
