import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, parseId, type Uuid } from '../../../../src/lib/ids.ts';
import { orderHash } from '../../../../src/privacy/ledger/entry.ts';
import { openLedgerOf } from '../../../../src/privacy/ledger/open-ledger.ts';
import { replayLedger } from '../../../../src/privacy/ledger/replay.ts';
import { type Floor, openFloor, openShippingShop, parcelOf } from '../../../harness/floor.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { HOME } from '../../../harness/shop.ts';
import { assertSound } from '../../../harness/written.ts';
import { huntInDatabase } from '../hunt.ts';

let service: TestService;
let admin: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  admin = await openFloor(service, 'admin');
});
after(async () => {
  await assertSound(service);
  await service.stop();
});

test('in a restored database the whole family of an erased order is erased again, whichever of it was named', async () => {
  const { ctx } = service;
  const shop = await openShippingShop(service);
  for (const named of ['the first', 'the replacement'] as const) {
    const mark = `whimbrel-${named.slice(4)}`;
    const order = await shop.placeStarted([1], { shipping_address: { ...HOME, contact_name: `Ada ${mark}` } });
    assert.equal((await shop.ship(order, parcelOf(order, [1]))).status, 201);
    const items = [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }];
    const again = await admin.post(`/orders/${order.id}/replacement`, { items, reason: 'lost' }, 201);
    await admin.post(`/orders/${again.id}/cancel`, { reason: 'not wanted' });
    const orderId = parseId('ord', named === 'the first' ? order.id : again.id) as Uuid;
    // What a restored database finds: a ledger that knows more than itself.
    const ledger = await openLedgerOf(ctx);
    const at = ctx.clock.now();
    const hash = orderHash(ledger.key, shop.accountId, orderId);
    await ledger.append({ at, scope: 'order', erasureId: newId(at.getTime()), hash });
    await replayLedger(ctx);
    assert.deepEqual(await huntInDatabase(ctx.database, mark), [], named);
  }
});
