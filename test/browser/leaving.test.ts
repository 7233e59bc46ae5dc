import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, WAIT_MS } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const field = (page: Page, name: string): Locator => page.getByRole('textbox', { name, exact: true });
const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
const link = (page: Page, name: string): Locator =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
const asked = (page: Page): Locator => page.getByRole('dialog', { name: 'Leave without saving?' });

/** A picture of a garment that is not drawn in time is asked for again. */
const isReal = (fault: string): boolean => !fault.includes('status of 503');

async function stay(page: Page): Promise<void> {
  await press(asked(page).getByRole('button', { name: 'Stay' }));
  await asked(page).waitFor({ state: 'hidden' });
}

async function leave(page: Page): Promise<void> {
  await press(asked(page).getByRole('button', { name: 'Leave' }));
  await asked(page).waitFor({ state: 'hidden' });
}

async function newTee(page: Page): Promise<void> {
  await page.goto('/portal/products');
  await press(page.getByRole('link', { name: 'Make a product' }));
  await press(page.getByRole('button', { name: /^Classic tee/ }));
  await heading(page, 'New classic tee');
}

async function typeName(page: Page, name: string): Promise<void> {
  await focusOn(field(page, 'Name'));
  await page.keyboard.type(name);
}

describe('a product that is designed', () => {
  test('is left without a question while it is as it was', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newTee(page);
    await page.goBack();
    await page.getByRole('button', { name: /^Classic tee/ }).waitFor();
    await page.goForward();
    await heading(page, 'New classic tee');
    await press(link(page, 'Orders'));
    await heading(page, 'Orders');
    assert.deepEqual(faults.filter(isReal), []);
    await close();
  });

  test('is not lost to a link, a command, a key, another garment or the browser’s back, until the person says so', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newTee(page);
    await typeName(page, 'Plum');
    const isKept = async (): Promise<void> => {
      await stay(page);
      assert.equal(await field(page, 'Name').inputValue(), 'Plum');
      assert.match(page.url(), /\/portal\/products\/new\?garment=/);
    };
    await press(link(page, 'Orders'));
    await asked(page).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await isKept();
    await choose(page, 'Go to Money');
    await isKept();
    await focusOn(page.getByRole('button', { name: 'Save as a draft' }));
    await page.keyboard.press('g');
    await page.keyboard.press('o');
    await isKept();
    await press(page.getByRole('button', { name: 'Another garment' }));
    await isKept();
    // Twice, since the first answer must not have worn the guard out.
    for (const _ of [1, 2]) {
      await page.goBack();
      await isKept();
    }
    await page.goBack();
    await leave(page);
    await page.getByRole('button', { name: /^Classic tee/ }).waitFor();
    assert.doesNotMatch(page.url(), /garment=/);
    await page.goForward();
    await heading(page, 'New classic tee');
    assert.equal(await field(page, 'Name').inputValue(), '', 'it was left');
    await typeName(page, 'Pear');
    await press(link(page, 'Orders'));
    await leave(page);
    await heading(page, 'Orders');
    assert.deepEqual(faults.filter(isReal), []);
    await close();
  });

  test('is left without a question once it is saved, and asks again after a change', async () => {
    const { page, faults, close } = await premises.openWindow();
    await newTee(page);
    await typeName(page, 'Kept tee');
    await page.keyboard.press('Control+s');
    await page.waitForURL('**/portal/products/prod_*');
    await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
    await typeName(page, ', changed');
    await press(link(page, 'Orders'));
    await stay(page);
    await press(page.getByRole('button', { name: 'Save', exact: true }));
    await page.getByText('Kept tee, changed is saved.').waitFor();
    await press(link(page, 'Orders'));
    await heading(page, 'Orders');
    await page.goBack();
    await heading(page, 'Kept tee, changed');
    assert.deepEqual(faults.filter(isReal), []);
    await close();
  });
});

