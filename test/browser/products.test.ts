import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import type { DesignedProduct } from '../../src/products/designer/designer-schema.ts';
import { eventually } from '../harness/context.ts';
import { focusOn, press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, WAIT_MS } from './premises.ts';

let premises: Premises;
let art: string;
before(async () => {
  premises = await openPremises();
  const { stranger } = premises.service;
  const circle =
    '<svg xmlns="http://www.w3.org/2000/svg" width="600" height="600"><circle cx="300" cy="300" r="290" fill="plum"/></svg>';
  const body = await sharp(Buffer.from(circle)).png().toBuffer();
  stranger.serve('/circle.png', { body, headers: { 'content-type': 'image/png' } });
  art = stranger.url('/circle.png');
});
after(() => premises.close());

type Stored = Pick<DesignedProduct, 'id' | 'name' | 'status' | 'print_areas'>;

async function stored(id: string): Promise<Stored> {
  const { body } = await premises.service.customer.request<Stored>('GET', `/products/${id}`);
  return body;
}

const idOf = (page: Page): string => /prod_\w+/.exec(page.url())?.[0] ?? '';
const artwork = (page: Page) => page.getByRole('button', { name: 'Artwork of the front' });
const readout = async (page: Page): Promise<string> => (await page.locator('.platen-readout').textContent()) ?? '';
const isSaved = (page: Page) => page.getByText('is saved.').first().waitFor();

/** Opens the designer of a new tee. */
async function newTee(page: Page): Promise<void> {
  await page.goto('/portal/products/new');
  await page.getByRole('button', { name: /^Classic tee/ }).click();
  await page.getByRole('heading', { level: 1, name: 'New classic tee' }).waitFor();
}

