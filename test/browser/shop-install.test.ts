import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openPremises, type Premises, problemsOfAxe } from './premises.ts';

// The page of connected shops, to which the browser of who installs the app of Shopify is led.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

test('who was led here as they installed the app of Shopify finds the address of the shop filled in', async () => {
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/shops?install=fern-thread');
  const form = page.getByRole('dialog', { name: 'Connect a shop' });
  const address = form.getByLabel('Address of the shop');
  await address.waitFor();
  assert.equal(await address.inputValue(), 'fern-thread.myshopify.com');
  assert.equal(await form.getByLabel('What the shop runs on').inputValue(), 'shopify');
  assert.deepEqual(await problemsOfAxe(page), []);
  await form.getByLabel('What the shop runs on').selectOption({ label: 'WooCommerce' });
  assert.equal(await form.getByLabel('Address of the shop').inputValue(), '', 'it is no shop of WooCommerce');
  await page.goto('/portal/shops?install=https://evil.example');
  await page.getByText('No shop is connected.').waitFor();
  assert.equal(await form.count(), 0);
  assert.deepEqual(faults, []);
  await close();
});
