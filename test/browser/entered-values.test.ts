import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { eventually } from '../harness/context.ts';
import { HOME } from '../harness/shop.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe } from './premises.ts';
import { openScene, stateOf } from './shop-scene.ts';

// What buyers of shops entered, and the proof of it, where a person decides on the order.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const DRAWN_MS = 30_000;

test('what a buyer entered stands as text by its name with the proof of it, before the order is placed and after', async () => {
  const { owner, send } = await openScene(premises, 'Named');
  const product = premises.service.demo.products.personalised;
  const { body } = await owner.api<{ layers: { name: string; type: string; required: boolean }[] }>(
    'GET',
    `/products/${product}/personalisation`,
  );
  const text = body.layers.find(({ type, required }) => type === 'text' && required) ?? assert.fail('it has a text');
  const { body: tee } = await owner.api<{ variants: { blank_variant_sku: string }[] }>('GET', `/products/${product}`);
  const properties = [
    { name: text.name, value: 'Ada' },
    { name: 'Gift note', value: '<img src=x onerror="document.title=1">' },
    { name: '_cart', value: 'hidden' },
  ];
  const item = { id: '1', sku: `${product}/${tee.variants[0]?.blank_variant_sku}`, title: 'Name tee', quantity: 1 };
  const id = await send({
    number: '#8001',
    items: [{ ...item, properties }],
    high_risk: true,
    shipping_address: HOME,
  });

  const { page, faults, close } = await premises.openWindow({ widthPx: 390 });
  await page.goto(`/portal/shop-orders?open=${id}`);
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Ada', { exact: true }).waitFor();
  await dialog.getByText('<img src=x onerror="document.title=1">', { exact: true }).waitFor();
  assert.equal(await dialog.getByText('hidden').count(), 0);
  const proof = dialog.getByRole('img', { name: 'Proof of what is printed on front of Name tee' });
  const shown = proof.and(page.locator('img:not([data-unseen])'));
  await press(dialog.getByRole('button', { name: 'Show the proof of Name tee' }));
  await shown.waitFor({ timeout: DRAWN_MS });
  const link = dialog.getByRole('link', { name: 'Open the picture alone' });
  assert.equal(await link.getAttribute('href'), await proof.getAttribute('src'));
  assert.deepEqual(await problemsOfAxe(page), []);

  await press(dialog.getByRole('button', { name: 'Place now' }));
  await press(page.getByRole('dialog', { name: 'Place #8001?' }).getByRole('button', { name: 'Place it now' }));
  await eventually('it is placed', async () => (await stateOf(owner, id)) === 'placed', DRAWN_MS);
  await page.goto(`/portal/shop-orders?state=placed&open=${id}`);
  const show = dialog.getByRole('button', { name: 'Show the proof of Name tee' });
  await show.waitFor();
  assert.equal(await dialog.getByText('Gift note').count(), 0, 'what it wanted is in its order');
  const isShown = async (): Promise<boolean> => {
    await press(show);
    return shown.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  };
  await eventually('its line has a proof', isShown, DRAWN_MS);
  await press(dialog.getByRole('link', { name: 'The line in its order' }));
  await page.waitForURL(/\/portal\/orders\/PF-/);
  assert.deepEqual(faults, []);
  await close();
});
