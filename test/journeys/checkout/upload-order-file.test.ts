import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { OrderFile, OrderFileItems } from '../../../src/checkout/order-files/order-file-schema.ts';
import type { TestService } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { entriesOf, type FileShop, HEADINGS, openFileService, rowOf, SKU, takenOn, upload } from './order-files.ts';

let service: TestService;
let openShop: () => Promise<FileShop>;
before(async () => {
  ({ service, openShop } = await openFileService());
});
after(() => service.stop());

test('rows with one number are one order; good ones are priced as an estimate, wrong ones name row, column and cure', async () => {
  const shop = await openShop();
  const content = [
    HEADINGS,
    rowOf(shop, 'A-1'),
    `A-1,Fern tee,TEE-CLASSIC-BLK-M,2,,,,,`,
    rowOf(shop, 'A-2', { quantity: 'two' }),
    rowOf(shop, 'A-3', { sku: 'TEE-CLASSIC-WHT-M-' }),
    rowOf(shop, '', {}),
    `A-4,Moss tee,${SKU},1,Ada,12 Mill Lane,Leeds,LS1 4DY,United Kingdom`,
    `A-5,Fern tee,${SKU},1,Ada,12 Mill Lane,Leeds,,UK`,
    `A-5,Fern tee,${SKU},1,Grace,,,,`,
  ].join('\r\n');
  const uploaded = await upload(shop, content);
  assert.deepEqual([uploaded.status, uploaded.missing, uploaded.row_count], ['checking', [], 8]);
  const checked = await takenOn(shop, uploaded);
  assert.deepEqual([checked.status, checked.counts.ready, checked.counts.wrong], ['ready', 1, 5]);
  const entries = await entriesOf(shop, uploaded);
  assert.deepEqual(
    entries.flatMap(({ problems }) => problems.map(({ row, column }) => `${row} ${column}`)),
    ['4 quantity', '5 variant_sku', '6 external_reference', '7 product_id', '9 contact_name'],
  );
  assert.match(entries[2]?.problems[0]?.message ?? '', /not an active variant.*There are TEE-CLASSIC-/);
  const [first] = entries;
  const estimate = await shop.customer.request<{ total: number }>('POST', '/orders/estimate', {
    items: [
      { product_id: shop.productId, variant_sku: SKU, quantity: 1, print_jobs: [] },
      { product_id: shop.productId, variant_sku: 'TEE-CLASSIC-BLK-M', quantity: 2, print_jobs: [] },
    ],
    shipping_address: {
      contact_name: 'Ada Byron',
      line1: '12 Mill Lane',
      city: 'Leeds',
      postcode: 'LS1 4DY',
      country_code: 'GB',
    },
  });
  assert.deepEqual([first?.rows, first?.total, checked.total], [[2, 3], estimate.body.total, estimate.body.total]);
  const written = 'select id from orders where account_id = $1';
  assert.deepEqual(
    await rows(service, written, [shop.customer.accountId]),
    [],
    'nothing is placed before it is confirmed',
  );
});

test('of uploads at once no more are taken than an account may have', async () => {
  const shop = await openShop();
  const content = 'Order,SKU\n1,TEE-CLASSIC-WHT-M\n';
  const { id } = await upload(shop, content);
  const copies = `insert into order_file (account_id, id, name, content, columns, prefix, plan, row_count, state, created_at,
      updated_at, turn_at)
    select account_id, gen_random_uuid(), name, content, columns, prefix, plan, row_count, state, created_at, updated_at, turn_at
    from order_file, generate_series(1, 47) where account_id = $1 returning id`;
  assert.equal((await rows(service, copies, [shop.customer.accountId])).length, 47, id);
  const body = { name: 'x.csv', content };
  const answers = await Promise.all(
    Array.from({ length: 6 }, () => shop.person.request('POST', '/order-files', { body })),
  );
  assert.deepEqual(
    answers.map(({ status }) => status).toSorted((a, b) => a - b),
    [201, 201, 409, 409, 409, 409],
  );
});

