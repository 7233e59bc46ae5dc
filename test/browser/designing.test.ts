import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { openRole } from '../harness/portal.ts';
import { servePicture } from '../harness/shop.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, type Premises, signIn, WAIT_MS } from './premises.ts';

let premises: Premises;
let art: string;
before(async () => {
  premises = await openPremises();
  art = await servePicture(premises.service, '/plum.png', { colour: '#c2255c' });
});
after(() => premises.close());

const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const isSaved = (page: Page): Promise<void> => page.getByText('The draft is saved').waitFor();

/** Makes a personalised cap with one text. */
async function newCap(page: Page, name: string): Promise<void> {
  await page.goto('/portal/templates');
  await page.getByRole('button', { name: 'New personalised product' }).click();
  await field(page, 'Name').fill(name);
  await page.getByLabel('Printed on').selectOption({ label: 'Twill cap' });
  await page.getByRole('button', { name: 'Create it' }).press('Enter');
  await heading(page, name);
  await press(page.getByRole('button', { name: 'Add text' }));
  await field(page, 'Left').waitFor();
  await isSaved(page);
}

/** Opens the designer of a new tee. */
async function newTee(page: Page): Promise<void> {
  await page.goto('/portal/products/new');
  await page.getByRole('button', { name: /^Classic tee/ }).click();
  await heading(page, 'New classic tee');
}

/** Types into a field by keys, in place of what it has. */
async function type(page: Page, target: Locator, text: string): Promise<void> {
  await focusOn(target);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** A pixel of the cap is 0.4 mm. */
const NEAR = 0.3;

describe('the figures of a layer', () => {
  test('are what was typed by keys, though they count in whole pixels', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newCap(page, 'Typed cap');
    for (const [name, typed] of Object.entries({ Width: '61.5', Left: '15', 'Largest size, pt': '24' })) {
      await type(page, field(page, name), typed);
      assert.equal(await field(page, name).inputValue(), typed, `${name} while it is typed`);
      await page.keyboard.press('Tab');
      const left = Number(await field(page, name).inputValue());
      assert.ok(Math.abs(left - Number(typed)) < 2 * NEAR, `${name} once it is left: ${left}`);
    }
    await isSaved(page);
    await page.reload();
    await press(page.getByRole('button', { name: 'Your text', exact: true }).first());
    const left = Number(await field(page, 'Left').inputValue());
    assert.ok(Math.abs(left - 15) < NEAR, `stored: ${left}`);
    assert.deepEqual(faults, []);
    await close();
  });

  test('follow an arrow, an undo, and what a layer cannot have', async () => {
    const { page, close } = await premises.openWindow();
    await newCap(page, 'Moved cap');
    await type(page, field(page, 'Left'), '15');
    await page.keyboard.press('Tab');
    await focusOn(page.getByRole('group', { name: /^Front panels/ }).getByRole('button', { name: 'Your text' }));
    await page.keyboard.press('ArrowRight');
    const left = async (): Promise<number> => Number(await field(page, 'Left').inputValue());
    await eventually('it is a millimetre on', async () => Math.abs((await left()) - 16) < 2 * NEAR, WAIT_MS);
    await press(page.getByRole('button', { name: 'Undo' }));
    await eventually('it is back', async () => Math.abs((await left()) - 15) < NEAR, WAIT_MS);
    await type(page, field(page, 'Width'), '9999');
    await page.keyboard.press('Tab');
    await eventually(
      'no wider than its area',
      async () => Number(await field(page, 'Width').inputValue()) < 200,
      WAIT_MS,
    );
    await close();
  });
});

