import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../../src/lib/ids.ts';
import { secretKeyId } from '../../../../src/lib/secrets.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import type { CreatedSubscription } from '../../../../src/webhooks/schema.ts';
import { eventually } from '../../../harness/context.ts';
import { SECRET_KEY } from '../../../harness/database.ts';
import {
  authorizePath,
  obtainTokens,
  openApp,
  openBrowser,
  openPerson,
  proofOf,
  reachPage,
  refresh,
  signInOn,
} from '../../../harness/oauth.ts';
import { assertSigned } from '../../../harness/receiver.ts';
import { scratchParent } from '../../../harness/scratch.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, basket, HOME, newReference, servePicture } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

// The nodes of an exchange: one seals with the earlier key and can read the new one, the other does the reverse.

const NEXT = 'the next key of the tests that is long enough';

let folder: string;
let earlier: TestService;
let later: TestService;
before(async () => {
  folder = await mkdtemp(join(scratchParent(), 'platen-two-keys-'));
  earlier = await startTestService({ role: 'api', dataDir: folder, env: { SECRET_KEY_OLD: NEXT } });
  later = await startTestService({
    database: earlier.database,
    dataDir: folder,
    env: { SECRET_KEY: NEXT, SECRET_KEY_OLD: SECRET_KEY.replaceAll(',', '%2C') },
  });
});
after(async () => {
  await later?.stop();
  await earlier?.stop();
  await rm(folder, { recursive: true, force: true });
});

const both = (): readonly (readonly [TestService, TestService])[] => [
  [earlier, later],
  [later, earlier],
];

test('a link to a file that one node has signed opens on the other, and one that was changed on neither', async () => {
  for (const [from, to] of both()) {
    const picture = await servePicture(from, '/mock.png', { colour: '#445566' });
    const product = await addProduct(from, from.customer, 'TEE-CLASSIC');
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: picture, mock_url: picture }];
    const order = await from.customer.request<CreatedOrder>('POST', '/orders', {
      ...basket(from),
      items: [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, decoration: { areas } }],
    });
    assert.equal(order.status, 201, order.text);
    const link = new URL(order.body.items.lineItems[0]?.mock_url ?? '');
    const open = (query: string) => fetch(`${to.url}${link.pathname}${query}`);
    assert.equal((await open(link.search)).status, 200, order.text);
    assert.equal((await open(link.search.replace(/expires=\d/, 'expires=9'))).status, 404);
  }
});

test('a repeat on a node with the other key is compared with what was placed: equal is equal, another address is named', async () => {
  for (const [from, to] of both()) {
    const body = { ...basket(from), external_reference: newReference() };
    assert.equal((await from.customer.request('POST', '/orders', body)).status, 201);
    const warnings = async (changes: object) => {
      const repeat = await to.customer.request<CreatedOrder>('POST', '/orders', { ...body, ...changes });
      assert.equal(repeat.status, 200, repeat.text);
      return repeat.body.warnings.filter(({ code }) => code === 'replayed_with_different_body');
    };
    assert.deepEqual(await warnings({}), []);
    const [other] = await warnings({ shipping_address: { ...HOME, city: 'York' } });
    assert.equal(other?.path, 'shipping_address.city');
  }
});

test('a webhook secret that the earlier key sealed signs what the later node delivers', async () => {
  later.stranger.serve('/hooks', { status: 200 });
  const made = await earlier.customer.request<CreatedSubscription>('POST', '/webhooks', {
    url: earlier.stranger.url('/hooks'),
  });
  assert.equal(made.status, 201, made.text);
  const [row] = await rows<{ sealed_by: string }>(
    later,
    'update webhook_subscription set url = $1 returning secret_sealed_with as sealed_by',
    [later.stranger.url('/hooks')],
  );
  assert.equal(row?.sealed_by, secretKeyId(SECRET_KEY));
  assert.equal((await earlier.customer.request('POST', '/orders', basket(earlier))).status, 201);
  const hit = await eventually('a delivery', () => later.stranger.hits.find(({ path }) => path === '/hooks'));
  assertSigned(hit, made.body.secret);
});

test('a repeat of a reset of a password, under one Idempotency-Key, is the same request for both nodes', async () => {
  const admin = await earlier.openOperator();
  const person = await openPerson(earlier);
  const reset = (node: TestService, password: string) =>
    fetch(`${node.url}/ops/v1/users/${publicId('user', person.id)}/password`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${admin.token}`,
        'content-type': 'application/json',
        'idempotency-key': 'reset-4711',
      },
      body: JSON.stringify({ password }),
    });
  assert.equal((await reset(earlier, 'a new long password')).status, 200);
  assert.equal((await reset(later, 'a new long password')).status, 200);
  assert.equal((await reset(later, 'another long password')).status, 409);
});

test('a repeat of a disclosure, under one Idempotency-Key, is the same request for both nodes', async () => {
  for (const [from, to] of both()) {
    const admin = await earlier.openOperator();
    const key = newId();
    const disclose = (node: TestService, name: string) =>
      fetch(`${node.url}/ops/v1/accounts/${publicId('acct', node.customer.accountId)}/export-person`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${admin.token}`,
          'content-type': 'application/json',
          'idempotency-key': key,
        },
        body: JSON.stringify({ recipient: { name, postcode: 'LS1 4DY' } }),
      });
    assert.equal((await disclose(from, 'Ada Zed')).status, 200);
    assert.equal((await disclose(to, 'Ada Zed')).status, 200);
    assert.equal((await disclose(to, 'Bob Zed')).status, 409);
  }
});

test('a person who began to sign in at one node consents at the other, and refreshes at both', async () => {
  for (const [from, to] of both()) {
    const front = { ...from, url: from.url };
    const person = await openPerson(from);
    const app = await openApp(from);
    const browser = openBrowser(front);
    const consent = await signInOn(browser, await reachPage(browser, authorizePath(app)), person);
    front.url = to.url;
    const answered = await browser.post(consent.path, { proof: proofOf(consent.page), action: 'approve' });
    assert.ok([302, 303].includes(answered.status), `${answered.status} ${answered.text}`);
    const tokens = await obtainTokens(from, app, person);
    const there = await refresh(to, app, tokens.refresh_token);
    assert.equal(there.status, 200, JSON.stringify(there.body));
    assert.equal((await refresh(from, app, there.body.refresh_token)).status, 200);
  }
});
