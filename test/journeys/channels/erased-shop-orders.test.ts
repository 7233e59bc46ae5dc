import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import { runErasures } from '../../../src/privacy/erase/worker.ts';
import type { ErasureReceipt } from '../../../src/privacy/ops-schema.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { rows } from '../../harness/written.ts';
import { huntInDatabase } from '../privacy/hunt.ts';
import { closeShops, connectShop, openShops, ourItem, seen, sendAndLook, service, shopOrder } from './shops.ts';

const MARK = 'zorblax';
let floor: Floor;
before(async () => {
  await openShops();
  floor = await openFloor(service, 'admin');
});
after(closeShops);

const addressOf = (mark: string) => ({
  contact_name: `Ada ${mark}`,
  line1: `12 ${mark} Lane`,
  city: `${mark}ton`,
  postcode: 'LS1 4DY',
  country_code: 'GB',
  email: `ada@${mark}.example`,
});

test('a recipient who is erased is in no order of a shop any more, placed or not; others stay', async () => {
  const shop = await connectShop();
  const item = ourItem(shop, { properties: [{ name: '_engraving', value: MARK }] });
  const changes = { shipping_address: addressOf(MARK), note: `For ${MARK}`, items: [item] };
  const placed = await sendAndLook(shop, shopOrder(shop, changes));
  const waiting = await sendAndLook(shop, shopOrder(shop, { ...changes, on_hold: true }));
  const refused = await sendAndLook(
    shop,
    shopOrder(shop, { ...changes, shipping_address: { ...addressOf(MARK), country_code: MARK } }),
  );
  const other = await sendAndLook(shop, shopOrder(shop, { shipping_address: addressOf('wumpus'), on_hold: true }));
  assert.deepEqual([placed.state, waiting.state, refused.reason], ['placed', 'waiting', 'address_refused']);
  assert.ok((await huntInDatabase(service.ctx.database, MARK)).length > 0);

  const cancelled = await shop.owner.api('POST', `/orders/${placed.order?.id}/cancel`);
  assert.equal(cancelled.status, 200, cancelled.text);
  const account = publicId('acct', shop.customer.accountId);
  const { status, text } = await floor.request<ErasureReceipt>('POST', `/accounts/${account}/erase`, {
    recipient: { name: `ada ${MARK}`, postcode: 'ls14dy' },
  });
  assert.equal(status, 200, text);
  await runErasures(service.ctx);
  await eventually(
    'nothing of them is left',
    async () => (await huntInDatabase(service.ctx.database, MARK)).length === 0,
  );
  for (const { id } of [waiting, refused]) {
    const { state, reason, recipient } = await seen(shop, id);
    assert.deepEqual([state, reason, recipient], ['ignored', 'erased', null]);
  }
  assert.equal((await seen(shop, other.id)).recipient?.name, 'Ada wumpus');
});

test('an account that is erased has no shop, no secret and no order of a shop any more', async () => {
  const shop = await connectShop(0);
  await sendAndLook(shop, shopOrder(shop, { shipping_address: addressOf(MARK), on_hold: true }));
  const account = publicId('acct', shop.customer.accountId);
  const { status, text } = await floor.request('POST', `/accounts/${account}/erase`, { whole_account: true });
  assert.equal(status, 200, text);
  await runErasures(service.ctx);
  const left = await rows(
    service,
    `select 1 from channel_order where account_id = '${shop.customer.accountId}'
     union all select 1 from channel_secret where account_id = '${shop.customer.accountId}'
     union all select 1 from channel where account_id = '${shop.customer.accountId}' and (name <> '' or state <> 'disconnected')`,
  );
  assert.deepEqual(left, []);
});
