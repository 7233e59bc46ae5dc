import assert from 'node:assert/strict';
import { after, afterEach, before, describe, test } from 'node:test';
import type { BegunLink, Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import type { ShippedOrder } from '../../../src/shipments/schema.ts';
import { createAuthority } from '../../harness/authority.ts';
import { eventually, eventuallyLater } from '../../harness/context.ts';
import { count, type Floor, openFloor } from '../../harness/floor.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type Customer, startTestService, type TestService } from '../../harness/service.ts';
import { openShop, problemsOf } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';
import { sellBlanks } from './blanks.ts';
import { type DoubleOrder, type MedusaDouble, OTHERS, SECOND, startMedusaDouble } from './medusa-double.ts';

let service: TestService;
let medusa: MedusaDouble;
let floor: Floor;

before(async () => {
  const authority = createAuthority();
  medusa = await startMedusaDouble(authority, () => service.ctx.clock.now());
  service = await startTestService({ authority, env: { TRUSTED_PRIVATE_HOSTS: medusa.stranger.hostPort } });
  floor = await openFloor(service);
  await count(floor, 'TEE-CLASSIC-WHT-M', 1_000);
});
after(async () => {
  await service.stop();
  await medusa.stranger.close();
});
afterEach(() => {
  medusa.instead = () => undefined;
});

type Linked = {
  readonly owner: PortalClient;
  readonly customer: Customer;
  readonly channelId: string;
  readonly sku: string;
};

async function begin(owner: PortalClient, changes: object = {}) {
  const body = { platform: 'medusa', name: 'Fern', address: medusa.stranger.url('/app'), key: medusa.key, ...changes };
  return owner.request<BegunLink & { errors?: [] }>('POST', '/channels/links', { body });
}

/** Links the shop for a new customer. */
async function link(changes: object = {}): Promise<Linked> {
  const { customer, productId, sku } = await openShop(service, 5);
  const owner = await openRole(service, 'owner', customer.accountId);
  const begun = await begin(owner, changes);
  assert.equal(begun.status, 201, begun.text);
  const channelId = begun.body.channel?.id ?? '';
  await sellBlanks(service, channelId);
  return { owner, customer, channelId, sku: `${productId}/${sku}` };
}

async function channelOf({ owner, channelId }: Linked): Promise<Channel> {
  return (await owner.request<Channel>('GET', `/channels/${channelId}`)).body;
}

/** Waits until all changes were listed once more than now. */
async function listed(shop: Linked): Promise<void> {
  const { link: before } = await channelOf(shop);
  service.shiftMs(31_000);
  await eventually('all changes are listed', async () => {
    const { link: now } = await channelOf(shop);
    return now !== null && now.synced_at !== null && now.synced_at !== before?.synced_at;
  });
}

async function becomes(shop: Linked, { id }: DoubleOrder, state: string, reason: string): Promise<ShopOrderView> {
  return eventually(`${id} is ${state} ${reason}`, async () => {
    const { body } = await shop.owner.request<{ data: ShopOrderView[] }>(
      'GET',
      `/shop-orders?channel=${shop.channelId}`,
    );
    return body.data.find((one) => one.shop_order_id === id && one.state === state && one.reason === reason);
  });
}

/** Ships so many pieces of the only line of a placed order; `isFirst` has it started before. */
async function ship(view: ShopOrderView, number: string, quantity: number, isFirst = true): Promise<string> {
  const at = `/orders/${view.order?.id}`;
  if (isFirst) {
    await floor.post(`${at}/promote`);
    await floor.post(`${at}/start`, {});
  }
  const { body } = await floor.request('GET', at);
  const items = [{ line_id: body.lines[0]?.id, quantity }];
  const sent = await floor.request<ShippedOrder>('POST', `${at}/shipments`, {
    carrier: 'Royal Mail',
    tracking_number: number,
    tracking_url: `https://track.example/${number}`,
    items,
  });
  assert.equal(sent.status, 201, sent.text);
  return sent.body.shipment_id;
}

/** Waits until a shop has been reported of everything, however often it had to be synchronised. */
async function allTold(shop: Linked): Promise<void> {
  const isReported = async () => {
    const { link: now } = await channelOf(shop);
    return now?.unreported === 0 && now.fault === null;
  };
  await eventuallyLater(service, 'the shop is reported', isReported, 30_000);
}

async function failuresOf({ id }: DoubleOrder): Promise<number | undefined> {
  const [row] = await rows<{ failures: number }>(
    service,
    `select r.failures from channel_report r join channel_order s
       on s.account_id = r.account_id and s.id = r.shop_order_id where s.shop_order_id = $1`,
    [id],
  );
  return row?.failures;
}

const labelsOf = (order: DoubleOrder) => order.fulfillments.map(({ labels }) => labels);

describe('linking a shop of Medusa', () => {
  test('takes a key that a person has copied, and links it at once', async () => {
    const { customer } = await openShop(service, 1);
    const owner = await openRole(service, 'owner', customer.accountId);
    for (const key of [undefined, 'pk_0123456789abcdef0123456789abcdef', 'sk_short']) {
      const refused = await begin(owner, { key });
      assert.equal(refused.status, 422, refused.text);
      assert.deepEqual(problemsOf(refused as never), [`key ${key === undefined ? 'required' : 'pattern'}`]);
    }
    const notAsked = await begin(owner, { platform: 'woocommerce' });
    assert.deepEqual(problemsOf(notAsked as never), ['key pattern'], 'people of WooCommerce consent');
    const begun = await begin(owner);
    assert.equal(begun.status, 201, begun.text);
    assert.deepEqual(Object.keys(begun.body), ['channel']);
    assert.equal(begun.body.channel?.link?.address, medusa.stranger.url(''));
    assert.ok(!begun.text.includes(medusa.key));
    const acts = await rows<{ action: string }>(
      service,
      "select action from operator_action where detail ->> 'channel_id' = $1",
      [begun.body.channel?.id ?? ''],
    );
    assert.deepEqual(acts, [{ action: 'connect_shop' }]);
    await owner.request('POST', `/channels/${begun.body.channel?.id}/disconnect`);
  });

  test('says in words that a key is not taken, until another is given', async () => {
    const wrong = `sk_${'0'.repeat(64)}`;
    const shop = await link({ key: wrong });
    const fault = await eventually('the key is refused', async () => (await channelOf(shop)).link?.fault ?? undefined);
    assert.match(fault.message, /does not let the print shop in any more \(401\)\. Connect it again\./);
    const renewed = await begin(shop.owner, { channel: shop.channelId });
    assert.deepEqual([renewed.status, renewed.body.channel?.id], [201, shop.channelId], renewed.text);
    await eventually('it is listed', async () => {
      const { link: now } = await channelOf(shop);
      return now?.synced_at !== null && now?.fault === null;
    });
    const other = await begin(shop.owner, { platform: 'woocommerce', key: undefined, channel: shop.channelId });
    assert.equal(other.status, 409, 'a channel stays of its platform');
    await shop.owner.request('POST', `/channels/${shop.channelId}/disconnect`);
  });
});

describe('a linked shop of Medusa', () => {
  let shop: Linked;
  let early: DoubleOrder;
  before(async () => {
    const { customer, productId, sku } = await openShop(service, 20);
    early = medusa.sell({ sku: `${productId}/${sku}` });
    service.shiftMs(1_000);
    const owner = await openRole(service, 'owner', customer.accountId);
    const begun = await begin(owner);
    assert.equal(begun.status, 201, begun.text);
    shop = { owner, customer, channelId: begun.body.channel?.id ?? '', sku: `${productId}/${sku}` };
    await sellBlanks(service, shop.channelId);
  });
  afterEach(() => assertSound(service));

  test('has its orders found by their list and placed; earlier ones wait for a person', async () => {
    const order = medusa.sell({ sku: shop.sku, quantity: 2 });
    await listed(shop);
    const placed = await becomes(shop, order, 'placed', '');
    assert.deepEqual([placed.number, placed.items[0]?.quantity], [`#${order.display_id}`, 2]);
    await becomes(shop, early, 'waiting', 'earlier');
    await listed(shop);
    await becomes(shop, order, 'placed', '');
    assert.deepEqual(medusa.writes, [], 'nothing is set up there, and reading writes nothing');
  });

  test('says nothing when an order is paid: it is found by the list of payments', async () => {
    const unpaid = { provider_id: 'pp_system_default', id: 'pay_x', captured_at: null, canceled_at: null };
    const order = medusa.sell(
      { sku: shop.sku },
      {
        payment_status: 'authorized',
        payment_collections: [{ updated_at: service.ctx.clock.now().toISOString(), payments: [unpaid] }],
      },
    );
    await listed(shop);
    await becomes(shop, order, 'waiting', 'unpaid');
    // Behind what the list of orders begins with.
    service.shiftMs(600_000);
    await listed(shop);
    medusa.capture(order);
    await listed(shop);
    await becomes(shop, order, 'placed', '');
  });

  test('is reported of each parcel once, whichever call is the last that a sync makes', async () => {
    const methods = [OTHERS, 'so_1'].map((option) => ({ name: 'Standard', shipping_option_id: option }));
    const order = medusa.sell({ sku: shop.sku, quantity: 3 }, { shipping_methods: methods });
    await listed(shop);
    const placed = await becomes(shop, order, 'placed', '');
    await allTold(shop);
    const lost = new Set(['fulfillments', 'shipments']);
    // The shop has done what it was asked, and nobody here learns of it.
    medusa.instead = ({ method, path }) => {
      const last = new URL(path, 'https://shop').pathname.split('/').at(-1) ?? '';
      return method === 'POST' && lost.delete(last) ? 'reset' : undefined;
    };
    const id = await ship(placed, 'RM1', 2);
    await allTold(shop);
    assert.equal(lost.size, 0, 'both calls were lost once');
    assert.deepEqual(labelsOf(order), [
      [{ tracking_number: 'RM1', tracking_url: 'https://track.example/RM1', label_url: '' }],
    ]);
    assert.deepEqual(order.fulfillments[0]?.metadata, {
      platen_parcel: id,
      platen_pieces: { [order.items[0]?.id ?? '']: 2 },
    });
    await ship(placed, 'RM2', 1, false);
    await allTold(shop);
    assert.equal(order.fulfillments.length, 2);
    assert.equal(order.items[0]?.detail.fulfilled_quantity, 3);
    await listed(shop);
    const after = await becomes(shop, order, 'placed', '');
    assert.deepEqual(after.problems, [], 'what we wrote there is no change of the shop');
    const corrected = { tracking_number: 'RM1-AGAIN', tracking_url: null };
    const { status } = await floor.request('PATCH', `/orders/${placed.order?.id}/shipments/${id}`, corrected);
    assert.equal(status, 200);
    await eventually('the new number is a note', () => order.metadata !== null);
    assert.deepEqual(order.metadata, { [`platen_${id}`]: 'Sent: 2 × Fern tee. Royal Mail RM1-AGAIN' });
    assert.equal(order.fulfillments.length, 2);
  });

  test('is reported of a parcel that is sent while it is off once it is back, and of a deleted order nothing', async () => {
    const lost = { status: 404, json: { message: 'no such app' } };
    for (const isOff of [
      () => true,
      (last: string, method: string) => method === 'POST' && last === 'fulfillments',
      (last: string) => last === 'shipments',
    ]) {
      const order = medusa.sell({ sku: shop.sku });
      await listed(shop);
      const placed = await becomes(shop, order, 'placed', '');
      await allTold(shop);
      let asked = 0;
      medusa.instead = ({ method, path }) => {
        const { pathname } = new URL(path, 'https://shop');
        const isIt = isOff(pathname.split('/').at(-1) ?? '', method);
        asked += isIt && pathname.includes(order.id) ? 1 : 0;
        return isIt ? lost : undefined;
      };
      await ship(placed, 'RM1', 1);
      await eventually('the shop was asked', () => asked > 0);
      medusa.instead = () => undefined;
      await allTold(shop);
      assert.deepEqual(labelsOf(order), [
        [{ tracking_number: 'RM1', tracking_url: 'https://track.example/RM1', label_url: '' }],
      ]);
    }
    const deleted = medusa.sell({ sku: shop.sku });
    await listed(shop);
    const placed = await becomes(shop, deleted, 'placed', '');
    await allTold(shop);
    medusa.orders.delete(deleted.id);
    medusa.instead = ({ path }) => (path.includes(`orders/${deleted.id}`) ? lost : undefined);
    await ship(placed, 'RM1', 1);
    await allTold(shop);
    assert.deepEqual([await failuresOf(deleted), deleted.fulfillments], [0, []]);
  });

  test('that refuses a page of its orders, or cannot give it out, is read order by order', async () => {
    for (const status of [400, 500]) {
      const order = medusa.sell({ sku: shop.sku });
      medusa.instead = ({ path }) => {
        const { pathname, searchParams } = new URL(path, 'https://shop');
        const isWhole = pathname.endsWith('/orders') && searchParams.get('fields') !== 'id,updated_at';
        return isWhole ? { status, json: { type: 'invalid_data' } } : undefined;
      };
      await listed(shop);
      await becomes(shop, order, 'placed', '');
      assert.equal((await channelOf(shop)).link?.fault, null);
    }
  });

  test('that has more orders than there is room for has its cancels passed on, and the others placed once there is', async () => {
    const full = await link({ address: medusa.stranger.url(`${SECOND}/app`), name: 'Full' });
    const placed = medusa.sell({ sku: full.sku });
    await listed(full);
    await becomes(full, placed, 'placed', '');
    const waiting = medusa.sell({ sku: 'UNKNOWN' });
    await listed(full);
    await becomes(full, waiting, 'waiting', 'needs_mapping');
    const weigh = (weight: number) =>
      rows(service, 'update channel_order set weight = $2 where shop_order_id = $1 and account_id = $3 returning 1', [
        waiting.id,
        weight,
        full.customer.accountId,
      ]);
    // As ten thousand that wait.
    await weigh(10_000);
    service.shiftMs(200_000);
    const outside = Array.from({ length: 30 }, () => medusa.sell({ sku: full.sku }));
    service.shiftMs(200_000);
    placed.status = 'canceled';
    placed.updated_at = service.ctx.clock.now().toISOString();
    await listed(full);
    await eventually('its cancel is passed on', async () => {
      const { body } = await full.owner.request<{ data: ShopOrderView[] }>(
        'GET',
        `/shop-orders?channel=${full.channelId}`,
      );
      return body.data.some(({ shop_order_id: id, reason }) => id === placed.id && reason === 'cancelled');
    });
    assert.match((await channelOf(full)).link?.fault?.message ?? '', /^So many orders/);
    await weigh(1);
    service.shiftMs(601_000);
    await listed(full);
    const last = outside.at(-1) ?? assert.fail();
    await eventually('the others come in', async () => {
      const seen = await rows(service, 'select 1 from channel_order where shop_order_id = $1 and account_id = $2', [
        last.id,
        full.customer.accountId,
      ]);
      return seen.length === 1;
    });
  });

  test('that has packed an order itself has the parcel as a note', async () => {
    const order = medusa.sell({ sku: shop.sku });
    await listed(shop);
    const placed = await becomes(shop, order, 'placed', '');
    for (const line of order.items) line.detail.fulfilled_quantity = line.quantity;
    const id = await ship(placed, 'RM3', 1);
    await allTold(shop);
    assert.deepEqual(order.fulfillments, []);
    assert.deepEqual(order.metadata, {
      [`platen_${id}`]: 'Sent: 1 × Fern tee. Royal Mail RM3, https://track.example/RM3',
    });
  });

  test('that refuses a parcel is asked again, and then a person has a task', async () => {
    const order = medusa.sell({ sku: shop.sku });
    await listed(shop);
    const placed = await becomes(shop, order, 'placed', '');
    medusa.instead = ({ method, path }) =>
      method === 'POST' && path.includes(order.id) ? { status: 400, json: { type: 'not_allowed' } } : undefined;
    await ship(placed, 'RM4', 1);
    for (let tries = 1; tries <= 5; tries += 1) {
      await eventually(`it was refused ${tries} times`, async () => (await failuresOf(order)) === tries);
      service.shiftMs(60_000 * 2 ** tries);
    }
    const { link: now } = await channelOf(shop);
    assert.deepEqual([now?.fault, now?.unreported], [null, 0], 'the others are reported, and it is left to a person');
    const tasks = await rows<{ note: string }>(service, "select note from ops_task where kind = 'shop_order_failed'");
    assert.match(tasks.map(({ note }) => note).join(), /refuses the report of its order/);
  });

  test('is reported of a cancel as a note, and its own cancel is passed on', async () => {
    const [here, there] = [medusa.sell({ sku: shop.sku }), medusa.sell({ sku: shop.sku })];
    await listed(shop);
    const placed = await becomes(shop, here, 'placed', '');
    await becomes(shop, there, 'placed', '');
    const cancelled = await shop.customer.request('POST', `/orders/${placed.order?.id}/cancel`);
    assert.equal(cancelled.status, 200, cancelled.text);
    await allTold(shop);
    assert.match(
      String(here.metadata?.platen_cancelled),
      /^The print shop has cancelled its order .+ Refund your buyer\.$/,
    );
    assert.equal(here.status, 'pending', 'whether the whole order is cancelled is for its people to say');
    there.status = 'canceled';
    there.updated_at = service.ctx.clock.now().toISOString();
    await listed(shop);
    await becomes(shop, there, 'placed', 'cancelled');
    await allTold(shop);
    assert.equal(await failuresOf(there), 0, 'Medusa takes no note for an order that it has cancelled');
  });
});

test('a shop of Medusa that is connected already is not read by another address of its own', async () => {
  medusa.storeId = 'store_01FERN';
  try {
    const shop = await link({ name: 'Fern and Thread' });
    await eventually('it was read', async () => (await channelOf(shop)).link?.synced_at !== null);
    const begun = await begin(shop.owner, { address: medusa.stranger.url(`${SECOND}/app`), name: 'Again' });
    assert.equal(begun.status, 201, begun.text);
    const again = { ...shop, channelId: begun.body.channel?.id ?? '' };
    const fault = await eventually('it has a fault', async () => (await channelOf(again)).link?.fault ?? undefined);
    assert.match(fault.message, /^This is the shop “Fern and Thread”, which is connected already by https:/);
    assert.equal((await channelOf(shop)).link?.fault, null);
  } finally {
    medusa.storeId = undefined;
  }
});
