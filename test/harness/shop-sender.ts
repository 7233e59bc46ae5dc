import assert from 'node:assert/strict';
import { createHmac, randomUUID } from 'node:crypto';
import type { ChannelWithSecret } from '../../src/channels/channel-schema.ts';
import type { ShopOrder } from '../../src/channels/shop-order.ts';
import { isoTime } from '../../src/lib/clock.ts';
import type { PortalClient } from './portal.ts';
import type { TestService } from './service.ts';

// A connected shop as it sends its orders, for tests of the pages that show them.

/** A shop as far as it can send. */
export type SendingShop = { readonly id: string; readonly secret: string };

/** Connects a shop of a person's account. */
export async function connectSender(owner: PortalClient, name: string): Promise<SendingShop> {
  const { status, body, text } = await owner.request<ChannelWithSecret>('POST', '/channels', { body: { name } });
  assert.equal(status, 201, text);
  return { id: body.channel.id, secret: body.secret };
}

/** Sends an order of now to Ada in Leeds, signed; returns its id here. */
export async function sendFromShop(
  service: TestService,
  { id: channelId, secret }: SendingShop,
  order: Partial<ShopOrder> & Pick<ShopOrder, 'items'>,
): Promise<string> {
  const now = isoTime(service.ctx.clock.now());
  const whole: ShopOrder = {
    id: randomUUID(),
    ordered_at: now,
    updated_at: now,
    shipping_address: {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4DY',
      country_code: 'GB',
    },
    ...order,
  };
  const answer = await fetch(`${service.url}/channels/${channelId}/orders`, {
    method: 'POST',
    headers: signed(service, secret, JSON.stringify(whole)),
    body: JSON.stringify(whole),
  });
  const text = await answer.text();
  assert.equal(answer.status, 202, text);
  return (JSON.parse(text) as { id: string }).id;
}

function signed({ ctx }: TestService, secret: string, body: string): Record<string, string> {
  const id = randomUUID();
  const timestamp = String(Math.floor(ctx.clock.now().getTime() / 1_000));
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  const signature = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64');
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': `v1,${signature}`,
  };
}
