import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ChannelWithSecret } from '../../../src/channels/channel-schema.ts';
import { shopOrderJobs } from '../../../src/channels/inbox/look-at-order.ts';
import { startWorker } from '../../../src/lib/queue.ts';
import { eventually } from '../../harness/context.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { sellBlanks } from './blanks.ts';
import {
  type ConnectedShop,
  closeShops,
  connectShop,
  mystery,
  openShops,
  orderJobs,
  seen,
  send,
  service,
  shopOrder,
} from './shops.ts';

// Shops of one account take turns, as accounts do.

const BACKLOG = 300;

before(() => openShops('api'));
after(closeShops);

/** Connects another shop of the same account. */
async function connectBeside(shop: ConnectedShop): Promise<ConnectedShop> {
  const { body, status, text } = await shop.owner.request<ChannelWithSecret>('POST', '/channels', {
    body: { name: 'Moss and Twine' },
  });
  assert.equal(status, 201, text);
  await sellBlanks(service, body.channel.id);
  return { ...shop, channelId: body.channel.id, secret: body.secret };
}

test('an order of one shop is placed next, though another shop of the same account has hundreds that wait', async () => {
  const busy = await connectShop(BACKLOG + 5);
  const quiet = await connectBeside(busy);
  for (let sent = 0; sent < BACKLOG; sent += 1) {
    // Most of a backlog only have to be looked at.
    const order = shopOrder(busy, sent % 10 === 0 ? {} : { items: [mystery] });
    const { status, text } = await send(busy, order);
    assert.equal(status, 202, text);
  }
  const { body } = await send(quiet, shopOrder(quiet));
  const worker = startWorker({ ...service.ctx, handlers: shopOrderJobs(service.ctx), pollMs: 20 });
  try {
    const left = await eventually('it is placed', async () => {
      const waiting = (await orderJobs()).length;
      return (await seen(quiet, body.id)).state === 'placed' ? waiting : undefined;
    });
    assert.ok(left > BACKLOG * 0.75, `of the ${BACKLOG} orders of the other shop ${left} waited still`);
    await eventually('all are looked at', async () => (await orderJobs()).length === 0, 60_000);
  } finally {
    await worker.stop(60_000);
  }
  const placed = await rows<{ n: number }>(
    service,
    "select count(*)::integer as n from channel_order where state = 'placed'",
  );
  assert.equal(placed[0]?.n, BACKLOG / 10 + 1);
  await assertSound(service);
});
