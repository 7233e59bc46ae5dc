import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { readPdf } from '../harness/pdf.ts';
import { openRole } from '../harness/portal.ts';
import { servePicture } from '../harness/shop.ts';
import { focusOn, press } from './keys.ts';
import { choose, commandsOf, openPremises, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';

// The names under which a customer sells, and what a parcel carries of them.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

/** Goes to a field or a button, and presses or types there. */
async function type(page: Page, label: string, text: string): Promise<void> {
  await focusOn(page.getByLabel(label, { exact: true }));
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type(text);
}

async function pressButton(page: Page, name: string | RegExp): Promise<void> {
  await press(page.getByRole('button', { name }));
}

test('a brand is made, mended, looked at in print, made the default and archived, by keyboard', async () => {
  const { page, faults, close } = await premises.openWindow();
  const logo = await servePicture(premises.service, '/fern.png', { widthPx: 900, heightPx: 300, colour: 'teal' });
  await page.goto('/portal');
  await page.getByRole('heading', { name: 'Needs you' }).waitFor();
  await page.keyboard.press('g');
  await page.keyboard.press('l');
  await heading(page, 'Brands');
  await page.getByText('There is no brand yet.').waitFor();
  await press(page.getByRole('link', { name: 'New brand' }));
  await heading(page, 'New brand');
  await type(page, 'Name', 'Fern & Fable');
  await type(page, 'Support email', 'help@fern.example');
  await type(page, 'Website', 'https://fern.example');
  await type(page, 'Message to the buyer', 'Thank you.');
  await type(page, 'Returns go to', '2 Quay Street\nYork');
  await type(page, 'Logo', premises.service.stranger.url('/missing.png'));
  await pressButton(page, 'Create it');
  await page.getByRole('alert').first().waitFor();
  assert.equal(await page.getByLabel('Name', { exact: true }).inputValue(), 'Fern & Fable', 'what was typed stays');
  assert.deepEqual(await problemsOfAxe(page), []);
  await type(page, 'Logo', logo);
  await pressButton(page, 'Create it');
  await heading(page, 'Fern & Fable');
  await page.getByRole('img', { name: 'Logo of Fern & Fable' }).waitFor();

  const slip = page.getByRole('link', { name: /^See the slip of Fern & Fable/ });
  const answer = await page.request.get((await slip.getAttribute('href')) ?? '');
  const text = readPdf(await answer.body())
    .flatMap(({ texts }) => texts)
    .join('\n');
  for (const part of ['Fern & Fable', 'Thank you.', '2 Quay Street']) assert.ok(text.includes(part), text);

  // The slip of what was in the form before may be on its way still.
  const drawn = page.waitForResponse(
    (sent) =>
      sent.url().endsWith('/brand-drafts/packing-slip') &&
      sent.request().postData()?.includes('"name":"Fern"') === true &&
      sent.ok(),
  );
  await type(page, 'Name', 'Fern');
  await drawn;
  await page.getByRole('link', { name: /^See the slip with what is in the form/ }).waitFor();
  await type(page, 'Website', 'fern');
  await page.getByText(/^The slip cannot be drawn: Website must be an address such as/).waitFor();
  await type(page, 'Website', 'https://fern.example');
  await pressButton(page, 'Save');
  await heading(page, 'Fern');
  await press(page.getByRole('link', { name: 'All brands' }));
  await page.getByText('default', { exact: true }).waitFor();
  await pressButton(page, 'Not by default: Fern');
  await page.getByRole('button', { name: 'Make it the default: Fern' }).waitFor();
  await choose(page, 'Make it the default: Fern');
  await page.getByText('default', { exact: true }).waitFor();
  await choose(page, 'Not by default: Fern');
  await page.getByRole('button', { name: 'Make it the default: Fern' }).waitFor();
  await choose(page, 'Archive Fern');
  await pressButton(page, 'Keep it');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await pressButton(page, 'Archive Fern');
  await pressButton(page, 'Archive it');
  await page.getByText('There is no brand yet.').waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('422')),
    [],
  );
  await close();
});

