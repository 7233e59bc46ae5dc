import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Session } from '../../src/accounts/portal/schema.ts';
import type { BegunLink } from '../../src/channels/channel-schema.ts';
import type { OpsOrder } from '../../src/orders/ops-schema.ts';
import { createAuthority } from './authority.ts';
import { type CardProcess, openCardProcess } from './card-process.ts';
import { eventually } from './context.ts';
import type { LinkedShop, OpenShop } from './linked/shop.ts';
import { startShopify } from './linked/shopify.ts';
import { startWooCommerce } from './linked/woocommerce.ts';
import { COOKIE, secretOf, signIn } from './portal.ts';
import { platenJson, runPlaten } from './process.ts';

// A service in a process of its own beside a shop that is linked with it, and an operator who ships.

const PERSON = { email: 'owner@example.com', password: 'correct horse battery' };
const OPERATOR = ['--email', 'ada@shop.example'];

export type LinkedProcess = {
  readonly card: CardProcess;
  /** It sells the demo's fixed product. */
  readonly shop: LinkedShop;
  /** Asks the operations API until the service is there to answer. A refusal throws. */
  readonly insist: <Body>(method: string, path: string, body?: object) => Promise<Body>;
  /** Promotes, starts and ships an order of one line. */
  readonly ship: (reference: string) => Promise<void>;
  /** Closes it; the card, with the service's process, is closed by itself. */
  readonly close: () => Promise<void>;
};

/** The platforms that a service in a process is linked with. */
const STARTED = { woocommerce: startWooCommerce, shopify: startShopify } as const;
export type LinkedTo = keyof typeof STARTED;

/** Starts the service and the shop of a platform, and links them. `withinMs` bounds each wait. */
export async function openLinkedProcess(withinMs: number, platform: LinkedTo = 'woocommerce'): Promise<LinkedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-shops-'));
  const authority = createAuthority();
  const server = await STARTED[platform](authority);
  const card = await openCardProcess({
    ...server.settings,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
  });
  const { url } = card.service;
  await platenJson(['operator', 'create', ...OPERATOR, '--password', 'a password of the tests'], card.env);
  const { token } = await platenJson<{ token: string }>(['operator', 'token', ...OPERATOR], card.env);
  const owner = ['user', 'create', '--account', card.demo.account_id, '--email', PERSON.email];
  const created = await runPlaten(owner, card.env, `${PERSON.password}\n`);
  assert.equal(created.status, 0, created.stderr);
  const there = server.open({ url, sku: `${card.demo.products.fixed}/TEE-CLASSIC-WHT-M` });
  await link(url, there);

  async function ask<Body>(method: string, path: string, body?: object): Promise<Body | undefined> {
    const posted = method === 'POST' ? { 'content-type': 'application/json', 'idempotency-key': path } : {};
    const headers = { authorization: `Bearer ${token}`, ...posted };
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    let response: Response;
    let answered: string;
    try {
      response = await fetch(`${url}/ops/v1${path}`, { method, headers, ...sent });
      answered = await response.text();
    } catch {
      // It is not there just now.
      return undefined;
    }
    if (response.status >= 500) return undefined;
    assert.ok(response.ok || response.status === 409, `${method} ${path}: ${answered}`);
    return JSON.parse(answered) as Body;
  }

  const insist: LinkedProcess['insist'] = <Body>(method: string, path: string, body?: object): Promise<Body> =>
    eventually(`${method} ${path}`, () => ask<Body>(method, path, body), withinMs);

  return {
    card,
    shop: there.shop,
    insist,
    ship: async (reference) => {
      const { data } = await insist<{ data: { id: string }[] }>('GET', `/orders?reference=${reference}`);
      const path = `/orders/${data[0]?.id}`;
      await insist('POST', `${path}/promote`, {});
      const isReady = async (): Promise<OpsOrder | false> => {
        const order = await insist<OpsOrder>('GET', path);
        return order.lines.every((line) => line.artwork_ready) && order;
      };
      const ready = await eventually('the artwork is ready', isReady, withinMs);
      const line = ready.lines[0]?.id ?? '';
      await insist('POST', `${path}/lines/${line}/start`, {});
      const items = [{ line_id: line, quantity: 1 }];
      await insist('POST', `${path}/shipments`, { carrier: 'Royal Mail', tracking_number: `RM-${reference}`, items });
    },
    close: async () => {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function link(url: string, { named, consent, isSetUp }: OpenShop): Promise<void> {
  const signedIn = await signIn({ url }, PERSON);
  const cookie = `${COOKIE}=${secretOf(signedIn)}`;
  const begun = await fetch(`${url}/portal/api/v1/channels/links`, {
    method: 'POST',
    headers: {
      cookie,
      origin: new URL(url).origin,
      'x-platen-csrf': (signedIn.body satisfies Session).csrf_token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ ...named, name: 'A shop beside a process' }),
  });
  assert.equal(begun.status, 201, begun.statusText);
  const { consent_url: consentUrl = '' } = (await begun.json()) as BegunLink;
  await consent(consentUrl, cookie);
  await eventually('it is set up', isSetUp);
}
