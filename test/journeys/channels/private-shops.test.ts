import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { after, before, test } from 'node:test';
import type { BegunLink, Channel } from '../../../src/channels/channel-schema.ts';
import { createAuthority } from '../../harness/authority.ts';
import { eventually } from '../../harness/context.ts';
import { readMetrics } from '../../harness/metrics.ts';
import { COOKIE, openRole, type PortalClient } from '../../harness/portal.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { openShop } from '../../harness/shop.ts';
import { APP, type ShopifyDouble, startShopifyDouble } from '../../harness/shopify/double.ts';
import { openWooDouble } from '../../harness/woo-double.ts';

// Shops whose names lead to this machine, or into a network that is not ours to call, once they are connected.

const PUBLIC = '93.184.215.14';
const PRIVATE = ['127.0.0.1', '169.254.169.254', '10.0.0.1', '::1'];
/** Each shop has a host of its own: those of before are asked again and again. */
const HOSTS = '.turns.example.test';
const SHOPIFY = 'turns';

let service: TestService;
let double: ShopifyDouble;
/** What name servers say of the shops. */
let turnedTo = '';
/** The hosts that are public for one answer more. */
const stillPublic = new Set<string>();
let connects = 0;
const logged: string[] = [];
const probe = createServer((socket) => {
  connects += 1;
  socket.destroy();
});

before(async () => {
  const authority = createAuthority();
  probe.listen(0, '127.0.0.1');
  await once(probe, 'listening');
  double = await startShopifyDouble(authority, [SHOPIFY]);
  const isShop = (host: string): boolean => host.endsWith(HOSTS) || host === `${SHOPIFY}.myshopify.com`;
  const keep = (fields: object, message: string): void => {
    logged.push(JSON.stringify({ ...fields, message }));
  };
  service = await startTestService({
    authority,
    log: { debug: keep, info: keep, warn: keep, error: keep },
    resolve: async (host) => {
      const address = stillPublic.delete(host) ? PUBLIC : turnedTo;
      return [{ address, family: address.includes(':') ? 6 : 4 }];
    },
    // Whatever is connected to is seen, at whatever port it would be.
    portOf: (host) => (isShop(host) ? (probe.address() as AddressInfo).port : undefined),
    env: { SHOPIFY_CLIENT_ID: APP.clientId, SHOPIFY_CLIENT_SECRET: APP.clientSecret },
  });
  double.serviceUrl = service.url;
});
after(async () => {
  await service?.stop();
  await double?.close();
  probe.close();
});

async function ownerOfShop(): Promise<PortalClient> {
  const { customer } = await openShop(service, 1);
  return openRole(service, 'owner', customer.accountId);
}

/** Begins to connect a shop, which is public when its address is looked at, and never again. */
async function begin(
  owner: PortalClient,
  body: { readonly address: string; readonly [member: string]: string },
): Promise<BegunLink> {
  const { host } = new URL(body.address.startsWith('https:') ? body.address : `https://${body.address}`);
  stillPublic.add(host);
  const begun = await owner.request<BegunLink>('POST', '/channels/links', { body: { name: 'Fern', ...body } });
  assert.equal(begun.status, 201, begun.text);
  stillPublic.delete(host);
  return begun.body;
}

/** What is said of a shop that was asked in vain. */
async function faultOf(owner: PortalClient): Promise<string> {
  return eventually('it was asked in vain', async () => {
    const { body } = await owner.request<{ data: Channel[] }>('GET', '/channels');
    return body.data[0]?.link?.fault?.message;
  });
}

for (const [at, turned] of PRIVATE.entries()) {
  test(`a shop of WooCommerce whose name leads to ${turned} once it is connected is not called`, async () => {
    const owner = await ownerOfShop();
    const woo = openWooDouble(service);
    turnedTo = turned;
    const { consent_url: consentUrl } = await begin(owner, {
      platform: 'woocommerce',
      address: `https://woo-${at}${HOSTS}`,
    });
    assert.equal(await woo.consent(consentUrl ?? ''), 200);
    assert.match(await faultOf(owner), /public internet/);
    assert.equal(connects, 0);
  });

  test(`a shop of Medusa whose name leads to ${turned} is refused, and once it is connected is not called`, async () => {
    const owner = await ownerOfShop();
    const body = {
      platform: 'medusa',
      name: 'Fern',
      address: `https://medusa-${at}${HOSTS}/app`,
      key: `sk_${'5'.repeat(64)}`,
    };
    turnedTo = turned;
    const refused = await owner.request<{ errors?: { path: string }[] }>('POST', '/channels/links', { body });
    assert.deepEqual([refused.status, refused.body.errors?.[0]?.path], [422, 'address'], refused.text);
    await begin(owner, body);
    assert.match(await faultOf(owner), /public internet/);
    assert.equal(connects, 0);
  });

  test(`a shop of Shopify whose name leads to ${turned} is given no code of its consent`, async () => {
    const owner = await ownerOfShop();
    turnedTo = turned;
    const { consent_url: consentUrl } = await begin(owner, {
      platform: 'shopify',
      address: `${SHOPIFY}.myshopify.com`,
    });
    const answer = await fetch(service.url + double.consent(consentUrl ?? ''), {
      headers: { cookie: `${COOKIE}=${owner.secret}` },
      redirect: 'manual',
    });
    assert.notEqual(answer.status, 500);
    assert.deepEqual((await owner.request<{ data: Channel[] }>('GET', '/channels')).body.data, []);
    assert.equal(connects, 0);
  });
}

test('each refusal is counted', async () => {
  const refused = (await readMetrics(service.url)).get('platen_outbound_refused_total{why="private"}') ?? 0;
  // Of each address one shop of WooCommerce, two of Medusa and one of Shopify, and what was tried again.
  assert.ok(refused >= 4 * PRIVATE.length, `${refused} were counted`);
});

test('nothing that a shop lets us in by is logged', () => {
  assert.equal(
    logged.some((line) => /c[ks]_[0-9a-f]{40}|sk_5{64}/.test(line) || line.includes(APP.clientSecret)),
    false,
  );
});
