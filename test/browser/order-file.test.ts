import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openRole } from '../harness/portal.ts';
import { balancePence, rows } from '../harness/written.ts';
import { press } from './keys.ts';
import { choose, commandsOf, openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const ORDERS = 500;
const BAD = 40;
const LONG_MS = 60_000;

/** A file of 500 orders, of which every twelfth asks for no number of pieces until there are 40. */
function fileOf(name: string): string {
  const lines = Array.from({ length: ORDERS }, (_, index) => {
    const isBad = index % 12 === 0 && index / 12 < BAD;
    return `S-${index},${name},TEE-CLASSIC-WHT-M,${isBad ? 'many' : 1},none,Ada Byron,"12 Mill Lane, Flat ${index}",Leeds,LS1 4DY,United Kingdom`;
  });
  const headings =
    'Order;Product;SKU;Quantity;Print areas;Shipping Name;Shipping Address1;Shipping City;Shipping Zip;Shipping Country';
  return [headings.replaceAll(';', ','), ...lines].join('\r\n');
}

async function leave(page: Page, name: string, text: string): Promise<void> {
  await page.goto('/portal/order-file');
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await page.locator('input[type=file]').setInputFiles({ name, mimeType: 'text/csv', buffer: Buffer.from(text) });
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function placeAll(page: Page, count: number): Promise<number> {
  const button = page.getByRole('main').getByRole('button', { name: `Place ${count} orders` });
  await button.waitFor({ timeout: LONG_MS });
  await press(button);
  const dialog = page.getByRole('dialog');
  const title = (await dialog.getByRole('heading').textContent()) ?? '';
  await dialog.getByRole('button', { name: `Place ${count} orders` }).dblclick();
  await page.getByText('Done', { exact: true }).waitFor({ timeout: LONG_MS });
  return Math.round(Number(/£([\d,]+\.\d\d)/.exec(title)?.[1]?.replaceAll(',', '')) * 100);
}

test('500 orders of which 40 are wrong: 460 are placed, the rest is mended and placed, none twice, at the sums shown', async () => {
  const { service } = premises;
  await rows(service, "update stock set on_hand = on_hand + 10000 where sku = 'TEE-CLASSIC-WHT-M' returning sku");
  const { body } = await service.customer.request<{ name: string }>('GET', `/products/${service.demo.products.fixed}`);
  const before = await balancePence(service, service.customer);
  const { page, faults, close } = await premises.openWindow();
  await leave(page, 'october.csv', fileOf(body.name));
  await page.getByRole('link', { name: `To be mended (${BAD})` }).waitFor({ timeout: LONG_MS });
  assert.deepEqual(await problemsOfAxe(page), []);
  const placedOf =
    "select count(*)::integer as count from orders where account_id = $1 and external_reference like 'S-%'";
  const placed = async () => (await rows<{ count: number }>(service, placedOf, [service.customer.accountId]))[0]?.count;
  assert.equal(await placed(), 0, 'nothing before it is confirmed');
  const first = await placeAll(page, ORDERS - BAD);
  assert.equal(await placed(), ORDERS - BAD);
  assert.equal(before - (await balancePence(service, service.customer)), first);
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save rows to mend' }).click();
  const open = await readFile(await (await download).path(), 'utf8');
  assert.equal(open.trim().split('\r\n').length, BAD + 1);
  assert.match(open, /S-0,.*wrong,,Quantity: must be/);
  await leave(page, 'mended.csv', open.replaceAll(',many,', ',1,'));
  const second = await placeAll(page, BAD);
  assert.equal(await placed(), ORDERS);
  assert.equal(before - (await balancePence(service, service.customer)), first + second);
  assert.deepEqual(faults, []);
  await close();
});

test('a file is removed from the palette after a question, and is not in the list any more', async () => {
  const { page, faults, close } = await premises.openWindow();
  await leave(page, 'kept.csv', fileOf('Fern tee'));
  await leave(page, 'unwanted.csv', fileOf('Fern hoodie'));
  await choose(page, 'Remove the file');
  const dialog = page.getByRole('dialog', { name: 'Remove this file?' });
  await press(dialog.getByRole('button', { name: 'Keep it' }));
  await dialog.waitFor({ state: 'detached' });
  await choose(page, 'Remove the file');
  await press(dialog.getByRole('button', { name: 'Remove the file' }));
  await page.getByRole('heading', { level: 1, name: 'Orders from a file' }).waitFor();
  await page.getByRole('link', { name: 'kept.csv' }).waitFor();
  assert.equal(await page.getByRole('link', { name: 'unwanted.csv' }).count(), 0);
  assert.deepEqual(faults, []);
  await close();
});

test('who may only read sees a file and its plan, and no button that uploads, places or removes', async () => {
  const { page, close } = await premises.openWindow();
  await leave(page, 'readers.csv', fileOf('Fern hoodie'));
  await page.getByRole('main').getByRole('button', { name: 'Remove' }).waitFor();
  const address = page.url();
  await close();
  for (const [role, count] of [
    ['reader', 0],
    ['orders', 1],
  ] as const) {
    const { person } = await openRole(premises.service, role);
    const window = await premises.openWindow({ isSignedIn: false });
    await signIn(premises.service, window.context, person.email);
    await window.page.goto(address);
    const button = (name: string | RegExp): Promise<number> =>
      window.page.getByRole('main').getByRole('button', { name }).count();
    await window.page.getByRole('button', { name: 'Save results' }).waitFor();
    await window.page.getByRole('link', { name: `To be mended (${ORDERS})` }).waitFor({ timeout: LONG_MS });
    const columns = window.page.getByRole('heading', { name: 'Columns' });
    assert.deepEqual([await button('Remove'), await columns.count()], [count, count], role);
    assert.equal((await commandsOf(window.page)).includes('Remove the file'), count === 1, role);
    await window.page.goto('/portal/order-file');
    await window.page.getByRole('link', { name: 'readers.csv' }).waitFor();
    assert.equal(await button('Choose a file'), count, role);
    await window.close();
  }
});

const ETSY =
  'Sale Date,Item Name,Quantity,Ship Name,Ship Address1,Ship City,Ship Zipcode,Ship Country,Order ID,Variations,SKU';

function soldOf(order: number, item: string): string {
  return `01/11/26,${item},1,Ada Byron,12 Mill Lane,Leeds,LS1 4DY,United Kingdom,77${order},"Size:M,Colour:White",`;
}

test('an export of Etsy whose items have names of their own: by keyboard each is said once, and later files know it', async () => {
  const { service } = premises;
  const { body } = await service.customer.request<{ name: string }>('GET', `/products/${service.demo.products.fixed}`);
  const content = (from: number): string =>
    [
      ETSY,
      soldOf(from, 'A shirt for gardeners'),
      soldOf(from + 1, 'A shirt for gardeners'),
      soldOf(from + 2, 'A mug'),
    ].join('\n');
  const { page, faults, close } = await premises.openWindow();
  await leave(page, 'etsy.csv', content(1));
  await page.getByRole('link', { name: 'To be mended (3)' }).waitFor({ timeout: LONG_MS });
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Choose a product: A shirt for gardeners - M / White' }));
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Search your products').fill(body.name);
  await press(dialog.getByRole('button', { name: `Choose ${body.name}` }));
  await dialog.getByLabel('Colour and size').selectOption({ label: 'White / M' });
  await press(dialog.getByRole('button', { name: 'It is this' }));
  const said = page.getByRole('status').filter({ hasText: 'A shirt for gardeners' });
  await said.waitFor();
  await page.getByRole('link', { name: 'Ready (2)' }).waitFor({ timeout: LONG_MS });
  await press(page.getByRole('button', { name: 'Not ours: A mug - M / White' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'It is not made here' }));
  await page.getByRole('link', { name: 'Not made here (1)' }).waitFor({ timeout: LONG_MS });
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.waitForFunction('document.documentElement.scrollWidth === 390');
  await page.setViewportSize({ width: 1280, height: 800 });
  await placeAll(page, 2);
  await leave(page, 'etsy-later.csv', content(10));
  await page.getByRole('link', { name: 'Ready (2)' }).waitFor({ timeout: LONG_MS });
  await page.getByRole('link', { name: 'Not made here (1)' }).waitFor();
  assert.deepEqual(faults, []);
  await close();
});