test('an order is placed with the brand that is chosen in the form', async () => {
  const { customer } = premises.service;
  for (const [name, is_default] of [
    ['Tide', true],
    ['Moor', false],
  ] as const) {
    assert.equal((await customer.request('POST', '/brands', { name, is_default })).status, 201);
  }
  const { page, close } = await premises.openWindow();
  await page.goto(`/portal/new-order?from=${premises.orders.sent.reference}`);
  const field = page.getByLabel('Brand on the packing slip');
  await field.waitFor();
  const choices = await field.getByRole('option').allTextContents();
  assert.deepEqual(choices, ['Tide (your default)', 'Moor', 'None: the print shop’s name']);
  await field.selectOption('Moor');
  const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
  await place.click();
  await page.getByRole('dialog').getByRole('button', { name: 'Place the order' }).click();
  await page.getByText('Packing slip of Moor').waitFor();
  const { body } = await customer.request<{ data: Order[] }>('GET', '/orders?limit=1');
  assert.equal(body.data[0]?.brand?.name, 'Moor');
  await close();
});

test('who places orders or only reads sees the brands and their slips, and no button that changes one', async () => {
  for (const role of ['orders', 'reader'] as const) {
    const { person } = await openRole(premises.service, role);
    const { page, context, close } = await premises.openWindow({ isSignedIn: false });
    await signIn(premises.service, context, person.email);
    await page.goto('/portal/brands');
    await page.getByRole('link', { name: 'Tide', exact: true }).waitFor();
    const offered = await commandsOf(page);
    assert.ok(offered.some((label) => label.startsWith('Look again')));
    assert.deepEqual(
      offered.filter((label) => label.includes('Tide')),
      [],
    );
    await page.getByRole('link', { name: 'Tide', exact: true }).click();
    await heading(page, 'Tide');
    assert.equal(await page.getByRole('main').getByRole('button').count(), 0);
    assert.equal(await page.getByRole('link', { name: /^See the slip of Tide/ }).count(), 1);
    await page.goto('/portal/brands/new');
    await page.getByText('An owner or a manager makes brands.').waitFor();
    await close();
  }
});

test('what is typed stays when a colleague saves the brand meanwhile, and only what was changed is saved', async () => {
  const { customer } = premises.service;
  const made = await customer.request<{ id: string }>('POST', '/brands', { name: 'Heath', message: 'Thank you.' });
  assert.equal(made.status, 201, made.text);
  const path = `/brands/${made.body.id}`;
  const { page, faults, close } = await premises.openWindow();
  await page.goto(`/portal${path}`);
  await type(page, 'Message to the buyer', 'With love.');
  await press(page.getByRole('link', { name: 'All brands' }));
  await press(page.getByRole('dialog', { name: 'Leave without saving?' }).getByRole('button', { name: 'Stay' }));
  const theirs = { website: 'https://heath.example', support_email: 'help@heath.example' };
  assert.equal((await customer.request('PATCH', path, theirs)).status, 200);
  const shown = page.getByText('This brand was changed meanwhile.');
  // An answer counts as fresh for a while.
  await eventually(
    'the page has looked again',
    async () => {
      await page.evaluate("document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))");
      return (await shown.count()) > 0;
    },
    WAIT_MS,
  );
  assert.equal(await page.getByLabel('Message to the buyer', { exact: true }).inputValue(), 'With love.');
  assert.equal(await page.getByLabel('Website', { exact: true }).inputValue(), 'https://heath.example');
  assert.deepEqual(await problemsOfAxe(page), []);
  const sent = page.waitForRequest((request) => request.method() === 'PATCH');
  await pressButton(page, 'Save');
  assert.deepEqual((await sent).postDataJSON(), { message: 'With love.' });
  await page.getByText('Saved. Orders from now on carry it.').waitFor();
  await shown.waitFor({ state: 'detached' });
  const { body } = await customer.request<Record<string, unknown>>('GET', path);
  const { message, website, support_email } = body;
  assert.deepEqual({ message, website, support_email }, { message: 'With love.', ...theirs });
  assert.deepEqual(faults, []);
  await close();
});