describe('designing a product', () => {
  test('by mouse: a file is dragged, made larger until it is soft, undone, saved where it lies, and shown in the gallery', async () => {
    const { page, faults, close } = await premises.openWindow();
    await page.goto('/portal/products');
    await page.getByRole('link', { name: 'Make a product' }).click();
    await page.getByRole('button', { name: /^Classic tee/ }).click();
    // The drop is a server of its own; what it answers is the address of the file.
    await page.route('**/portal/api/v1/uploads', (route) =>
      route.fulfill({
        status: 201,
        json: {
          upload_url: `${premises.service.url}/drop`,
          headers: [],
          upload_until: new Date(Date.now() + 600_000).toISOString(),
          url: art,
          kept_until: new Date().toISOString(),
        },
      }),
    );
    await page.route('**/drop', (route) => route.fulfill({ status: 201, json: {} }));
    const file = { name: 'circle.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await artwork(page).waitFor();
    await eventually('the sharpness', async () => (await readout(page)) === '280 × 280 mm · 54 dpi', WAIT_MS);
    await page.getByText('The artwork for front prints at 54 dpi; below 60 it looks soft.').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    const grip = page.locator('[data-grip="1,1"]');
    const corner = await grip.boundingBox();
    const box = await artwork(page).boundingBox();
    assert.ok(corner !== null && box !== null);
    await page.mouse.move(corner.x + corner.width / 2, corner.y + corner.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * 0.55, box.y + box.height * 0.55, { steps: 4 });
    await page.mouse.up();
    const smaller = await readout(page);
    await eventually('sharp', async () => (await page.locator('.platen-readout[data-soft]').count()) === 0, WAIT_MS);
    const [, width = ''] = /^(\d+) × \d+ mm/.exec(smaller) ?? [];
    assert.ok(Number(width) > 130 && Number(width) < 175, smaller);
    const now = await artwork(page).boundingBox();
    assert.ok(now !== null);
    await page.mouse.move(now.x + now.width / 2, now.y + now.height / 2);
    await page.mouse.down();
    await page.mouse.move(now.x + now.width / 2 + 40, now.y + now.height / 2 + 60, { steps: 4 });
    await page.mouse.up();
    const moved = await artwork(page).boundingBox();
    await page.getByRole('button', { name: 'Undo' }).click();
    const back = await artwork(page).boundingBox();
    assert.ok(moved !== null && back !== null && moved.y - back.y > 50, 'a whole drag is one step back');
    await page.getByRole('button', { name: 'Redo' }).click();
    await page.getByRole('list', { name: 'Mockups' }).getByRole('img', { name: 'In Navy' }).waitFor();
    await page.getByLabel('Name').fill('Plum tee');
    await page.getByLabel('Retail price, GBP').fill('24.50');
    await page.locator('summary', { hasText: 'Retail price and margin by variant' }).click();
    await page
      .getByRole('row', { name: /^White S / })
      .getByText(/^£\d+\.\d\d \(\d+(\.\d)? %\)$/)
      .waitFor();
    await page.getByRole('button', { name: 'Save and activate' }).click();
    await page.waitForURL('**/portal/products/prod_*');
    const { name, status, print_areas: areas } = await stored(idOf(page));
    const [front] = areas;
    assert.deepEqual([name, status, front?.print_area, front?.method], ['Plum tee', 'active', 'front', 'dtg']);
    assert.ok((front?.position.scale ?? 1) < 0.6 && (front?.position.y ?? 0) > 0.4, JSON.stringify(front));
    await page.goto('/portal/products?status=active');
    const card = page.getByRole('listitem').filter({ hasText: 'Plum tee' });
    await card.getByText(/^from £\d+\.\d\d$/).waitFor();
    await card.getByRole('link', { name: 'Order this: Plum tee' }).click();
    await page.getByRole('heading', { level: 2, name: 'Plum tee' }).waitFor();
    await page.getByRole('textbox', { name: /White M, pieces/ }).waitFor();
    assert.equal(new URL(page.url()).search, '', 'the address names it no longer');
    assert.deepEqual(faults, []);
    await close();
  });

  test('by keyboard: artwork is moved, made smaller, turned and undone; saved as a draft, activated, copied and archived', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newTee(page);
    await page.getByLabel('Address or file', { exact: true }).fill(art);
    await artwork(page).waitFor();
    await focusOn(artwork(page));
    for (const key of ['ArrowRight', 'Shift+ArrowDown', '-', '-', ']', 'Control+z', 'Shift+]'])
      await page.keyboard.press(key);
    await focusOn(page.getByLabel('Name'));
    await page.keyboard.type('Turned tee');
    await page.keyboard.press('Control+s');
    await page.waitForURL('**/portal/products/prod_*');
    const id = idOf(page);
    const draft = await stored(id);
    const { x, y, scale, rotation } = draft.print_areas[0]?.position ?? { x: 0, y: 0, scale: 0, rotation: 0 };
    assert.deepEqual([draft.status, draft.name, rotation], ['draft', 'Turned tee', 15]);
    assert.deepEqual(
      [x, y].map((part) => part.toFixed(4)),
      [(151 / 300).toFixed(4), (210 / 400).toFixed(4)],
    );
    assert.ok(Math.abs(scale - 280 / 300 / 1.05 ** 2) < 0.001, `${scale}`);
    await press(page.getByRole('button', { name: 'Save and activate' }));
    await isSaved(page);
    await eventually('active', async () => (await stored(id)).status === 'active', WAIT_MS);
    await press(page.getByRole('button', { name: 'Duplicate' }));
    await page.getByRole('heading', { level: 1, name: 'Turned tee (copy)' }).waitFor();
    const copyId = idOf(page);
    assert.notEqual(copyId, id);
    assert.deepEqual((await stored(copyId)).print_areas, draft.print_areas);
    await press(page.getByRole('button', { name: 'Archive' }));
    const dialog = page.getByRole('dialog', { name: 'Archive Turned tee (copy)?' });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('archive');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    assert.equal((await stored(copyId)).status, 'archived');
    await page.goto('/portal/products?status=archived');
    await page.getByRole('link', { name: 'Turned tee (copy)' }).waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test('what the service refuses stands there in its words, and another’s change is not overwritten', async () => {
    const { page, close } = await premises.openWindow();
    await newTee(page);
    await page.getByLabel('Address or file', { exact: true }).fill(premises.service.stranger.url('/nowhere.png'));
    await page.locator('.mantine-TextInput-error').first().waitFor();
    await page.getByRole('button', { name: 'Save as a draft' }).click();
    await page.getByRole('alert').filter({ hasText: 'name' }).first().waitFor();
    await page.getByLabel('Name').fill('Shared tee');
    await page.getByRole('button', { name: 'Save as a draft' }).click();
    await page.waitForURL('**/portal/products/prod_*');
    const id = idOf(page);
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await premises.service.customer.request('PATCH', `/products/${id}`, { description: 'By another person.' });
    await page.getByLabel('Name').fill('Mine');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('alert').getByText('This product was changed meanwhile.').waitFor();
    assert.equal((await stored(id)).name, 'Shared tee');
    await close();
  });
});

test('the search box of the gallery follows the address: back, and all products shown again', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/products');
  const box = page.getByRole('searchbox', { name: 'Search by name, tag, garment or SKU' });
  await box.fill('nothing has this name');
  await page.waitForURL('**/portal/products?q=nothing+has+this+name');
  await page.getByText('No product here is like this.').waitFor();
  await page.goBack();
  await page.waitForURL('**/portal/products');
  await eventually('the box is empty', async () => (await box.inputValue()) === '', WAIT_MS);
  await page.goForward();
  await eventually('the words are there', async () => (await box.inputValue()) === 'nothing has this name', WAIT_MS);
  await press(page.getByRole('button', { name: 'Show all products' }));
  await page.waitForURL('**/portal/products');
  await eventually('the box is empty', async () => (await box.inputValue()) === '', WAIT_MS);
  await page.getByRole('list', { name: 'Products' }).waitFor();
  assert.equal(new URL(page.url()).search, '');
  await close();
});

test('the print areas with a warning are marked before anything is saved', async () => {
  const { page, close } = await premises.openWindow();
  await newTee(page);
  const area = (name: string | RegExp) => page.getByRole('group', { name: 'Print area' }).getByRole('button', { name });
  await page.getByLabel('Address or file', { exact: true }).fill(art);
  await artwork(page).waitFor();
  await area('Front ● with a warning').waitFor();
  await press(area('Back'));
  await page.getByText('No artwork here.').waitFor();
  await area('Front ● with a warning').waitFor();
  assert.equal(await area('Back with a warning').count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(area(/^Front/));
  await focusOn(artwork(page));
  for (let times = 0; times < 12; times += 1) await page.keyboard.press('-');
  await area('Front ● with a warning').waitFor({ state: 'detached' });
  await close();
});
