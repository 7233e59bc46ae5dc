import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { SavedAddresses } from '../../src/orders/address-book/address-book-schema.ts';
import { eventually } from '../harness/context.ts';
import { openPortal } from '../harness/portal.ts';
import { HOME } from '../harness/shop.ts';
import { press } from './keys.ts';
import { choose, commandsOf, openPremises, type Premises, problemsOfAxe } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

test('an address that is kept is found without a word, the newest first, and removed after a question', async () => {
  const owner = await openPortal(premises.service, premises.person);
  await owner.request('POST', '/addresses', { body: { label: 'Archive', address: { ...HOME, line1: '1 Old Road' } } });
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/new-order');
  await page.getByLabel('Paste an address').fill('Zoe Hopper\n12 Mill Lane\nLeeds\nLS1 4AP\nUnited Kingdom');
  await press(page.getByRole('button', { name: 'Fill in the fields' }));
  await press(page.getByRole('button', { name: 'Keep this address' }));
  await page.getByText('Kept in the address book.').waitFor();
  const use = page.getByRole('button', { name: /^Use (Zoe|Archive)/ });
  assert.equal(await use.count(), 0);
  await page.getByLabel('Search the address book').focus();
  await use.first().waitFor();
  const names = [await use.nth(0).getAttribute('aria-label'), await use.nth(1).getAttribute('aria-label')];
  assert.deepEqual(names, ['Use Zoe Hopper', 'Use Archive']);
  assert.deepEqual(await problemsOfAxe(page), []);
  const saving = page.waitForEvent('download');
  await press(page.getByRole('button', { name: 'Save as CSV' }));
  assert.equal((await saving).suggestedFilename(), 'addresses.csv');
  await page.getByLabel('Street and number').fill('Elsewhere');
  await press(page.getByRole('button', { name: 'Use Zoe Hopper' }));
  assert.equal(await page.getByLabel('Street and number').inputValue(), '12 Mill Lane');
  await use.first().waitFor({ state: 'detached' });

  await page.getByLabel('Search the address book').focus();
  await press(page.getByRole('button', { name: 'Remove Zoe Hopper' }));
  const dialog = page.getByRole('dialog', { name: 'Remove Zoe Hopper?' });
  await dialog.getByText('Zoe Hopper, 12 Mill Lane, LS1 4AP, Leeds leaves the address book.').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(dialog.getByRole('button', { name: 'Keep it' }));
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await use.count(), 2);
  await press(page.getByRole('button', { name: 'Remove Zoe Hopper' }));
  await press(dialog.getByRole('button', { name: 'Remove it' }));
  await dialog.waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Use Zoe Hopper' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Use Archive' }).waitFor();
  const { body } = await owner.request<SavedAddresses>('GET', '/addresses');
  assert.deepEqual(
    body.data.map(({ label }) => label),
    ['Archive'],
  );
  assert.deepEqual(faults, []);
  await close();
});

test('an address is kept from the palette once it is filled in', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/new-order');
  await page.getByLabel('Paste an address').waitFor();
  const offered = await commandsOf(page);
  assert.ok(offered.includes('Empty the form') && !offered.includes('Keep this address'));
  await page.getByLabel('Paste an address').fill('Emmy Noether\n3 Hill Road\nYork\nYO1 7HH\nUnited Kingdom');
  await press(page.getByRole('button', { name: 'Fill in the fields' }));
  await choose(page, 'Keep this address');
  await page.getByText('Kept in the address book.').waitFor();
  const owner = await openPortal(premises.service, premises.person);
  const { body } = await owner.request<SavedAddresses>('GET', '/addresses');
  assert.ok(body.data.some(({ label }) => label === 'Emmy Noether'));
  await close();
});

test('a kept address is used and removed from the palette, once the address book is open', async () => {
  const owner = await openPortal(premises.service, premises.person);
  const address = { ...HOME, contact_name: 'Grace Hopper', line1: '7 Harbour Way' };
  assert.equal((await owner.request('POST', '/addresses', { body: { address } })).status, 201);
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/new-order');
  const search = page.getByLabel('Search the address book');
  await search.waitFor();
  assert.ok(!(await commandsOf(page)).some((label) => label.includes('Grace Hopper')));
  await search.fill('Grace');
  await page.getByRole('button', { name: 'Use Grace Hopper' }).waitFor();
  await choose(page, 'Use Grace Hopper');
  await eventually(
    'the fields have it',
    async () => (await page.getByLabel('Street and number').inputValue()) === '7 Harbour Way',
  );
  await search.fill('Grace');
  await page.getByRole('button', { name: 'Use Grace Hopper' }).waitFor();
  await choose(page, 'Remove Grace Hopper');
  const dialog = page.getByRole('dialog', { name: 'Remove Grace Hopper?' });
  await press(dialog.getByRole('button', { name: 'Keep it' }));
  await dialog.waitFor({ state: 'hidden' });
  await choose(page, 'Remove Grace Hopper');
  await press(dialog.getByRole('button', { name: 'Remove it' }));
  await page.getByText('No address has these words.').waitFor();
  const { body } = await owner.request<SavedAddresses>('GET', '/addresses');
  assert.ok(!body.data.some(({ label }) => label === 'Grace Hopper'));
  assert.deepEqual(faults, []);
  await close();
});