describe('the address of an artwork', () => {
  test('can be given again after the artwork was taken off', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newTee(page);
    const address = page.getByLabel('Address or file', { exact: true });
    const artwork = page.getByRole('button', { name: 'Artwork of the front' });
    for (const _ of [1, 2]) {
      await address.fill(art);
      await artwork.waitFor();
      await press(page.getByRole('button', { name: 'Take it off' }));
      await artwork.waitFor({ state: 'detached' });
      assert.equal(await address.inputValue(), '');
    }
    await address.fill(art);
    await artwork.waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test('is that of the file as soon as a share link is pasted, and the page around it is never fetched', async () => {
    const { page, close } = await premises.openWindow();
    await newTee(page);
    const asked: string[] = [];
    await page.route('**/portal/api/v1/designs', async (route) => {
      asked.push((route.request().postDataJSON() as { artwork_url: string }).artwork_url);
      const errors = [{ path: 'artwork_url', code: 'download_failed', message: 'It cannot be fetched here.' }];
      await route.fulfill({ status: 422, json: { code: 'validation_failed', title: 'No', detail: 'No', errors } });
    });
    const address = page.getByLabel('Address or file', { exact: true });
    await focusOn(address);
    await page.keyboard.insertText('https://www.dropbox.com/s/a1b2c3d4e5/plum.png?dl=0');
    await page.getByText('It cannot be fetched here.').waitFor();
    const file = 'https://www.dropbox.com/s/a1b2c3d4e5/plum.png?dl=1';
    assert.deepEqual(asked, [file]);
    await page.keyboard.press('Tab');
    await eventually('it shows the address of the file', async () => (await address.inputValue()) === file, WAIT_MS);
    await page.getByText('A share link of Dropbox: the file itself is fetched.').waitFor();
    assert.deepEqual(asked, [file]);
    await address.fill('https://shop.example/plum.png');
    await page.getByText('A share link of Dropbox').waitFor({ state: 'detached' });
    await close();
  });
});

describe('undoing by keys', () => {
  test('Ctrl-Shift-Z does again what Ctrl-Z has undone', async () => {
    const { page, close } = await premises.openWindow();
    await newTee(page);
    await page.getByLabel('Address or file', { exact: true }).fill(art);
    const artwork = page.getByRole('button', { name: 'Artwork of the front' });
    await artwork.waitFor();
    await focusOn(artwork);
    const readout = page.locator('.platen-readout');
    await page.keyboard.press(']');
    await eventually('turned', async () => (await readout.textContent())?.includes('· 1°') === true, WAIT_MS);
    await page.keyboard.press('Control+z');
    await eventually('straight', async () => (await readout.textContent())?.includes('°') === false, WAIT_MS);
    await page.keyboard.press('Control+Shift+Z');
    await eventually('turned again', async () => (await readout.textContent())?.includes('· 1°') === true, WAIT_MS);
    await close();
  });

  test('in a field of text, they undo what was typed and leave the design alone', async () => {
    const { page, close } = await premises.openWindow();
    await newTee(page);
    await page.getByLabel('Address or file', { exact: true }).fill(art);
    const artwork = page.getByRole('button', { name: 'Artwork of the front' });
    await artwork.waitFor();
    await focusOn(artwork);
    await page.keyboard.press(']');
    const readout = page.locator('.platen-readout');
    await eventually('turned', async () => (await readout.textContent())?.includes('· 1°') === true, WAIT_MS);
    await focusOn(page.getByLabel('Retail price, GBP'));
    for (const key of ['Control+z', 'Control+z']) await page.keyboard.press(key);
    await type(page, field(page, 'Name'), 'Plum');
    // A browser takes what was typed slowly for several steps.
    const undone = async (): Promise<boolean> => {
      await page.keyboard.press('Control+z');
      return (await field(page, 'Name').inputValue()) === '';
    };
    await eventually('the name is undone', undone, WAIT_MS);
    assert.match((await readout.textContent()) ?? '', /· 1°/);
    await close();
  });
});

test('the page of a personalised product leads to its design, which a reader may look at', async () => {
  const { page, faults, close } = await premises.openWindow();
  await newCap(page, 'Linked cap');
  const id = /prod_\w+/.exec(page.url())?.[0] ?? assert.fail('its address has its id');
  await page.goto(`/portal/products/${id}`);
  await press(page.getByRole('link', { name: 'Change the design' }));
  await page.waitForURL(`**/portal/templates/${id}`);
  await heading(page, 'Linked cap');
  await page.goBack();
  await heading(page, 'Linked cap');
  await choose(page, 'Change the design');
  await page.waitForURL(`**/portal/templates/${id}`);
  assert.deepEqual(faults, []);
  await close();
  const { person } = await openRole(premises.service, 'reader');
  const other = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, other.context, person.email);
  await other.page.goto(`/portal/products/${id}`);
  await other.page.getByRole('link', { name: 'Look at the design' }).click();
  await other.page.waitForURL(`**/portal/templates/${id}`);
  assert.equal(await other.page.getByRole('button', { name: 'Publish' }).count(), 0);
  await other.close();
});

