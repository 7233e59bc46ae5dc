import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { closeWindow, openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { servePicture, teeItem } from '../harness/shop.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, problemsOfColours } from './premises.ts';
import { openScene, type Scene, stateOf } from './shop-scene.ts';

// The list of orders says what a customer looks for in it: the number of the shop, what blocks, and when it is due.

let premises: Premises;
let scene: Scene;
let failed: CreatedOrder;
before(async () => {
  premises = await openPremises();
  scene = await openScene(premises);
  failed = await placeFailed();
});
after(() => premises.close());

/** An order with a picture that could not be made into its print file, and that cannot be cancelled any more. */
async function placeFailed(): Promise<CreatedOrder> {
  const { service } = premises;
  const artwork_url = await servePicture(service, '/damaged.png', { widthPx: 900, heightPx: 1_200, colour: '#204060' });
  const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url }] };
  const order = await placeOrder(service, { items: [{ ...teeItem(service, { decoration }), name: 'Club tee' }] });
  const floor = await openFloor(service, 'admin');
  await untilReady(floor, order.id);
  await closeWindow(service, order);
  await floor.post(`/orders/${order.id}/promote`);
  await leaveFailed(service, order);
  return order;
}

const widthOf = (page: Page): Promise<number> => page.evaluate('document.documentElement.scrollWidth');

/** Places an order of the connected shop; returns it as its customer reads it. */
async function placeByShop(number: string): Promise<Order> {
  const id = await scene.send({ number, items: [scene.known] });
  assert.equal(await stateOf(scene.owner, id), 'placed');
  const { body } = await premises.service.customer.request<{ data: Order[] }>(
    'GET',
    `/orders?number=${encodeURIComponent(number)}`,
  );
  return body.data[0] ?? assert.fail(`${number} is not found`);
}

describe('the number of a connected shop', () => {
  test('stands in the list, on the order and at home, and the search box finds the order by it', async () => {
    const order = await placeByShop('#4711');
    const { page, faults, close } = await premises.openWindow();
    for (const path of ['/portal/orders', `/portal/orders/${order.reference}`]) {
      await page.goto(path);
      await page.getByText('#4711').first().waitFor();
      assert.equal(await page.getByText(/chan_/).count(), 0, path);
    }
    await page.keyboard.press('/');
    await page.keyboard.type('4711');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/orders?number=4711');
    await page.getByRole('link', { name: order.reference }).waitFor();
    assert.equal(await page.getByRole('row').count(), 2);
    assert.deepEqual(faults, []);
    await close();
  });

  test('wraps where the page is 390 pixels wide, however long it is', async () => {
    const number = 'W'.repeat(90);
    const order = await placeByShop(number);
    const { page, close } = await premises.openWindow({ widthPx: 390, heightPx: 844 });
    for (const path of ['/portal/orders', `/portal/orders/${order.reference}`, `/portal/orders?number=${number}`]) {
      await page.goto(path);
      await page.getByText(number).first().waitFor();
      assert.equal(await widthOf(page), 390, path);
    }
    await close();
  });
});

