import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openPortal, openRole } from '../harness/portal.ts';
import { baseProductId } from '../harness/products.ts';
import { press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

// What can be done with the selected rows of a list.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

/** Selects all rows of a list by the box at its head. */
async function selectAll(page: Page): Promise<void> {
  await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
}

async function post(path: string, body: object): Promise<string> {
  const owner = await openPortal(premises.service, premises.person);
  const answer = await owner.request<{ id: string }>('POST', path, { body });
  assert.equal(answer.status, 201, answer.text);
  return answer.body.id;
}

test('several personalised products are archived once their number is typed, with a result for each', async () => {
  const { service } = premises;
  const base = { base_product_id: await baseProductId(service), variant_skus: ['TEE-CLASSIC-WHT-M'] };
  const ids = [
    await post('/templates', { ...base, name: 'Fern tee' }),
    await post('/templates', { ...base, name: 'Moss tee' }),
  ];
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/templates');
  for (const name of ['Fern tee', 'Moss tee']) await page.getByRole('link', { name }).waitFor();
  await page.getByRole('checkbox', { name: 'Fern tee' }).check();
  await page.getByRole('checkbox', { name: 'Moss tee' }).check();
  await page.getByRole('button', { name: 'Copy ids' }).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await choose(page, 'Archive 2 products');
  const dialog = page.getByRole('dialog', { name: 'Archive 2 products?' });
  await dialog.locator('input:focus').waitFor();
  await page.keyboard.type('1');
  assert.equal(await dialog.getByRole('button', { name: 'Archive 2 products' }).isDisabled(), true);
  await page.keyboard.press('Backspace');
  await page.keyboard.type('2');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: '2 of 2 products archived' }).waitFor();
  assert.equal(await page.getByRole('list', { name: 'Results' }).getByRole('listitem').count(), 2);
  await page.getByRole('link', { name: 'Fern tee' }).waitFor({ state: 'detached' });
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Close' }));
  for (const id of ids) {
    const { body } = await service.customer.request<{ status: string }>('GET', `/products/${id}`);
    assert.equal(body.status, 'archived');
  }
  assert.deepEqual(faults, []);
  await close();
});

test('several files of orders are removed after a question; their columns are chosen and kept as a view', async () => {
  for (const name of ['monday.csv', 'tuesday.csv'])
    await post('/order-files', { name, content: 'Number,Name\n1,Ada\n' });
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/order-file?columns=file,status');
  await page.getByRole('link', { name: 'monday.csv' }).waitFor();
  assert.deepEqual((await page.getByRole('columnheader').allTextContents()).slice(1), ['File', 'Status']);
  await page.getByRole('button', { name: 'Views', exact: true }).waitFor();
  await selectAll(page);
  await press(page.getByRole('button', { name: 'Remove 2 files' }));
  const dialog = page.getByRole('dialog', { name: 'Remove 2 files?' });
  await press(dialog.getByRole('button', { name: 'Remove 2 files' }));
  await page.getByRole('heading', { name: '2 of 2 files removed' }).waitFor();
  await page.getByText('No file is here.').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test('what is refused is said with its name, and the rest is done', async () => {
  const [gone] = [await post('/order-files', { name: 'gone.csv', content: 'Number,Name\n1,Ada\n' })];
  await post('/order-files', { name: 'here.csv', content: 'Number,Name\n1,Ada\n' });
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/order-file');
  await page.getByRole('link', { name: 'here.csv' }).waitFor();
  const owner = await openPortal(premises.service, premises.person);
  assert.equal((await owner.request('DELETE', `/order-files/${gone}`)).status, 204);
  await selectAll(page);
  await press(page.getByRole('button', { name: 'Remove 2 files' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Remove 2 files' }));
  await page.getByRole('heading', { name: '1 of 2 files removed' }).waitFor();
  await page
    .getByRole('list', { name: 'Results' })
    .getByText(/^gone\.csv: .*req_/)
    .waitFor();
  await close();
});

test('who may only read copies what is selected, and removes and archives nothing', async () => {
  await post('/order-files', { name: 'week.csv', content: 'Number,Name\n1,Ada\n' });
  await post('/templates', {
    base_product_id: await baseProductId(premises.service),
    variant_skus: ['TEE-CLASSIC-WHT-M'],
    name: 'Birch tee',
  });
  const { sent } = premises.orders;
  const { service } = premises;
  const reported = await service.customer.request('POST', `/orders/${sent.id}/problems`, {
    kind: 'damaged',
    text: 'Torn.',
    items: [{ line_id: sent.items.lineItems[0]?.id, quantity: 1 }],
  });
  assert.equal(reported.status, 201, reported.text);
  const { person } = await openRole(service, 'reader');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(service, context, person.email);
  for (const [path, what] of [
    ['/portal/order-file', 'Copy names'],
    ['/portal/templates', 'Copy ids'],
    ['/portal/problems', 'Copy order references'],
  ] as const) {
    await page.goto(path);
    await selectAll(page);
    await page.getByRole('button', { name: what }).waitFor();
    assert.equal(
      await page
        .getByRole('main')
        .getByRole('button', { name: /^(Remove|Archive)/ })
        .count(),
      0,
      path,
    );
  }
  await close();
});
