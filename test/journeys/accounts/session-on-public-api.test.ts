import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { API_ROUTES } from '../../../src/app/service.ts';
import { PERSON_ROLES, SCOPES_OF_ROLE } from '../../../src/lib/caller.ts';
import { silentLog } from '../../../src/lib/log.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import { openPerson } from '../../harness/oauth.ts';
import { COOKIE, call, openPortal, openRole, PASSWORD } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { basket, teeItem } from '../../harness/shop.ts';
import { everythingWritten } from '../../harness/written.ts';

let service: TestService;
const log: string[] = [];
const keep = (fields: object, message: string): void => void log.push(JSON.stringify({ ...fields, message }));

before(async () => {
  service = await startTestService({ log: { ...silentLog, debug: keep, info: keep, warn: keep, error: keep } });
});
after(() => service.stop());

test('an order that a session places is one of the portal, by the same rules and at the same price', async () => {
  const client = await openRole(service, 'orders');
  const body = basket(service, { external_reference: 'portal 1' });
  const placed = await client.api<CreatedOrder>('POST', '/orders', { body });
  assert.equal(placed.status, 201, placed.text);
  const byToken = await service.customer.request<CreatedOrder>('POST', '/orders', basket(service));
  const sourceOf = async ({ id }: CreatedOrder): Promise<string> =>
    (await service.customer.request<Order>('GET', `/orders/${id}`)).body.source;
  assert.deepEqual([await sourceOf(placed.body), await sourceOf(byToken.body)], ['portal', 'api']);
  assert.deepEqual(placed.body.charged, byToken.body.charged);
  const again = await client.api<CreatedOrder>('POST', '/orders', { body });
  assert.deepEqual([again.status, again.body.id], [200, placed.body.id]);
});

test('a change by a session without its origin or its token is refused, and nothing is written', async () => {
  const client = await openRole(service, 'owner');
  const other = await openRole(service, 'owner');
  const before = await everythingWritten(service);
  for (const headers of [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: undefined },
    { 'x-platen-csrf': undefined },
    { 'x-platen-csrf': 'x' },
    { 'x-platen-csrf': other.session.csrf_token },
  ]) {
    const answer = await client.api('POST', '/orders', { body: basket(service), headers });
    assert.deepEqual([answer.status, answer.body.code], [403, 'csrf_refused'], JSON.stringify(headers));
  }
  assert.deepEqual(await everythingWritten(service), before);
});

test('beside a token the cookie is ignored, also beside one that is not valid', async () => {
  const { accountId, token } = await service.openCustomer({ scopes: ['orders:read'] });
  const client = await openRole(service, 'owner');
  assert.notEqual(accountId, client.person.accountId);
  const headers = { authorization: `Bearer ${token}`, origin: 'https://evil.example', 'x-platen-csrf': undefined };
  const write = await client.api('POST', '/orders', { body: basket(service), headers });
  assert.deepEqual([write.status, write.body.code], [403, 'insufficient_scope']);
  for (const authorization of ['Bearer x', '', 'Basic eDp5']) {
    const answer = await client.api('GET', '/orders', { headers: { authorization } });
    assert.equal(answer.status, 401, authorization);
  }
});

test('a session that is over, and none, are 401', async () => {
  for (const cookie of [`${COOKIE}=${'x'.repeat(43)}`, `${COOKIE}=`, 'other=1']) {
    const answer = await call(service, 'GET', '/api/v1/orders', { headers: { cookie } });
    assert.deepEqual([answer.status, answer.body.code], [401, 'unauthorized'], cookie);
    assert.ok(answer.headers.has('www-authenticate'));
  }
});

test('each role has its scopes, at every operation', async () => {
  for (const role of PERSON_ROLES) {
    const client = await openRole(service, role);
    assert.deepEqual(client.session.scopes, [...SCOPES_OF_ROLE[role]]);
    for (const { method, path, access } of API_ROUTES) {
      const target = path.replaceAll(/:\w+/g, 'nothing');
      const answer = await client.api(method, target, method === 'GET' ? {} : { body: {} });
      const isRefused = answer.status === 403 && answer.body.code === 'insufficient_scope';
      assert.equal(
        isRefused,
        !SCOPES_OF_ROLE[role].includes(access.scope) || access.rolesOfPeople?.includes(role) === false,
        `${role} ${method} ${path}: ${answer.text}`,
      );
    }
  }
});

