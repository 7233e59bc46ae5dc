import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Channel } from '../../../src/channels/channel-schema.ts';
import { openRole, pastProof } from '../../harness/portal.ts';
import { rows } from '../../harness/written.ts';
import { channelOf, closeShops, connectShop, openShops, service } from './shops.ts';

before(() => openShops());
after(closeShops);

test('gives a secret once; afterwards it is sealed, and no answer has it', async () => {
  const shop = await connectShop();
  assert.match(shop.secret, /^whsec_/);
  const channel = await channelOf(shop);
  assert.deepEqual(
    [channel.state, channel.platform, channel.orders_url],
    ['active', 'signed', `${service.ctx.config.baseUrl}/channels/${shop.channelId}/orders`],
  );
  const listed = await shop.owner.request<{ data: Channel[] }>('GET', '/channels');
  assert.ok(!listed.text.includes(shop.secret));
  const [stored] = await rows<{ sealed: string }>(
    service,
    "select encode(sealed, 'escape') as sealed from channel_secret order by id desc limit 1",
  );
  assert.ok(stored !== undefined && !stored.sealed.includes(shop.secret.slice(6, 20)));
});

test('needs a role and a fresh proof, a name, and room for one more', async () => {
  const shop = await connectShop();
  const body = { name: 'Second' };
  for (const role of ['orders', 'reader'] as const) {
    const person = await openRole(service, role, shop.customer.accountId);
    assert.equal((await person.request('POST', '/channels', { body })).status, 403, role);
  }
  assert.equal((await shop.owner.request('POST', '/channels', { body: { name: ' ' } })).status, 422);
  for (let count = 1; count < 20; count += 1) {
    assert.equal((await shop.owner.request('POST', '/channels', { body: { name: `Shop ${count}` } })).status, 201);
  }
  const full = await shop.owner.request('POST', '/channels', { body });
  assert.deepEqual([full.status, full.body.code], [409, 'conflict']);
  await pastProof(service, shop.owner);
  const late = await shop.owner.request('POST', '/channels', { body });
  assert.deepEqual([late.status, late.body.code], [403, 'proof_required']);
});
