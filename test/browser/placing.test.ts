import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { servePicture } from '../harness/shop.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, WAIT_MS } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

type Listed = { data: { source: string; external_reference: string; total: number; items: { qty: number }[] }[] };

/** The newest orders of the account, as its own token reads them. */
async function newest(limit: number): Promise<Listed['data']> {
  const { body } = await premises.service.customer.request<Listed>('GET', `/orders?limit=${limit}`);
  return body.data;
}

/** Fills the form in by keyboard: three pieces of the demo's tee, blank, to an address that is pasted. */
async function fillIn(page: Page, { isOpen = false } = {}): Promise<void> {
  if (!isOpen) await page.goto('/portal/new-order');
  await page.getByRole('button', { name: /^Add / }).first().waitFor();
  const { name } = (
    await premises.service.customer.request<{ name: string }>(
      'GET',
      `/products/${premises.service.demo.products.fixed}`,
    )
  ).body;
  await page.getByLabel('Search your products').fill(name);
  await page.keyboard.press('Enter');
  await page.getByRole('textbox', { name: /White M, pieces/ }).fill('3');
  await page.getByLabel('What is printed').selectOption({ label: 'Nothing: blank pieces' });
  await page.getByLabel('Paste an address').fill('Ada Byron\n12 Mill Lane\nLeeds\nLS1 4AP\nUnited Kingdom');
  await press(page.getByRole('button', { name: 'Fill in the fields' }));
}