describe('a personalised product that is designed', () => {
  const stored = async (id: string): Promise<string> => {
    const { page, close } = await premises.openWindow();
    await page.goto(`/portal/templates/${id}`);
    await press(page.getByRole('list', { name: 'Layers, the top one first' }).getByRole('button').first());
    const name = await field(page, 'Name').inputValue();
    await close();
    return name;
  };

  test('is saved before a link is followed, and asks where that is refused', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/templates');
    await press(page.getByRole('button', { name: 'New personalised product' }));
    await field(page, 'Name').fill('Quick cap');
    await page.getByLabel('Printed on').selectOption({ label: 'Twill cap' });
    await page.getByRole('button', { name: 'Create it' }).press('Enter');
    await heading(page, 'Quick cap');
    const id = /prod_\w+/.exec(page.url())?.[0] ?? assert.fail('its address has its id');
    await press(page.getByRole('button', { name: 'Add text' }));
    await field(page, 'Left').waitFor();
    await page.getByText('The draft is saved').waitFor();
    // The pause after which a draft is saved by itself never ends.
    await page.clock.install();
    await page.clock.pauseAt(Date.now() + 60_000);
    await field(page, 'Name').fill('Of a moment ago');
    await link(page, 'Orders').click();
    await heading(page, 'Orders');
    assert.equal(await stored(id), 'Of a moment ago');
    await page.clock.resume();

    await page.goBack();
    await heading(page, 'Quick cap');
    await press(page.getByRole('list', { name: 'Layers, the top one first' }).getByRole('button').first());
    await page.route(`**/portal/api/v1/templates/${id}`, (route) =>
      route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await field(page, 'Name').fill('Never arrived');
    await page.getByText(/^Not saved/).waitFor();
    await link(page, 'Orders').click();
    await stay(page);
    assert.equal(await field(page, 'Name').inputValue(), 'Never arrived');
    await page.goBack();
    await stay(page);
    await page.unroute(`**/portal/api/v1/templates/${id}`);
    await link(page, 'Orders').click();
    await heading(page, 'Orders');
    await eventually('it is stored', async () => (await stored(id)) === 'Never arrived', WAIT_MS);
    await close();
  });
});

describe('the form of an order', () => {
  test('asks once a person has touched it, and not before, nor after it is emptied or placed', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { fixed } = premises.service.demo.products;
    await page.goto(`/portal/new-order?product=${fixed}`);
    await page.getByRole('textbox', { name: /White M, pieces/ }).waitFor();
    await press(link(page, 'Orders'));
    await heading(page, 'Orders');
    await page.goBack();
    await heading(page, 'New order');
    await field(page, 'Your number').fill('LEAVE-1');
    await press(link(page, 'Orders'));
    await stay(page);
    assert.equal(await field(page, 'Your number').inputValue(), 'LEAVE-1');
    await choose(page, 'Empty the form');
    const isEmpty = async () => (await field(page, 'Your number').inputValue()) === '';
    await eventually('it is empty', isEmpty, WAIT_MS);
    await press(link(page, 'Orders'));
    await heading(page, 'Orders');

    await page.goto(`/portal/new-order?from=${premises.orders.sent.reference}`);
    await page.getByText('Filled in from').waitFor();
    await field(page, 'Your number').fill('LEAVE-3');
    await choose(page, 'Empty the form');
    await page.getByText('Filled in from').waitFor({ state: 'detached' });
    assert.equal(await field(page, 'Your number').inputValue(), '');
    assert.equal(await page.getByRole('textbox', { name: /White M, pieces/ }).count(), 0);
    assert.equal(new URL(page.url()).search, '');

    await page.goto(`/portal/orders/${premises.orders.sent.reference}`);
    await press(page.getByRole('link', { name: 'Order again' }));
    await page.getByText(/Arrives .* to .* when it is placed now/).waitFor();
    await field(page, 'Your number').fill('LEAVE-2');
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    await eventually('it has a price', () => place.isEnabled(), WAIT_MS);
    await press(place);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Place the order' }));
    await page.waitForURL(/\/portal\/orders\/PF-/);
    assert.equal(await asked(page).count(), 0);
    await press(link(page, 'Orders'));
    await heading(page, 'Orders');
    assert.deepEqual(faults.filter(isReal), []);
    await close();
  });
});