test('a look at a file reads its headings, and its text no more', async () => {
  const shop = await openShop();
  const file = await takenOn(shop, await upload(shop, [HEADINGS, rowOf(shop, 'H-1', { quantity: 'two' })].join('\n')));
  const look = async (): Promise<readonly unknown[]> => {
    const { headings } = (await shop.person.request<{ headings: string[] }>('GET', `/order-files/${file.id}`)).body;
    return [headings, (await entriesOf(shop, file))[0]?.problems[0]?.column];
  };
  const expected = [HEADINGS.split(','), 'quantity'];
  assert.deepEqual(await look(), expected);
  const change = 'update order_file set content = $2, headings = $3 where account_id = $1 returning id';
  await rows(service, change, [shop.customer.accountId, 'another,text\n', JSON.stringify(HEADINGS.split(','))]);
  assert.deepEqual(await look(), expected);
  await rows(service, change, [shop.customer.accountId, `${HEADINGS}\n`, null]);
  assert.deepEqual(await look(), expected, 'of a file of before they are read from its text');
});

test('a file that lacks a column says which; one that is no CSV, has no rows or too many is refused', async () => {
  const shop = await openShop();
  const half = await upload(shop, 'Order,SKU,Quantity\n1,TEE-CLASSIC-WHT-M,1\n');
  assert.deepEqual([half.status, half.counts.waiting], ['unmapped', 0]);
  assert.deepEqual(half.missing, ['contact_name', 'line1', 'city', 'postcode', 'country_code']);
  const many = Array.from({ length: 1_001 }, (_, index) => rowOf(shop, `M-${index}`));
  for (const [content, problem] of [
    ['a,b\n"1,2', 'content csv'],
    ['a,b\n\n', 'content required'],
    [[HEADINGS, ...many].join('\n'), 'content out_of_bounds'],
    [HEADINGS + '\n'.repeat(100_000), 'content out_of_bounds'],
    [`${HEADINGS}\n${','.repeat(100_000)}`, 'content out_of_bounds'],
    [`${HEADINGS},${'x'.repeat(201)}\n${rowOf(shop, 'L-1')}`, 'content out_of_bounds'],
  ] as const) {
    const answer = await shop.person.request('POST', '/order-files', { body: { name: 'x.csv', content } });
    assert.deepEqual([answer.status, problemsOf(answer)], [422, [problem]]);
  }
});

const letters = (count: number): string =>
  String.fromCharCode(...Array.from({ length: count }, (_, at) => 0x4e_00 + ((at * 7_919) % 20_000)));

test('a number that is too long is wrong, and an item with a long title in any script can be said', async () => {
  const shop = await openShop();
  const long = await takenOn(shop, await upload(shop, `${HEADINGS}\n${rowOf(shop, letters(4_000))}`));
  const [entry] = await entriesOf(shop, long);
  assert.deepEqual(
    [entry?.status, entry?.problems.map(({ row }) => row)],
    ['wrong', [2]],
    JSON.stringify(entry?.problems),
  );
  assert.match(entry?.problems[0]?.message ?? '', /shorter number: with its prefix it may have 255 characters/);
  const row = ['9001', letters(960), '', '1', 'Ada Byron', '12 Mill Lane', 'Leeds', 'LS1 4DY', 'GB'].join(',');
  const file = await takenOn(shop, await upload(shop, `${HEADINGS}\n${row}`));
  const { body } = await shop.person.request<OrderFileItems>('GET', `/order-files/${file.id}/items`);
  const said = await shop.person.request<OrderFile>('POST', `/order-files/${file.id}/items`, {
    body: { key: body.unknown[0]?.key ?? '', product_id: shop.productId, variant_sku: SKU },
  });
  assert.equal(said.status, 200, said.text);
});