describe('what blocks an order', () => {
  test('stands at home once it is confirmed, too, and its link opens the replacement of the artwork', async () => {
    const { page, faults, close } = await premises.openWindow();
    await page.goto('/portal');
    const needs = page.locator('section', { has: page.getByRole('heading', { name: 'Needs you' }) });
    await needs.getByRole('link', { name: failed.reference }).waitFor();
    await needs.getByText(/The print file for front on Club tee could not be made\. The picture is damaged/).waitFor();
    await needs.getByText('The street has no number.').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(needs.getByRole('link', { name: 'Replace the artwork' }));
    const dialog = page.getByRole('dialog', { name: 'Replace the artwork: Club tee, front' });
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await page.waitForURL(`**/portal/orders/${failed.reference}`);
    await press(page.getByRole('note').getByRole('link', { name: 'Replace the artwork' }));
    await dialog.waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test('narrows the list, which stands in the address, and the file of it', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { held, making } = premises.orders;
    await page.goto('/portal/orders');
    await page.getByRole('link', { name: making.reference }).waitFor();
    await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Needs you' }));
    await page.waitForURL('**/portal/orders?blocked_by=anything');
    await page.getByRole('link', { name: making.reference }).waitFor({ state: 'detached' });
    const row = page.getByRole('row').filter({ hasText: failed.reference });
    await row.getByText(/The picture is damaged/).waitFor();
    await row.getByText('No artwork').waitFor();
    await page.getByRole('row').filter({ hasText: held.reference }).getByText('The street has no number.').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.getByLabel('Blocked by').selectOption('hold');
    await page.waitForURL('**/portal/orders?blocked_by=hold');
    await page.getByRole('link', { name: failed.reference }).waitFor({ state: 'detached' });
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Save as CSV' }).click(),
    ]);
    const text = readFileSync((await saved.path()) ?? assert.fail('no file'), 'utf8');
    assert.deepEqual([text.includes(held.reference), text.includes(failed.reference)], [true, false]);
    assert.equal(saved.suggestedFilename(), 'orders.csv');
    assert.ok(saved.url().startsWith(`${premises.service.url}/`), `the browser streams it: ${saved.url()}`);
    assert.deepEqual(faults, []);
    await close();
  });

  test('is not saved when the service refuses it, and its words say why', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/orders');
    await page.getByRole('link', { name: premises.orders.held.reference }).waitFor();
    let saved = 0;
    page.on('download', () => {
      saved += 1;
    });
    await page.route('**/api/v1/orders?*', (route) =>
      route.fulfill({
        status: 503,
        json: { code: 'overloaded', title: 'Busy', detail: 'Too much is asked for now.', errors: [] },
      }),
    );
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    await page.getByText('Too much is asked for now.').waitFor();
    assert.equal(saved, 0);
    await close();
  });
});

test('when an order is due is said by the form before, and by the list and the order after it is placed', async () => {
  const { page, close } = await premises.openWindow();
  const { pending } = premises.orders;
  const { body: order } = await premises.service.customer.request<Order>('GET', `/orders/${pending.reference}`);
  const { latest } = order.expected_delivery ?? assert.fail('it is due at no day');
  const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' }).format(
    new Date(latest),
  );
  await page.goto('/portal/orders');
  await page
    .getByRole('row')
    .filter({ hasText: pending.reference })
    .getByText(new RegExp(`${day}$`))
    .first()
    .waitFor();
  await page.goto(`/portal/orders/${pending.reference}`);
  await page.getByText(new RegExp(`due .*${day}`)).waitFor();
  await page.goto(`/portal/new-order?from=${pending.reference}`);
  await page.getByText(new RegExp(`Arrives .* to \\w{3} ${day} when it is placed now`)).waitFor();
  await close();
});

test('the red of a cancel can be read in light and dark, and on a narrow page no row is wider than its panel', async () => {
  const { page, close } = await premises.openWindow({ widthPx: 390, heightPx: 844, scheme: 'light' });
  await page.goto(`/portal/orders/${premises.orders.pending.reference}`);
  await page.getByRole('button', { name: /^Cancel, within/ }).waitFor();
  assert.deepEqual(await problemsOfColours(page), []);
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  assert.deepEqual(await problemsOfColours(page), []);
  await page.goto('/portal/orders');
  await page.getByRole('link', { name: premises.orders.pending.reference }).waitFor();
  const excess =
    "document.querySelector('.platen-table').offsetWidth - document.querySelector('.platen-table-frame').clientWidth";
  assert.ok((await page.evaluate<number>(excess)) <= 0, 'the whole row is seen without moving it');
  await close();
});

