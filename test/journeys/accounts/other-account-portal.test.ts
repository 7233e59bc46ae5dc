import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PORTAL_ROUTES } from '../../../src/app/portal-routes.ts';
import { type IdPrefix, newId, newOrderReference, publicId, type Uuid } from '../../../src/lib/ids.ts';
import { isPersonRoute } from '../../../src/lib/route.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { obtainTokens, openApp } from '../../harness/oauth.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type FakeProvider, startProvider } from '../../harness/provider.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { basket, openShop, type Shop } from '../../harness/shop.ts';
import { connectSender, sendFromShop } from '../../harness/shop-sender.ts';
import { rows } from '../../harness/written.ts';
import { createCap, LINE, onFront } from '../products/templates.ts';

// What other-account.test.ts does for the public API: every operation of the portal on an id in its path.

let provider: FakeProvider;
let service: TestService;
let owner: PortalClient;
let stranger: PortalClient;
let strangers: Shop;

/** Something of the owner, and what names nothing in the same way. */
type Owned = { readonly id: string; readonly unknown: string };
/** By what the paths that lead to them begin with. */
const owned = new Map<string, readonly Owned[]>();

/** These stand in paths with an id, and belong to all accounts. */
const SHARED = ['/garments'];

/** A valid body for each operation that takes one; a new operation must say what it takes. */
const BODIES: Readonly<Record<string, object>> = {
  changePerson: { name: 'Mine now', role: 'reader', disabled: true },
  changeNotifications: { wants: {} },
  changeSavedView: { name: 'Mine now' },
  changeOrderFile: { prefix: 'MINE-' },
  placeOrderFile: { plan: 1 },
  sayOrderFileItem: { key: 'title Mug', not_ours: true },
  forgetOrderFileItem: { key: 'title Mug' },
  lookAtArtwork: { print_area: 'front', url: 'https://art.example/mine.png' },
  saveTemplate: { version: 1, template: onFront(LINE) },
  changeTemplateProduct: { name: 'Mine now' },
  addTemplatePicture: { url: 'https://art.example/mine.png' },
  publishTemplate: { version: 1 },
  tryTemplate: { inputs: {} },
  redesignProduct: { name: 'Mine now', status: 'draft' },
  changeChannel: { name: 'Mine now', paused: true },
  setChannelItem: { key: 'id:1', title: 'Mug', not_ours: true },
  forgetChannelItem: { key: 'id:1' },
  publishProduct: { product_id: publicId('prod', newId()) },
  correctShopAddress: {
    contact_name: 'Eve',
    line1: '1 High Street',
    city: 'Leeds',
    postcode: 'LS1 4DY',
    country_code: 'GB',
  },
};

/** The second id of a path, of nothing that is there. */
const SECOND: Readonly<Record<string, IdPrefix>> = { line: 'line', product_id: 'prod' };
const withSecond = (path: string): string =>
  Object.entries(SECOND).reduce((known, [name, prefix]) => known.replace(`:${name}`, publicId(prefix, newId())), path);

const beginOf = (path: string): string => path.slice(0, path.indexOf('/:'));

const ROUTES = PORTAL_ROUTES.filter(({ path }) => path.includes('/:')).filter(
  ({ path }) => !SHARED.includes(beginOf(path)),
);

before(async () => {
  provider = await startProvider();
  service = await startTestService({ role: 'api', env: provider.env });
  owner = await openRole(service, 'owner');
  strangers = await openShop(service, 5);
  stranger = await openRole(service, 'owner', strangers.customer.accountId);
  const post = async (
    by: PortalClient['request'],
    path: string,
    body: object,
    key?: string,
  ): Promise<{ id: string }> => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const { status, body: made, text } = await by<{ id: string }>('POST', path, { body, headers });
    assert.equal(status, 201, text);
    return made;
  };
  const make = async (path: string, body: object, key?: string) =>
    owns((await post(owner.request, path, body, key)).id);
  const first = async (path: string) =>
    owns((await owner.request<List>('GET', path)).body.data[0]?.id ?? assert.fail(`${path} has something`));
  const clerk = await openRole(service, 'orders');
  const user = owns(clerk.session.user.id);
  owned.set('/people', [user]);
  owned.set('/sign-ins', [user]);
  owned.set('/notifications', [user]);
  owned.set('/sessions', [await first('/sessions')]);
  owned.set('/people/invitations', [
    await make('/people/invitations', { email: 'guest@shop.example', role: 'orders' }),
  ]);
  const token = { name: 'Planner', scopes: ['orders:read'] };
  assert.equal((await owner.request('POST', '/tokens', { body: token })).status, 201);
  owned.set('/tokens', [await first('/tokens')]);
  const app = {
    name: 'Planner',
    redirect_uris: ['https://app.example/back'],
    scopes: ['orders:read'],
    confidential: true,
  };
  const registered = await owner.request<{ client_id: string }>('POST', '/apps', { body: app });
  owned.set('/apps', [owns(registered.body.client_id)]);
  await obtainTokens(service, await openApp(service), owner.person);
  owned.set('/grants', [await first('/grants')]);
  const view = { page: 'orders', name: 'Mine', filters: '', columns: [], is_for_all: true };
  owned.set('/views', [await make('/views', view)]);
  owned.set('/addresses', [await make('/addresses', { address: BODIES.correctShopAddress })]);
  owned.set('/order-files', [await make('/order-files', { name: 'week.csv', content: 'Number,Name\n1,Ada\n' })]);
  const { id: order, reference } = (await service.customer.request<CreatedOrder>('POST', '/orders', basket(service)))
    .body;
  const unknown = newOrderReference();
  owned.set('/orders', [
    owns(order),
    { id: reference, unknown },
    { id: reference.toLowerCase(), unknown: unknown.toLowerCase() },
  ]);
  owned.set('/templates', [owns((await createCap(owner)).id), owns(service.demo.products.personalised)]);
  owned.set('/products', [owns(service.demo.products.fixed), owns(service.demo.products.personalised)]);
  owned.set('/brands', [owns((await post(owner.api, '/brands', { name: 'Fern' })).id)]);
  owned.set('/top-ups', [await make('/top-ups', { amount_gbp: 50 }, newId())]);
  owned.set('/payment-method/savings', [await make('/payment-method/savings', { kind: 'card' }, newId())]);
  const shop = await connectSender(owner, 'Fern and Thread');
  owned.set('/channels', [owns(shop.id)]);
  const sent = await sendFromShop(service, shop, { number: '#1', items: [{ id: '1', title: 'Mug', quantity: 1 }] });
  owned.set('/shop-orders', [owns(sent)]);
});
after(async () => {
  await service.stop();
  await provider.close();
});