test('the page of a personalised product has its prices with breaks and margins, which a reader may look at', async () => {
  const { service } = premises;
  const { page, faults, close } = await premises.openWindow();
  await newCap(page, 'Priced cap');
  const id = /prod_\w+/.exec(page.url())?.[0] ?? assert.fail('its address has its id');
  const breaks = (of: Page) => of.getByRole('table', { name: /^Unit price with all prints/ });
  await page.getByRole('heading', { name: 'Prices' }).scrollIntoViewIfNeeded();
  await breaks(page).waitFor();
  const few = await breaks(page).getByRole('columnheader').count();
  await focusOn(page.getByLabel('These pieces'));
  await page.keyboard.press('a');
  await eventually('the breaks of prints are there, too', async () => {
    return (await breaks(page).getByRole('columnheader').count()) > few;
  });
  const save = page.getByRole('button', { name: 'Save retail prices' });
  assert.equal(await save.isDisabled(), true, 'nothing was changed');
  await focusOn(page.getByLabel('Retail price, GBP'));
  await page.keyboard.type('18.50');
  await press(page.locator('summary', { hasText: 'Retail price and margin by variant' }));
  await page
    .getByText(/^£\d+\.\d\d \(\d+(\.\d)? %\)$/)
    .first()
    .waitFor();
  await press(save);
  await page.getByText('Saved.', { exact: true }).waitFor();
  const stored = await service.customer.request<{ retail_price: number }>('GET', `/products/${id}`);
  assert.equal(stored.body.retail_price, 18.5);
  await page.getByLabel('Retail price, GBP').fill('18.555');
  await press(save);
  await page.getByText('must be pounds with at most 2 decimals.').first().waitFor();
  const kept = await service.customer.request<{ retail_price: number }>('GET', `/products/${id}`);
  assert.equal(kept.body.retail_price, 18.5);
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
  await close();

  const { person } = await openRole(service, 'reader');
  const other = await premises.openWindow({ isSignedIn: false });
  await signIn(service, other.context, person.email);
  await other.page.goto(`/portal/templates/${id}`);
  await other.page.getByRole('heading', { name: 'Prices' }).scrollIntoViewIfNeeded();
  await breaks(other.page).waitFor();
  const price = other.page.getByLabel('Retail price, GBP');
  assert.deepEqual([await price.inputValue(), await price.isEditable()], ['18.5', false]);
  assert.equal(await other.page.getByRole('button', { name: 'Save retail prices' }).count(), 0);
  await other.close();
});

test('the form of an order leads an account without products to the designer, or says who makes them', async () => {
  const { service } = premises;
  const { accountId } = await service.openCustomer();
  for (const [role, isLed] of [
    ['manager', true],
    ['orders', false],
  ] as const) {
    const { person } = await openRole(service, role, accountId);
    const { page, context, close } = await premises.openWindow({ isSignedIn: false });
    await signIn(service, context, person.email);
    await page.goto('/portal/new-order');
    await page.getByText('There is no product to order yet.').waitFor();
    const link = page.getByRole('main').getByRole('link', { name: 'Make a product' });
    if (isLed) {
      await press(link);
      await heading(page, 'New product');
    } else {
      await page.getByText('An owner or a manager makes products.').waitFor();
      assert.equal(await link.count(), 0);
    }
    await close();
  }
});