describe('what a person is about to look at', () => {
  test('is there before they ask: the page after the one they leaf to, and the status that has the focus', async () => {
    const { service } = premises;
    for (let index = 0; index < 76; index += 1) {
      await placeOrder(service, { items: [{ ...teeItem(service), name: 'Club tee' }] });
    }
    const { page, context, close } = await premises.openWindow();
    await page.goto('/portal/orders');
    const first = page.getByRole('table').getByRole('link').first();
    const answered: string[] = [];
    page.on('response', (response) => answered.push(response.url()));
    const has = (what: string, query: RegExp, count: number) =>
      eventually(what, async () => answered.filter((url) => query.test(url)).length >= count);
    await first.waitFor();
    await page.keyboard.press('n');
    await has('the page and the one after it', /\/orders\?.*cursor=/, 2);
    await page.waitForURL('**cursor=**');
    const shown = await first.getAttribute('href');
    await context.setOffline(true);
    await page.keyboard.press('n');
    await page.waitForFunction(`document.querySelector('table a')?.getAttribute('href') !== ${JSON.stringify(shown)}`);
    await context.setOffline(false);
    const link = page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Delivered' });
    await link.focus();
    await has('those that are delivered', /\/orders\?.*status=delivered/, 1);
    await context.setOffline(true);
    await page.keyboard.press('Enter');
    await page.getByText('No order is like this.').waitFor();
    await close();
  });
});

describe('what the list is narrowed by', () => {
  const chip = (page: Page, words: string) => page.getByRole('button', { name: `${words}: take away`, exact: true });
  const filtersOf = (page: Page) => Object.fromEntries(new URL(page.url()).searchParams);

  test('is shown, each to be taken away, and is kept by the tabs, the order, a view and a file', async () => {
    const { page, faults, close } = await premises.openWindow();
    const number = 'SHOP-1004';
    await page.goto(`/portal/orders?type=bulk&number=${number}`);
    await chip(page, `Number ${number}`).waitFor();
    await chip(page, 'Without samples').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Cancelled' }));
    await page.waitForURL(/status=cancelled/);
    assert.deepEqual(filtersOf(page), { status: 'cancelled', type: 'bulk', number });
    await press(page.getByRole('columnheader', { name: 'Placed' }).getByRole('button'));
    await page.waitForURL(/sort=oldest/);
    assert.deepEqual(filtersOf(page), { status: 'cancelled', type: 'bulk', number, sort: 'oldest' });
    const saving = page.waitForEvent('download');
    await press(page.getByRole('button', { name: 'Save as CSV' }));
    const { searchParams } = new URL((await saving).url());
    assert.deepEqual([searchParams.get('type'), searchParams.get('number')], ['bulk', number]);
    await press(page.getByRole('button', { name: 'Views', exact: true }));
    await press(page.getByRole('menuitem', { name: 'Save this list as a view' }));
    const dialog = page.getByRole('dialog', { name: 'Save this list as a view' });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('Of the club');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.waitForURL(/saved=/);
    const { saved, ...rest } = filtersOf(page);
    assert.ok(saved !== undefined);
    assert.deepEqual(rest, { status: 'cancelled', type: 'bulk', number, sort: 'oldest' });
    await press(chip(page, 'Without samples'));
    await chip(page, 'Without samples').waitFor({ state: 'detached' });
    await press(chip(page, `Number ${number}`));
    await chip(page, `Number ${number}`).waitFor({ state: 'detached' });
    assert.deepEqual(filtersOf(page), { saved, status: 'cancelled', sort: 'oldest' });
    assert.deepEqual(faults, []);
    await close();
  });

  test('a status beside what needs the customer is shown, too, and what is blocked is let go by its field', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/orders?status=pending&blocked_by=payment&type=sample');
    await chip(page, 'Status Pending').waitFor();
    await chip(page, 'Only samples').waitFor();
    await page.getByLabel('Blocked by').selectOption({ label: 'Blocked or not' });
    await page.waitForURL((url) => !url.searchParams.has('blocked_by'));
    await chip(page, 'Status Pending').waitFor({ state: 'detached' });
    await page
      .getByRole('link', { name: 'Pending', exact: true, includeHidden: false })
      .and(page.locator('[aria-current]'))
      .waitFor();
    await close();
  });
});