test('webhooks are changed by owners and managers alone, and seen by them and readers; a token needs its scope', async () => {
  const owner = await openRole(service, 'owner');
  const orders = await openRole(service, 'orders');
  const made = await owner.api<{ id: string }>('POST', '/webhooks', { body: { url: service.stranger.url('/hook') } });
  assert.equal(made.status, 201, made.text);
  const { id } = made.body;
  const ofOwner = () =>
    Promise.all(
      ['', `/${id}/deliveries`, `/${id}/replays`].map(async (of) => (await owner.api('GET', `/webhooks${of}`)).text),
    );
  const before = await ofOwner();
  for (const [method, path, body] of [
    ['POST', '/webhooks', { url: service.stranger.url('/mine') }],
    ['PATCH', `/webhooks/${id}`, { url: service.stranger.url('/mine') }],
    ['DELETE', `/webhooks/${id}`, {}],
    ['POST', `/webhooks/${id}/test`, {}],
    ['POST', `/webhooks/${id}/rotate-secret`, {}],
    ['POST', `/webhooks/${id}/replay`, {}],
    ['PATCH', `/webhooks/${id}/replays/rpl_1`, { status: 'paused' }],
    ['POST', `/webhooks/${id}/deliveries/dlv_1/redeliver`, {}],
  ] as const) {
    const { status, text } = await orders.api(method, path, { body });
    assert.equal(status, 403, `${method} ${path}: ${text}`);
    const { code, detail, required_roles: roles } = JSON.parse(text) as Record<string, unknown>;
    const said = 'This needs the role owner or manager.';
    assert.deepEqual([code, detail, roles], ['insufficient_scope', said, ['owner', 'manager']]);
  }
  assert.deepEqual(await ofOwner(), before, 'nothing of them has changed');
  for (const path of ['/webhooks', `/webhooks/${id}`, `/webhooks/${id}/deliveries`, `/webhooks/${id}/replays`]) {
    assert.equal((await orders.api('GET', path)).status, 403, path);
    assert.equal((await (await openRole(service, 'reader')).api('GET', path)).status, 200, path);
  }
  const manager = await openRole(service, 'manager');
  assert.equal((await manager.api('PATCH', `/webhooks/${id}`, { body: { description: 'Ours' } })).status, 200);
  const { token } = await service.openCustomer({ scopes: ['orders:write'] });
  const headers = { authorization: `Bearer ${token}` };
  const byToken = await orders.api('POST', '/webhooks', { body: { url: service.stranger.url('/token') }, headers });
  assert.equal(byToken.status, 201, byToken.text);
});

test('what a session sees is of its own account', async () => {
  const { accountId } = await service.openCustomer();
  const [own, other] = [await openRole(service, 'owner'), await openRole(service, 'owner', accountId)];
  const placed = await own.api<CreatedOrder>('POST', '/orders', { body: basket(service) });
  assert.equal((await own.api('GET', `/orders/${placed.body.id}`)).status, 200);
  for (const id of [placed.body.id, placed.body.reference]) {
    assert.equal((await other.api('GET', `/orders/${id}`)).status, 404);
    assert.equal((await other.api('POST', `/orders/${id}/cancel`)).status, 404);
  }
  const product = await other.api('POST', '/orders', { body: { ...basket(service), items: [teeItem(service)] } });
  assert.equal(product.status, 404);
});

test('the log names who it was, and holds no secret', async () => {
  const person = await openPerson(service);
  const client = await openPortal(service, person);
  await client.api('GET', '/orders');
  await client.request('DELETE', '/session');
  const lines = log.join('\n');
  assert.ok(lines.includes(client.session.user.id));
  for (const secret of [client.secret, client.session.csrf_token, PASSWORD, person.email]) {
    assert.ok(!lines.includes(secret));
  }
});