type List = { readonly data: readonly { readonly id: string }[] };

function owns(id: string): Owned {
  return { id, unknown: publicId(id.slice(0, id.indexOf('_')) as IdPrefix, newId(service.ctx.clock.now().getTime())) };
}

/** All that may not tell whether a thing exists. */
function visible({ status, text, body }: Answer<ErrorReply>): object {
  return { status, text: text.replace(body?.request_id ?? 'none', 'req_') };
}

/** All that is written of both accounts, but for when a session was used, table by table. */
async function written(): Promise<object> {
  const tables = await rows<{ name: string }>(
    service,
    `select c.relname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
     where a.attname = 'account_id' and c.relkind in ('r', 'p') and not c.relispartition
       and c.relnamespace = 'public'::regnamespace and c.relname not in ('portal_session', 'request_log') order by 1`,
  );
  assert.ok(tables.length > 50, 'every table of accounts is looked at');
  const each = tables.map(
    ({ name }) =>
      `select '${name}' as name, md5(string_agg(t::text, ' ' order by t::text)) as rows from ${name} t where account_id = any($1)`,
  );
  const accounts: readonly Uuid[] = [owner.person.accountId, stranger.person.accountId];
  return rows<object>(service, each.join(' union all '), [accounts]);
}

test('every operation on an id is tried: there is something of the owner for it, and a body where it takes one', () => {
  assert.deepEqual(
    [...new Set(ROUTES.map(({ path }) => beginOf(path)))].toSorted(),
    [...owned.keys()].toSorted(),
    'say in `owned` what the owner has, or in SHARED that it belongs to all',
  );
  assert.deepEqual(
    ROUTES.filter((route) => !isPersonRoute(route)).map(({ path }) => path),
    [],
  );
  assert.deepEqual(
    ROUTES.filter(({ path }) => withSecond(path).split('/:').length !== 2).map(({ path }) => path),
    [],
  );
  const bare = ROUTES.filter(({ body, operationId }) => body !== undefined && BODIES[operationId] === undefined);
  assert.deepEqual(
    bare.map(({ operationId }) => operationId),
    [],
  );
});

for (const { method, path, operationId, body: schema } of ROUTES) {
  test(`1.7 ${operationId}: another account's id is as unknown as one of nothing, and nothing is written`, async () => {
    const before = await written();
    const things = owned.get(beginOf(path)) ?? assert.fail(`nothing of the owner is known for ${path}`);
    for (const { id, unknown } of things) {
      for (const body of schema === undefined ? [undefined] : [BODIES[operationId], {}]) {
        const at = withSecond(path);
        const ask = (name: string) =>
          stranger.request(method, at.replace(':id', name), body === undefined ? {} : { body });
        const theirs = await ask(id);
        assert.deepEqual(visible(theirs), visible(await ask(unknown)), `${id} with ${JSON.stringify(body)}`);
        const isShaped = body === undefined || body === BODIES[operationId];
        if (isShaped) assert.deepEqual([theirs.status, theirs.body.code], [404, 'not_found'], theirs.text);
        assert.ok(theirs.status >= 400 && theirs.status < 500, theirs.text);
      }
    }
    assert.deepEqual(await written(), before);
  });
}

test('1.7 what is of another account is unknown below an id of one’s own, too', async () => {
  const theirs = (await service.customer.request<CreatedOrder>('POST', '/orders', basket(service))).body;
  const line = theirs.items.lineItems[0]?.id ?? assert.fail();
  const placed = await strangers.order();
  assert.equal(placed.status, 201, placed.text);
  const ownOrder = placed.body.id;
  const shop = await connectSender(stranger, 'Mine');
  const { fixed } = service.demo.products;
  const before = await written();
  const ask = (method: string, path: string, body?: object) =>
    stranger.request(method, path, body === undefined ? {} : { body });
  const pairs = [
    await Promise.all(
      [line, publicId('line', newId())].map((id) =>
        ask('POST', `/orders/${ownOrder}/lines/${id}/artwork/look`, BODIES.lookAtArtwork),
      ),
    ),
    await Promise.all(
      [fixed, publicId('prod', newId())].map((id) => ask('DELETE', `/channels/${shop.id}/products/${id}`)),
    ),
    await Promise.all(
      [fixed, publicId('prod', newId())].map((id) => ask('POST', `/channels/${shop.id}/products`, { product_id: id })),
    ),
  ];
  for (const [one, other] of pairs) {
    assert.ok(one !== undefined && other !== undefined);
    assert.deepEqual(visible(one), visible(other));
    assert.ok(one.status === 204 || (one.status >= 400 && one.status < 500), one.text);
  }
  assert.deepEqual(await written(), before);
});
