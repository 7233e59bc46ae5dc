import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { ShopOrderWithAddress } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { openFloor } from '../../harness/floor.ts';
import {
  type ConnectedShop,
  closeShops,
  connectDesignedShop,
  connectShop,
  openShops,
  seen,
  sendAndLook,
  service,
  shopOrder,
} from './shops.ts';

before(() => openShops());
after(closeShops);

test('an order says what became of it, and another account finds the same as of none', async () => {
  const shop = await connectShop();
  const view = await sendAndLook(shop, shopOrder(shop, { on_hold: true }));
  assert.deepEqual(view.recipient, {
    name: 'Ada Byron',
    city: 'Leeds',
    postcode: 'LS1 4DY',
    country: 'United Kingdom',
  });
  assert.deepEqual(view.channel, { id: shop.channelId, name: 'Fern and Thread' });
  const other = await connectShop();
  const strip = (text: string): string => text.replace(/req_[0-9a-z]+/g, 'req');
  const foreign = await other.owner.request('GET', `/shop-orders/${view.id}`);
  const none = await other.owner.request('GET', '/shop-orders/sho_01kb0000000000000000000000');
  assert.deepEqual([foreign.status, strip(foreign.text)], [404, strip(none.text)]);
  assert.equal((await other.owner.request('GET', '/shop-orders/none')).status, 404);
});

/** The personalised product of the demo account, as an item of a shop, and its one text. */
async function namedTee({ owner }: ConnectedShop) {
  const id = service.demo.products.personalised;
  const { body } = await owner.api<{ layers: { id: string; name: string; type: string; required: boolean }[] }>(
    'GET',
    `/products/${id}/personalisation`,
  );
  const text = body.layers.find(({ type, required }) => type === 'text' && required) ?? assert.fail('it has a text');
  const { body: product } = await owner.api<{ variants: { blank_variant_sku: string }[] }>('GET', `/products/${id}`);
  const sku = product.variants[0]?.blank_variant_sku ?? assert.fail('it has a variant');
  return { id, text, sku, item: { id: '1', sku: `${id}/${sku}`, title: 'Name tee', quantity: 1 } };
}

test('what a buyer entered is shown by name until it is placed, with what of it fills the layers; then its line', async () => {
  const shop = await connectDesignedShop();
  const { id, text, sku, item } = await namedTee(shop);
  const properties = [
    { name: text.name, value: '<b>Ada</b>' },
    { name: '_checkout_token', value: 'x' },
    { name: 'Gift note', value: 'Happy\nbirthday' },
    { name: 'Left empty', value: ' ' },
  ];
  const plain = {
    id: '2',
    variant_id: '77',
    title: 'Tee of none',
    quantity: 1,
    properties: [{ name: 'Note', value: 'n' }],
  };
  const order = shopOrder(shop, { on_hold: true, items: [{ ...item, properties }, plain] });
  const waiting = await sendAndLook(shop, order);
  const read = async (): Promise<ShopOrderWithAddress> =>
    (await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${waiting.id}`)).body;
  const shown = await read();
  assert.deepEqual(
    shown.items.map(({ entered, personalisation, line }) => ({ entered, personalisation, line })),
    [
      {
        entered: [
          { name: text.name, value: '<b>Ada</b>' },
          { name: 'Gift note', value: 'Happy\nbirthday' },
        ],
        personalisation: { product_id: id, variant_sku: sku, inputs: { [text.id]: '<b>Ada</b>' } },
        line: null,
      },
      { entered: [{ name: 'Note', value: 'n' }], personalisation: null, line: null },
    ],
  );
  const floor = await openFloor(service, 'viewer');
  const ofOps = await floor.request<ShopOrderWithAddress>('GET', `/shop-orders/${waiting.id}`);
  assert.deepEqual(ofOps.body.items, shown.items);
  const { body: list } = await shop.owner.request<{ data: { items: object[] }[] }>('GET', '/shop-orders');
  assert.ok(!JSON.stringify(list).includes('birthday'), 'a list has none of it');

  const inputs = { [text.id]: 'Ada' };
  const body = { inputs, variant_sku: sku };
  const proof = await shop.owner.api('POST', `/products/${id}/personalisation/preview`, { body });
  assert.equal(proof.status, 200, proof.text);
});

test('a placed order keeps nothing of what its buyer entered here: its line has it', async () => {
  const shop = await connectDesignedShop();
  const { text, item } = await namedTee(shop);
  const ours = { ...item, properties: [{ name: text.name, value: 'Ada' }] };
  const others = { id: '2', title: 'Mug', quantity: 1, made_by_others: true };
  const sent = await sendAndLook(shop, shopOrder(shop, { items: [others, ours] }));
  await eventually('it is placed', async () => (await seen(shop, sent.id)).state === 'placed');
  const { body } = await shop.owner.request<ShopOrderWithAddress>('GET', `/shop-orders/${sent.id}`);
  assert.deepEqual(
    body.items.map(({ entered, personalisation, line }) => ({ entered, personalisation, line })),
    [
      { entered: [], personalisation: null, line: null },
      { entered: [], personalisation: null, line: 0 },
    ],
  );
});
