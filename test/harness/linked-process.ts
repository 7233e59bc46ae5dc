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
import { COOKIE, secretOf, signIn } from './portal.ts';
import { platenJson, runPlaten } from './process.ts';
import { startStranger } from './stranger.ts';
import { openWooDouble, type WooDouble, type WooOrder } from './woo-double.ts';

// A service in a process of its own beside a shop of WooCommerce that is linked with it, and an operator who ships.

const PERSON = { email: 'owner@example.com', password: 'correct horse battery' };
const OPERATOR = ['--email', 'ada@shop.example'];

export type LinkedProcess = {
  readonly card: CardProcess;
  readonly woo: WooDouble;
  /** Puts an order of one piece of the demo's fixed product into the shop. */
  readonly order: () => WooOrder;
  /** Asks the operations API until the service is there to answer. A refusal throws. */
  readonly insist: <Body>(method: string, path: string, body?: object) => Promise<Body>;
  /** Promotes, starts and ships an order of one line. */
  readonly ship: (reference: string) => Promise<void>;
  /** Closes it; the card, with the service's process, is closed by itself. */
  readonly close: () => Promise<void>;
};

/** Starts the service and the shop, and links them. `withinMs` bounds each wait. */
export async function openLinkedProcess(withinMs: number): Promise<LinkedProcess> {
  const folder = await mkdtemp(join(tmpdir(), 'platen-shops-'));
  const authority = createAuthority();
  const stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  const card = await openCardProcess({
    TRUSTED_PRIVATE_HOSTS: stranger.hostPort,
    NODE_EXTRA_CA_CERTS: await authority.writeCa(folder),
  });
  const { url } = card.service;
  await platenJson(['operator', 'create', ...OPERATOR, '--password', 'a password of the tests'], card.env);
  const { token } = await platenJson<{ token: string }>(['operator', 'token', ...OPERATOR], card.env);
  const owner = ['user', 'create', '--account', card.demo.account_id, '--email', PERSON.email];
  const created = await runPlaten(owner, card.env, `${PERSON.password}\n`);
  assert.equal(created.status, 0, created.stderr);
  const woo = openWooDouble({ stranger, url, ctx: { clock: { now: () => new Date() } } });
  await link(url, woo);
  // As many parcels as there are orders, and no more calls than it takes to look whether one is there.
  woo.feature(true);

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
    woo,
    insist,
    order: () => {
      const sku = `${card.demo.products.fixed}/TEE-CLASSIC-WHT-M`;
      const line = { id: 1, name: 'Fern tee', product_id: 7, variation_id: 0, sku, quantity: 1, meta_data: [] };
      return woo.order({ line_items: [line] });
    },
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
      await stranger.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function link(url: string, woo: WooDouble): Promise<void> {
  const signedIn = await signIn({ url }, PERSON);
  const begun = await fetch(`${url}/portal/api/v1/channels/links`, {
    method: 'POST',
    headers: {
      cookie: `${COOKIE}=${secretOf(signedIn)}`,
      origin: new URL(url).origin,
      'x-platen-csrf': (signedIn.body satisfies Session).csrf_token,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ platform: 'woocommerce', name: 'A shop beside a process', address: woo.address }),
  });
  assert.equal(begun.status, 201);
  const { consent_url: consentUrl = '' } = (await begun.json()) as BegunLink;
  assert.equal(await woo.consent(consentUrl), 200);
  await eventually('its webhooks are made', () => woo.hooks.size === 4);
}