describe('placing an order by the form', () => {
  test('the price follows the form; a double click and a lost answer place one order, charged once', async () => {
    const { page, faults, close } = await premises.openWindow();
    await fillIn(page);
    assert.equal(await page.getByLabel('Postcode').inputValue(), 'LS1 4AP');
    const place = page.getByRole('button', { name: 'Place the order' });
    await page.getByText(/Arrives .* to .* when it is placed now/).waitFor();
    const priced = await page.locator('dd strong').textContent();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(place);
    const dialog = page.getByRole('dialog', { name: `Place this order for ${priced}?` });
    await dialog.getByText('3 pieces for Ada Byron, Leeds').waitFor();
    const confirm = dialog.getByRole('button', { name: 'Place the order' });
    // The service places the order, and its answer never arrives.
    let sent = 0;
    await page.route('**/api/v1/orders', async (route) => {
      sent += 1;
      await route.fetch();
      await route.abort();
    });
    await confirm.dblclick({ noWaitAfter: true });
    await dialog.getByRole('alert').getByText('No connection').waitFor();
    assert.equal(sent, 1, 'a double click sends once');
    await page.unroute('**/api/v1/orders');
    await confirm.click();
    await page.waitForURL('**/portal/orders/PF-*');
    await page.getByRole('heading', { level: 1, name: /^PF-/ }).waitFor();
    const [order, before] = await newest(2);
    assert.deepEqual([order?.source, order?.items.map(({ qty }) => qty)], ['portal', [3]]);
    assert.match(order?.external_reference ?? '', /^WEB-[A-Z2-9]{12}$/);
    assert.equal(`£${order?.total.toFixed(2)}`, priced);
    assert.equal(before?.source, 'api', 'one order was placed');
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('ERR_FAILED')),
      [],
    );
    await close();
  });

  test('what the service refuses stands at its field, in its words, and nothing can be placed meanwhile', async () => {
    const { page, close } = await premises.openWindow();
    await fillIn(page);
    const field = page.getByRole('main').getByLabel('Email');
    await field.fill('no address');
    await page.locator('.mantine-TextInput-error', { hasText: /must/ }).waitFor();
    const described = await field.getAttribute('aria-describedby');
    assert.match((await page.locator(`#${described ?? ''}`).textContent()) ?? '', /must/);
    assert.equal(await page.getByRole('button', { name: 'Place the order' }).isDisabled(), true);
    await page.getByLabel('What is printed').selectOption({ label: 'Other artwork, for this order' });
    const artwork = page.getByLabel(/^Artwork of the/).first();
    await artwork.fill('https://drive.google.com/file/d/1a2B3c4D5e6F7g8H9i0J/view?usp=sharing');
    await page.keyboard.press('Tab');
    assert.equal(
      await artwork.inputValue(),
      'https://drive.usercontent.google.com/download?id=1a2B3c4D5e6F7g8H9i0J&export=download',
    );
    // This service has no drop.
    const file = { name: 'front.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
    await page.locator('input[type=file]').first().setInputFiles(file);
    await page.getByText('Files cannot be left here. Put the picture at an https address').waitFor();
    await close();
  });

  test('an upload that ends late leaves alone what was typed meanwhile, and a removed product stays away', async () => {
    const { page, close } = await premises.openWindow();
    await fillIn(page);
    await page.getByLabel('What is printed').selectOption({ label: 'Other artwork, for this order' });
    const fields = page.getByLabel(/^Artwork of the/);
    const files = page.locator('input[type=file]');
    const file = { name: 'front.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
    const held: (() => void)[] = [];
    await page.route('**/uploads', async (route) => {
      const number = held.length;
      await new Promise<void>((resolve) => held.push(resolve));
      const permit = {
        upload_url: `${premises.service.url}/drop`,
        headers: [],
        upload_until: new Date(Date.now() + 600_000).toISOString(),
        url: `https://drop.example/${number}.png`,
      };
      // The page may have given it up meanwhile.
      await route.fulfill({ status: 201, json: { ...permit, kept_until: new Date().toISOString() } }).catch(() => {});
    });
    await page.route('**/drop', (route) => route.fulfill({ status: 201, json: {} }));
    const isHeld = (count: number) => eventually(`${count} uploads are under way`, () => held.length === count);
    await files.nth(0).setInputFiles(file);
    await isHeld(1);
    await files.nth(1).setInputFiles(file);
    await isHeld(2);
    await page.getByText('Wait for the upload to end.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Place the order' }).isDisabled(), true);
    await page.getByRole('textbox', { name: /White M, pieces/ }).fill('30');
    for (const release of held) release();
    const addresses = async () => `${await fields.nth(0).inputValue()} ${await fields.nth(1).inputValue()}`;
    const both = 'https://drop.example/0.png https://drop.example/1.png';
    await eventually('both addresses', async () => (await addresses()) === both, WAIT_MS);
    assert.equal(await page.getByRole('textbox', { name: /White M, pieces/ }).inputValue(), '30');
    await files.nth(0).setInputFiles(file);
    await isHeld(3);
    // With its field the upload goes, too.
    const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/uploads'));
    await page.getByRole('button', { name: /^Remove / }).click();
    await ended;
    held[2]?.();
    // What the end of the upload draws is drawn by the frame after the next.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    assert.equal(await fields.count(), 0);
    await close();
  });

  test('a price is confirmed for the form as it is, or not at all', async () => {
    const { page, context, close } = await premises.openWindow();
    await fillIn(page);
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    const isEnabled = () => eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    await isEnabled();
    await context.setOffline(true);
    await page.getByRole('textbox', { name: /White M, pieces/ }).fill('30');
    // Longer than the form waits before it asks.
    await page.waitForTimeout(1_000);
    assert.equal(await place.isDisabled(), true, 'the price is that of three pieces');
    await context.setOffline(false);
    await isEnabled();
    await place.click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Place the order' });
    await dialog.getByText('30 pieces for Ada Byron').waitFor();
    assert.equal(await confirm.isEnabled(), true);
    await page.route('**/orders/estimate', async (route) => {
      const answer = await route.fetch();
      const estimate = (await answer.json()) as { total: number };
      await route.fulfill({ response: answer, json: { ...estimate, total: estimate.total + 1 } });
    });
    // Coming back to the tab asks for the price again.
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await dialog.getByText('The order or its price has changed meanwhile').waitFor();
    assert.equal(await confirm.isDisabled(), true);
    await close();
  });

  test('an open question ends when the price cannot be asked for again, and the service refuses another total', async () => {
    const { page, close } = await premises.openWindow();
    await fillIn(page);
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    const isEnabled = () => eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    await isEnabled();
    await place.click();
    const dialog = page.getByRole('dialog');
    const confirm = dialog.getByRole('button', { name: 'Place the order' });
    await page.route('**/orders/estimate', (route) => route.abort());
    await page.evaluate("dispatchEvent(new Event('visibilitychange'))");
    await dialog.getByText('The order or its price has changed meanwhile').waitFor();
    assert.equal(await confirm.isDisabled(), true);
    await dialog.getByRole('button', { name: 'Not yet' }).click();
    await page.unroute('**/orders/estimate');
    await page.route('**/orders/estimate', async (route) => {
      const answer = await route.fetch();
      const estimate = (await answer.json()) as { total: number };
      await route.fulfill({ response: answer, json: { ...estimate, total: estimate.total + 1 } });
    });
    await page.getByRole('textbox', { name: /White M, pieces/ }).fill('4');
    await isEnabled();
    await place.click();
    await confirm.click();
    await dialog.getByText(/The order costs .* now, not/).waitFor();
    await close();
  });

  test('a number that an order has already places nothing; after a lost answer the emptied form has another', async () => {
    const { page, close } = await premises.openWindow();
    await fillIn(page);
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    const isEnabled = () => eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    const used = page.getByRole('note').filter({ hasText: 'nothing new would be placed' });
    await isEnabled();
    await page.getByLabel('Your number').fill('SHOP-1001');
    await used.getByRole('link', { name: premises.orders.sent.reference }).waitFor();
    assert.equal(await place.isDisabled(), true);
    await page.getByLabel('Your number').fill('');
    await isEnabled();
    await page.route('**/api/v1/orders', async (route) => {
      await route.fetch();
      await route.abort();
    });
    await place.click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Place the order' }).click();
    await dialog.getByRole('alert').getByText('No connection').waitFor();
    await page.unroute('**/api/v1/orders');
    await dialog.getByRole('button', { name: 'Not yet' }).click();
    const [lost] = await newest(1);
    await page.getByRole('textbox', { name: /White M, pieces/ }).fill('4');
    await used.waitFor();
    assert.equal(await place.isDisabled(), true);
    await used.getByRole('button', { name: 'Empty the form' }).click();
    await fillIn(page, { isOpen: true });
    await isEnabled();
    await place.click();
    await dialog.getByRole('button', { name: 'Place the order' }).click();
    await page.waitForURL('**/portal/orders/PF-*');
    const [order, before] = await newest(2);
    assert.equal(before?.external_reference, lost?.external_reference);
    assert.notEqual(order?.external_reference, lost?.external_reference);
    await close();
  });

  test('a personalised piece: photos from files, font and colour, the proof first; what is wrong stands at its field', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { service } = premises;
    const pictures = await Promise.all(
      ['teal', 'orange'].map((colour) => servePicture(service, `/${colour}.png`, { colour })),
    );
    await page.goto('/portal/new-order');
    await press(page.getByRole('button', { name: /^Add Family album tee/ }));
    await page.getByRole('textbox', { name: /Ecru M, pieces/ }).fill('1');
    await page.getByLabel('Paste an address').fill('Ada Byron\n12 Mill Lane\nLeeds\nLS1 4AP\nUnited Kingdom');
    await press(page.getByRole('button', { name: 'Fill in the fields' }));
    const text = page.getByRole('textbox', { name: /^Your line/ });
    const wrong = page.locator('.mantine-TextInput-error');
    const required = wrong.filter({ hasText: /required|must/ });
    await required.waitFor();
    assert.equal(await page.getByRole('button', { name: 'Place the order' }).isDisabled(), true);
    await text.fill('A line that is longer than its twenty-four letters');
    await wrong.filter({ hasText: '24' }).waitFor();
    await text.fill('Ada & Byron');
    await wrong.waitFor({ state: 'detached' });
    await page.getByLabel('Font of Your line').selectOption('Pacifico');
    await page.getByLabel('Colour of Your line').fill('#aa2200');

    // Two photos are left, one after the other; more than there is room for are not begun.
    let permits = 0;
    await page.route('**/uploads', async (route) => {
      permits += 1;
      const upload_until = new Date(Date.now() + 600_000).toISOString();
      const permit = {
        upload_url: `${service.url}/drop`,
        headers: [],
        upload_until,
        kept_until: upload_until,
        url: pictures[permits - 1],
      };
      await route.fulfill({ status: 201, json: permit });
    });
    await page.route('**/drop', (route) => route.fulfill({ status: 201, json: {} }));
    const file = { name: 'photo.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
    const files = page.locator('input[type=file][multiple]');
    const photos = page.getByRole('textbox', { name: /^Photos/ });
    await files.setInputFiles(Array.from({ length: 7 }, () => file));
    await page.getByText('There is room for 6 pictures').waitFor();
    assert.equal(permits, 0);
    await files.setInputFiles([file, file]);
    await eventually('both addresses', async () => (await photos.inputValue()) === pictures.join('\n'), WAIT_MS);
    assert.equal(permits, 2);

    await press(page.getByRole('button', { name: 'Show the proof' }));
    const proof = page.getByRole('img', { name: 'Proof of what is printed on front' });
    await proof.and(page.locator('img:not([data-unseen])')).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.getByText('Something was changed since').waitFor({ state: 'detached' });
    await text.fill('Ada & Charles');
    await page.getByText('Something was changed since').waitFor();

    const sent = page.waitForRequest(
      (request) => request.url().endsWith('/api/v1/orders') && request.method() === 'POST',
    );
    await page.getByRole('main').getByRole('button', { name: 'Place the order' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Place the order' }).click();
    await page.waitForURL('**/portal/orders/PF-*');
    const { items } = (await sent).postDataJSON() as { items: { decoration: unknown }[] };
    const inputs = {
      line: 'Ada & Charles',
      'line#font': 'Pacifico',
      'line#color': '#aa2200',
      photos: JSON.stringify(pictures),
    };
    assert.deepEqual(
      items.map(({ decoration }) => decoration),
      [{ personalisation: { inputs } }],
    );
    // The console names what the service refused, which this test asked for.
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('status of 422')),
      [],
    );
    await close();
  });
});
