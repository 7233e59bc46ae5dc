import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import type { Channel, ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
import { shopOrderJobs } from '../../../src/channels/inbox/look-at-order.ts';
import { runInbox } from '../../../src/channels/inbox/run-inbox.ts';
import type { ChannelItems, ShopOrderReceived, ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import type { ShopItem, ShopOrder } from '../../../src/channels/shop-order.ts';
import { isoTime } from '../../../src/lib/clock.ts';
import type { Job } from '../../../src/lib/queue/job.ts';
import { eventually } from '../../harness/context.ts';
import { checkShopAnswer } from '../../harness/contract.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../harness/service.ts';
import { openShop, TEE_WHITE_M } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { sellBlanks } from './blanks.ts';

// A shop of a customer as the service sees it: it signs what it sends.

export let service: TestService;

/** Every line that was logged. */
export const logged: string[] = [];

export async function openShops(
  role: 'all' | 'api' = 'all',
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const keep = (fields: object, message: string): void => {
    logged.push(JSON.stringify({ ...fields, message }));
  };
  service = await startTestService({ role, env, log: { debug: keep, info: keep, warn: keep, error: keep } });
}

export async function closeShops(): Promise<void> {
  await service?.stop();
}

/** A customer with a product, a person of theirs in the portal, and a connected shop. */
export type ConnectedShop = {
  readonly customer: Customer;
  readonly owner: PortalClient;
  readonly channelId: string;
  readonly secret: string;
  readonly productId: string;
  readonly sku: string;
};

/** Connects a shop of a new customer whose balance covers so many orders of one piece. */
export async function connectShop(covers = 5): Promise<ConnectedShop> {
  const { customer, productId, sku } = await openShop(service, covers);
  const owner = await openRole(service, 'owner', customer.accountId);
  const { body, status, text } = await owner.request<ChannelWithSecret>('POST', '/channels', {
    body: { name: 'Fern and Thread' },
  });
  assert.equal(status, 201, text);
  await sellBlanks(service, body.channel.id);
  return { customer, owner, channelId: body.channel.id, secret: body.secret, productId, sku };
}

/** Connects a shop of the demo account, which sells a tee with a design on its front. */
export async function connectDesignedShop(): Promise<ConnectedShop> {
  const { customer, demo } = service;
  const owner = await openRole(service, 'owner', customer.accountId);
  const { body } = await owner.request<ChannelWithSecret>('POST', '/channels', { body: { name: 'Designed' } });
  const { channel, secret } = body;
  return { customer, owner, channelId: channel.id, secret, productId: demo.products.fixed, sku: TEE_WHITE_M };
}

/** An item that names its variant by its SKU. */
export function ourItem({ productId, sku }: Pick<ConnectedShop, 'productId' | 'sku'>, changes: Partial<ShopItem> = {}) {
  return { id: '1', sku: `${productId}/${sku}`, title: 'Fern tee - White / M', quantity: 1, ...changes };
}

/** An order of a shop of now with one item of ours, unless reported otherwise. */
export function shopOrder(shop: ConnectedShop, changes: Partial<ShopOrder> = {}): ShopOrder {
  const now = isoTime(service.ctx.clock.now());
  return {
    id: randomUUID(),
    number: '#1001',
    ordered_at: now,
    updated_at: now,
    shipping_address: {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4DY',
      country_code: 'United Kingdom',
    },
    items: [ourItem(shop)],
    ...changes,
  };
}

/** How a request is signed; what is left out is as it should be. */
export type Signing = {
  readonly secret?: string;
  readonly at?: Date;
  /** Changes the body after it was signed. */
  readonly tamper?: (text: string) => string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Sends an order as the shop does. */
export async function send(
  shop: Pick<ConnectedShop, 'channelId' | 'secret'>,
  order: unknown,
  { secret = shop.secret, at = service.ctx.clock.now(), tamper = (text) => text, headers = {} }: Signing = {},
): Promise<Answer<ShopOrderReceived & Partial<ErrorReply>>> {
  const id = randomUUID();
  const timestamp = String(Math.floor(at.getTime() / 1_000));
  const text = typeof order === 'string' ? order : JSON.stringify(order);
  const signature = createHmac('sha256', Buffer.from(secret.replace(/^whsec_/, ''), 'base64'))
    .update(`${id}.${timestamp}.${text}`)
    .digest('base64');
  const response = await fetch(`${service.url}/channels/${shop.channelId}/orders`, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': `v1,${signature}`,
      ...headers,
    },
    body: tamper(text),
  });
  const answered = await response.text();
  const seen = { status: response.status, headers: response.headers, text: answered };
  checkShopAnswer('POST', `/channels/${shop.channelId}/orders`, seen);
  return {
    status: response.status,
    headers: response.headers,
    text: answered,
    body: JSON.parse(answered) as ShopOrderReceived & Partial<ErrorReply>,
  };
}

/** Sends an order and returns what became of it once it was looked at. */
export async function sendAndLook(shop: ConnectedShop, order: ShopOrder): Promise<ShopOrderView> {
  const { status, body, text } = await send(shop, order);
  assert.equal(status, 202, text);
  return looked(shop, body.id);
}

/** An order of a shop once it is not new any more. */
export async function looked({ owner }: ConnectedShop, id: string): Promise<ShopOrderView> {
  return eventually('it was looked at', async () => {
    const { body } = await owner.request<ShopOrderView>('GET', `/shop-orders/${id}`);
    return body.state === 'new' ? undefined : body;
  });
}

/** An order of a shop as it is now. */
export async function seen({ owner }: ConnectedShop, id: string): Promise<ShopOrderView> {
  return (await owner.request<ShopOrderView>('GET', `/shop-orders/${id}`)).body;
}

/** An item that no mapping and no SKU tells. */
export const mystery = {
  id: '1',
  variant_id: '9001',
  sku: 'THEIR-SKU',
  title: 'Fern tee',
  options: 'White / M',
  quantity: 2,
};

/** What is known of the items of a shop. */
export async function itemsOf({ owner, channelId }: ConnectedShop): Promise<ChannelItems> {
  return (await owner.request<ChannelItems>('GET', `/channels/${channelId}/items`)).body;
}

/** Says what an item of a shop is. */
export function setItem({ owner, channelId }: ConnectedShop, body: object): Promise<Answer<ErrorReply>> {
  return owner.request('POST', `/channels/${channelId}/items`, { body });
}

/** The channel as its people see it. */
export async function channelOf({ owner, channelId }: ConnectedShop): Promise<Channel> {
  return (await owner.request<Channel>('GET', `/channels/${channelId}`)).body;
}

/** Has the service look at what is due now. */
export async function lookAgain(): Promise<void> {
  await runInbox(service.ctx);
}

/** The orders of a customer here. */
export async function ordersOf({ owner }: ConnectedShop): Promise<{ id: string; external_reference: string }[]> {
  const { body } = await owner.api<{ data: { id: string; external_reference: string }[] }>('GET', '/orders');
  return body.data;
}

/** The jobs of orders of shops, the oldest first, where no worker runs. */
export const orderJobs = (): Promise<readonly Job[]> =>
  rows<Job>(
    service,
    "select id, kind, key, payload, attempts, account_id from job where kind = 'shop_order' order by created_at, id",
  );

/** Runs a job of an order of a shop as a worker does; it stays. */
export async function runOrderJob(job: Job | undefined): Promise<void> {
  assert.ok(job !== undefined, 'there is such a job');
  await shopOrderJobs(service.ctx)[0]?.run(job, new AbortController().signal);
}

/** Runs all jobs of orders of shops, and those that come of them. */
export async function runOrderJobs(): Promise<void> {
  for (let [next] = await orderJobs(); next !== undefined; [next] = await orderJobs()) await endOrderJob(next);
}

/** Runs a job of an order of a shop, which is done then. */
export async function endOrderJob(job: Job | undefined): Promise<void> {
  await runOrderJob(job);
  await service.ctx.database.script(`delete from job where id = '${job?.id}'`);
}

/** What operators have done with a shop, as the audit log says. */
export async function actsOn(channelId: string): Promise<string[]> {
  const acts = await rows<{ action: string }>(
    service,
    "select action from operator_action where operator_id is not null and detail ->> 'channel_id' = $1 order by id",
    [channelId],
  );
  return acts.map(({ action }) => action);
}
