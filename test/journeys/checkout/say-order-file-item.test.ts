import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFile, OrderFileItems } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { Order } from '../../../src/orders/schema.ts';
import { openRole } from '../../harness/portal.ts';
import type { ErrorReply, TestService } from '../../harness/service.ts';
import { addProduct, problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { confirm, entriesOf, type FileShop, openFileService, SKU, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

/** The columns of Etsy's export of sold items that an order is read from, with some that none is. */
const ETSY =
  'Sale Date,Item Name,Quantity,Price,Ship Name,Ship Address1,Ship City,Ship Zipcode,Ship Country,Order ID,Variations,SKU';

/** A row of Etsy's export. */
function sold(order: string, item: string, { variations = '', sku = '' } = {}): string {
  return `01/11/26,${item},1,18.00,Ada Byron,12 Mill Lane,Leeds,LS1 4DY,United Kingdom,${order},"${variations}",${sku}`;
}

const items = async ({ person }: FileShop, { id }: Pick<OrderFile, 'id'>): Promise<OrderFileItems> =>
  (await person.request<OrderFileItems>('GET', `/order-files/${id}/items`)).body;

const say = <Body = OrderFile>({ person }: FileShop, { id }: Pick<OrderFile, 'id'>, body: object) =>
  person.request<Body>('POST', `/order-files/${id}/items`, { body });

test('one word about an item of a file has its orders ready, here and in all later files', async () => {
  const shop = await openShop();
  const listing = 'Handmade fern shirt for gardeners';
  const variations = 'Size:M,Colour:White,Personalization:Not requested on this item.';
  const rowsOf = (from: number) => [0, 1].map((index) => sold(`${from + index}`, listing, { variations })).join('\n');
  const file = await takenOn(
    shop,
    await upload(shop, `${ETSY}\n${rowsOf(9001)}\n${sold('9003', 'Fern tee - White / M')}`),
  );
  assert.deepEqual([file.status, file.counts.wrong, file.counts.ready, file.plan], ['ready', 2, 1, 1]);
  const { unknown } = await items(shop, file);
  const key = `title ${listing} - M / White`;
  assert.deepEqual(unknown, [{ key, title: `${listing} - M / White`, rows: 2, suggestions: [] }]);
  const said = await say(shop, file, { key, product_id: shop.productId, variant_sku: SKU });
  assert.deepEqual([said.status, said.body.status, said.body.plan], [200, 'checking', 2], said.text);
  assert.deepEqual([said.body.counts.waiting, said.body.counts.ready], [2, 1], 'only its own are checked again');
  const ready = await takenOn(shop, file);
  assert.deepEqual([ready.counts.ready, ready.counts.wrong], [3, 0]);
  assert.deepEqual((await items(shop, file)).unknown, []);
  assert.deepEqual((await items(shop, file)).known, [
    {
      key,
      title: `${listing} - M / White`,
      rows: 2,
      variant: { product_id: shop.productId, product_name: 'Fern tee', variant_sku: SKU },
    },
  ]);
  assert.equal((await confirm(shop, ready)).status, 200);
  assert.equal((await takenOn(shop, file)).counts.placed, 3);
  const later = await takenOn(shop, await upload(shop, `${ETSY}\n${rowsOf(9100)}`));
  assert.deepEqual([later.counts.ready, later.counts.wrong], [2, 0]);
  const after = await say(shop, file, { key, not_ours: true });
  assert.equal(after.status, 409, 'a file that is confirmed stays as it is');
});

test('what is made by others is left out; an order of nothing else is left to them, and nothing of either vanishes', async () => {
  const shop = await openShop();
  const content = [ETSY, sold('A1', 'Fern tee - White / M'), sold('A1', 'A mug'), sold('A2', 'A mug')].join('\n');
  const file = await takenOn(shop, await upload(shop, content));
  assert.equal(file.counts.wrong, 2);
  assert.equal((await say(shop, file, { key: 'title A mug', not_ours: true })).status, 200);
  const ready = await takenOn(shop, file);
  assert.deepEqual([ready.counts.ready, ready.counts.others, ready.counts.wrong], [1, 1, 0]);
  await confirm(shop, ready);
  await takenOn(shop, file);
  const entries = await entriesOf(shop, file);
  assert.deepEqual(
    entries.map(({ external_reference: number, status, rows: own }) => [number, status, own]),
    [
      ['A1', 'placed', [2]],
      ['A2', 'others', [4]],
    ],
  );
  const { body } = await shop.customer.request<Order>('GET', `/orders/${entries[0]?.order?.id}`);
  assert.deepEqual(
    body.items.map(({ qty }) => qty),
    [1],
  );
  const headers = { cookie: `platen_session=${shop.person.secret}` };
  const saved = async (which: string): Promise<string[]> => {
    const answer = await fetch(`${service.url}/portal/api/v1/order-files/${file.id}/rows?rows=${which}`, { headers });
    return (await answer.text()).trim().split('\r\n').slice(1);
  };
  const all = await saved('all');
  assert.equal(all.length, 3);
  assert.match(all[1] ?? '', /A mug.*,others,,$/);
  assert.deepEqual(await saved('open'), [], 'there is nothing to mend');
});

test('what is wrong of a line of several is said of its own row', async () => {
  const shop = await openShop();
  const bad = sold('B1', 'Fern tee - White / M').replace(',1,18.00', ',many,18.00');
  const file = await upload(shop, [ETSY, sold('B1', 'A mug'), bad].join('\n'));
  await say(shop, file, { key: 'title A mug', not_ours: true });
  await takenOn(shop, file);
  const [entry] = await entriesOf(shop, file);
  assert.deepEqual(
    entry?.problems.map(({ row, column }) => [row, column]),
    [[3, 'Quantity']],
  );
});

test('what a buyer wrote stands on the piece; where it has no place the row says so', async () => {
  const { customer, demo } = service;
  const person = await openRole(service, 'orders', customer.accountId);
  const shop: FileShop = { service, customer, person, productId: demo.products.personalised };
  const variations = 'Colour:White,Personalization:Anna, with love';
  const written = sold('C1', 'A shirt with your name', { variations });
  const file = await takenOn(shop, await upload(shop, `${ETSY},motif\n${written},Sun`));
  const [item] = (await items(shop, file)).unknown;
  assert.ok(item !== undefined);
  assert.ok(!item.key.includes('Anna'), 'what a buyer wrote is no part of what is kept of an item');
  const { body: product } = await customer.request<{ variants: { blank_variant_sku: string }[] }>(
    'GET',
    `/products/${demo.products.personalised}`,
  );
  const sku = product.variants[0]?.blank_variant_sku;
  await say(shop, file, { key: item.key, product_id: demo.products.personalised, variant_sku: sku });
  const ready = await takenOn(shop, file);
  assert.equal(ready.counts.ready, 1, JSON.stringify(await entriesOf(shop, file)));
  const [row] = await rows<{ body: { items: { decoration: { personalisation: { inputs: object } } }[] } }>(
    service,
    "select body from order_file_order where account_id = $1 and external_reference = 'C1'",
    [customer.accountId],
  );
  assert.deepEqual(row?.body.items[0]?.decoration.personalisation.inputs, { line: 'Anna, with love', motif: 'sun' });
  const unread = await takenOn(
    shop,
    await upload(
      shop,
      `${ETSY},motif\n${sold('C2', 'A shirt with your name', { variations: 'Colour:White,Nickname:Bo' })},Sun`,
    ),
  );
  await say(shop, unread, {
    ...sayOf(item.key.replace('White', 'White / Bo')),
    product_id: demo.products.personalised,
    variant_sku: sku,
  });
  await takenOn(shop, unread);
  const [problem] = (await entriesOf(shop, unread))[0]?.problems ?? [];
  assert.match(problem?.message ?? '', /^What the buyer entered under "Nickname" belongs to no layer of /);
});

const sayOf = (key: string) => ({ key });

test('an item that the file has not, a product that the account has not, and a reader are refused', async () => {
  const [shop, other] = [await openShop(), await openShop()];
  const file = await upload(shop, `${ETSY}\n${sold('D1', 'A mug')}`);
  const refusals: readonly (readonly [body: object, problem: string])[] = [
    [{ key: 'title A cup', not_ours: true }, 'key unknown_item'],
    [{ key: 'title A mug' }, 'product_id required'],
    [{ key: 'title A mug', product_id: other.productId, variant_sku: SKU }, 'product_id unknown_product'],
    [{ key: 'title A mug', product_id: shop.productId, variant_sku: 'NONE' }, 'variant_sku unknown_variant'],
    [{ key: 'title A mug', product_id: shop.productId, not_ours: true }, 'not_ours one_of'],
  ];
  for (const [body, problem] of refusals) {
    const refused = await say<ErrorReply>(shop, file, body);
    assert.deepEqual([refused.status, problemsOf(refused)], [422, [problem]]);
  }
  const reader = await openRole(service, 'reader', shop.customer.accountId);
  const path = `/order-files/${file.id}/items`;
  assert.equal((await reader.request('POST', path, { body: { key: 'title A mug', not_ours: true } })).status, 403);
  assert.equal((await reader.request('GET', path)).status, 200);
  const unmapped = await upload(shop, 'Name,Sold\n1,A mug\n');
  assert.deepEqual(await items(shop, unmapped), { unknown: [], known: [] });
  assert.equal((await say(shop, unmapped, { key: 'title A mug', not_ours: true })).status, 409);
});

test('an item whose product was archived since is said anew', async () => {
  const shop = await openShop();
  const gone = await addProduct(service, shop.customer, 'TEE-CLASSIC', { name: 'Gone tee' });
  const content = `${ETSY}\n${sold('E1', 'Old name', { sku: 'OLD-1' })}`;
  const file = await upload(shop, content);
  await say(shop, file, { key: 'sku OLD-1', product_id: gone, variant_sku: SKU });
  assert.equal((await takenOn(shop, file)).counts.ready, 1);
  await shop.customer.request('DELETE', `/products/${gone}`);
  const later = await takenOn(shop, await upload(shop, content));
  assert.equal(later.counts.wrong, 1);
  assert.match((await entriesOf(shop, later))[0]?.problems[0]?.message ?? '', /archived.*Say anew what it is/);
  assert.deepEqual(
    (await items(shop, later)).unknown.map(({ key }) => key),
    ['sku OLD-1'],
  );
});
