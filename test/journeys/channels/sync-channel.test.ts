import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import { publicId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { assertSound } from '../../harness/written.ts';
import { actsOn, closeShops, openShops, service } from './shops.ts';
import { channelOfLinked, linkShop } from './woo-shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

async function shops(query: string): Promise<string[]> {
  const { body } = await floor.request<{ data: OpsChannel[] }>('GET', `/channels${query}`);
  return body.data.map(({ id }) => id);
}

test('a shop that answers with faults is in the list of what needs mending, and is asked again at once', async () => {
  const shop = await linkShop();
  assert.deepEqual(await shops('?needs=mending'), []);
  shop.woo.fail({ times: 100, how: (_hit, response) => void response.writeHead(502).end() });
  const refused = await floor.request<OpsChannel>('POST', `/channels/${shop.channelId}/sync`);
  assert.equal(refused.status, 200, refused.text);
  // A pass that was under way may have failed before the order to ask at once, which takes its time of asking away.
  await eventually('its fault is known, and when it is asked again', async () => {
    const { link } = await channelOfLinked(shop);
    return link?.fault != null && link.retry_at !== null;
  });
  assert.deepEqual(await shops('?needs=mending'), [shop.channelId]);
  const account = publicId('acct', shop.customer.accountId);
  assert.deepEqual(await shops(`?needs=mending&account=${account}`), [shop.channelId]);
  shop.woo.mend();
  assert.equal((await floor.request('POST', `/channels/${shop.channelId}/sync`)).status, 200);
  await eventually('it is well', async () => (await channelOfLinked(shop)).link?.fault === null);
  assert.deepEqual(await shops('?needs=mending'), []);
  assert.deepEqual(await actsOn(shop.channelId), ['sync_shop', 'sync_shop']);
});
