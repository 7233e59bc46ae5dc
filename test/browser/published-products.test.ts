import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../harness/context.ts';
import { openPortal } from '../harness/portal.ts';
import { openWooDouble } from '../harness/woo-double.ts';
import { openPremises, type Premises, problemsOfAxe } from './premises.ts';

// Products that a person publishes in a linked shop, and what they see of them.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

test('products are published by the keyboard, one after another, tried again, and stopped', async () => {
  const { service } = premises;
  const woo = openWooDouble(service);
  const owner = await openPortal(service, premises.person);
  const link = { platform: 'woocommerce', name: 'Woodland', address: woo.address };
  const begun = await owner.request<{ consent_url: string }>('POST', '/channels/links', { body: link });
  assert.equal(await woo.consent(begun.body.consent_url), 200);
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/shops');
  await page.getByRole('link', { name: 'Woodland' }).click();
  await page.getByText('No product was published in this shop.').waitFor();
  await page.getByRole('button', { name: 'Publish a product' }).press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Publish a product' });
  await dialog.getByText(/arrives as a draft without a price/).waitFor();
  await dialog.locator('input:focus').waitFor();
  const buttons = dialog.getByRole('button', { name: /^Publish / });
  await buttons.first().waitFor();
  const nameOf = async (at: number): Promise<string> =>
    ((await buttons.nth(at).getAttribute('aria-label')) ?? '').replace('Publish ', '');
  const [first, second] = [await nameOf(0), await nameOf(1)];
  assert.deepEqual(await problemsOfAxe(page), []);
  for (const name of [first, second]) {
    await dialog.getByRole('button', { name: `Publish ${name}`, exact: true }).press('Enter');
    await dialog.getByText(`${name} is on its way to the shop. You can choose another one.`).waitFor();
  }
  await page.keyboard.press('Escape');
  await eventually(
    'both are in the shop',
    async () => (await page.getByText('In the shop', { exact: true }).count()) === 2,
    // A try that a slow machine spoils is made again after a minute.
    180_000,
  );
  assert.equal(woo.products.size, 2);
  const [off] = await service.ctx.database.all<{ sku: string }>(
    {
      name: '',
      text: `update product_variant v set active = false where id = (
        select x.id from product_variant x join product p on p.account_id = x.account_id and p.id = x.product_id
        where p.name = $1 order by x.ordinal desc limit 1) returning sku`,
    },
    [first],
  );
  await page.getByText(`Not on sale: ${off?.sku} (switched off in the product)`).waitFor();
  await page.emulateMedia({ colorScheme: 'dark' });
  await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
  await page.setViewportSize({ width: 390, height: 844 });
  assert.deepEqual(await problemsOfAxe(page), []);
  const excess = 'document.documentElement.scrollWidth - window.innerWidth';
  // The pages beside it slide away first.
  await eventually('the page to fit 390 pixels', async () => (await page.evaluate<number>(excess)) <= 0);

  const [gone] = [...woo.products.values()].filter(({ name }) => name === first);
  assert.ok(gone);
  gone.status = 'trash';
  const { data } = (await owner.request<{ data: { id: string }[] }>('GET', '/channels')).body;
  const path = `/channels/${data[0]?.id}/products`;
  assert.equal((await owner.request('POST', path, { body: { product_id: gone.sku } })).status, 202);
  await page.getByRole('button', { name: `Publish it again: ${first}` }).press('Enter');
  await eventually('it is made anew', () => woo.products.size === 3);
  await page.getByRole('button', { name: `Stop: ${second}` }).press('Enter');
  const asked = page.getByRole('dialog', { name: `Keep ${second} up to date no more?` });
  await asked.getByText(/In the shop it stays as it is/).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await asked.getByRole('button', { name: 'Stop it' }).press('Enter');
  await page.getByRole('button', { name: `Stop: ${second}` }).waitFor({ state: 'detached' });
  assert.equal(woo.products.size, 3, 'in the shop it stays');
  assert.deepEqual(faults, []);
  await close();
});
