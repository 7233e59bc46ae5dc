import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import type { OpsChannel } from '../../../src/channels/channel-ops-schema.ts';
import { listOpsChannels } from '../../../src/channels/connected/ops-channels.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { assertSound } from '../../harness/written.ts';
import { closeShops, connectShop, looked, openShops, sendAndLook, service, shopOrder } from './shops.ts';
import { channelOfLinked, linkShop } from './woo-shops.ts';

let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'production');
});
after(closeShops);
afterEach(() => assertSound(service));

type Page = { data: OpsChannel[]; next_cursor: string | null };

async function shops(query = ''): Promise<string[]> {
  const { status, body, text } = await floor.request<Page>('GET', `/channels${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id }) => id);
}

test('operators see the shops of all accounts as their people do, a page at a time, and those of one account', async () => {
  const [one, other] = [await connectShop(), await linkShop()];
  assert.deepEqual((await shops()).slice(0, 2), [other.channelId, one.channelId]);
  const first = (await floor.request<Page>('GET', '/channels?limit=1')).body;
  assert.deepEqual(await shops(`?limit=1&cursor=${first.next_cursor}`), [one.channelId]);
  const account = publicId('acct', one.customer.accountId);
  assert.deepEqual(await shops(`?account=${account}`), [one.channelId]);
  assert.deepEqual(await shops('?account=acct_x'), []);
  const view = (await floor.request<OpsChannel>('GET', `/channels/${other.channelId}`)).body;
  const { account_id: owner, ...shown } = view;
  assert.equal(owner, publicId('acct', other.customer.accountId));
  assert.deepEqual(shown, await channelOfLinked(other));
});

test('a page of shops of many accounts asks as many statements as one of a single shop', async () => {
  const shops = [await connectShop(), await linkShop(), await connectShop()];
  const { database } = service.ctx;
  const read = async (limit: string) => {
    const asked: string[] = [];
    const all: typeof database.all = (what, values) => {
      asked.push(what.name);
      return database.all(what, values);
    };
    const { data } = await listOpsChannels({ ...service.ctx, database: { ...database, all } }, { limit });
    return { asked, ids: data.map(({ id }) => id) };
  };
  const [one, many] = [await read('1'), await read('3')];
  assert.deepEqual(many.ids, shops.map(({ channelId }) => channelId).toReversed());
  assert.deepEqual(many.asked, one.asked);
});

test('a shop is disconnected, and then neither paused nor asked', async () => {
  const shop = await connectShop();
  const path = `/channels/${shop.channelId}`;
  assert.equal((await floor.request('POST', `${path}/sync`)).status, 409, 'it sends its orders itself');
  const waiting = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  const ended = await floor.request<OpsChannel>('POST', `${path}/disconnect`);
  assert.deepEqual([ended.status, ended.body.state], [200, 'disconnected']);
  await eventually('it is ignored', async () => (await looked(shop, waiting.id)).state === 'ignored');
  assert.equal((await floor.request('POST', `${path}/disconnect`)).status, 200, 'again changes nothing');
  for (const action of ['pause', 'resume', 'sync']) {
    const refused = await floor.request<ErrorReply>('POST', `${path}/${action}`);
    assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'], action);
  }
});

test('who may read may not mend, and a shop that is not there is 404', async () => {
  const shop = await connectShop();
  const viewer = await openFloor(service, 'viewer');
  assert.equal((await viewer.request('GET', `/channels/${shop.channelId}`)).status, 200);
  assert.equal((await viewer.request('GET', `/channels/${shop.channelId}/products`)).status, 200);
  const unknown = publicId('chan', newId());
  for (const action of ['sync', 'pause', 'resume', 'disconnect', `products/${shop.productId}/retry`]) {
    assert.equal((await viewer.request('POST', `/channels/${shop.channelId}/${action}`)).status, 403, action);
    assert.equal((await floor.request('POST', `/channels/${unknown}/${action}`)).status, 404, action);
  }
  for (const path of [unknown, 'chan_x', `${unknown}/products`]) {
    assert.equal((await floor.request('GET', `/channels/${path}`)).status, 404, path);
  }
  assert.equal((await floor.request('GET', '/channels?needs=love')).status, 422);
});
