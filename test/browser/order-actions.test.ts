import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, WAIT_MS } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const see = async (reference: string): Promise<Order> =>
  (await premises.service.customer.request<Order>('GET', `/orders/${reference}`)).body;

describe('what can still be done with an order', () => {
  test('its address is changed by keyboard, and a change that costs more is refused in the service’s words', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { reference } = premises.orders.pending;
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: 'Change the address' }).waitFor();
    await choose(page, 'Change the delivery address');
    const street = page.getByLabel('Street and number');
    await street.fill('1 High Street');
    assert.deepEqual(await problemsOfAxe(page), []);
    const save = page.getByRole('button', { name: 'Save the address' });
    await page.getByRole('main').getByLabel('Postcode').fill('BT1 1AA');
    await press(save);
    await page
      .getByRole('alert')
      .getByText(/another (shipping zone|territory)/)
      .waitFor();
    assert.equal((await see(reference)).shipping_address.line1, '12 Mill Lane');
    await page.getByRole('main').getByLabel('Postcode').fill('LS1 4DZ');
    await press(save);
    await page.locator('address').getByText('1 High Street').waitFor();
    const { line1, postcode } = (await see(reference)).shipping_address;
    assert.deepEqual([line1, postcode], ['1 High Street', 'LS1 4DZ']);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('409')),
      [],
    );
    await close();
  });

  test('an order is placed again from its page: lines and address stand in the form', async () => {
    const { page, close } = await premises.openWindow();
    const { reference } = premises.orders.sent;
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: 'Keep in the address book' }).click();
    await page.getByText('Kept in the address book.').waitFor();
    await page.getByRole('link', { name: 'Order again' }).click();
    await page.getByText(`Filled in from ${reference}`).waitFor();
    assert.equal(await page.getByRole('textbox', { name: /White M, pieces/ }).inputValue(), '2');
    assert.equal(await page.getByLabel('What is printed').inputValue(), 'none');
    await page.getByLabel('Street and number').fill('Elsewhere');
    await page.getByLabel('Search the address book').fill('byron leeds');
    await page.getByRole('button', { name: 'Use Ada Byron' }).click();
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    await eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    await place.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Place the order' }).click();
    await page.waitForURL('**/portal/orders/PF-*');
    const placed = await see(page.url().split('/').at(-1) ?? '');
    const before = await see(reference);
    assert.notEqual(placed.id, before.id);
    assert.deepEqual([placed.items[0]?.qty, placed.total], [2, before.total]);
    assert.deepEqual(placed.shipping_address, before.shipping_address);
    await close();
  });

  test('selected orders are cancelled together, counted first; the list is narrowed by days and saved as a file', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/orders?status=pending');
    await page.getByRole('checkbox', { name: `Select ${premises.orders.pending.reference}` }).check();
    await page.getByRole('button', { name: 'Cancel 1 order' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 1 order?' });
    await dialog.getByLabel('Type 1 to confirm').fill('1');
    await page.keyboard.press('Enter');
    await eventually(
      'it is cancelled',
      async () => (await see(premises.orders.pending.reference)).status === 'cancelled',
    );
    await page.goto('/portal/orders');
    await page.getByRole('main').getByRole('link', { name: premises.orders.sent.reference }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Save as CSV' }).click();
    assert.match(await readFile(await (await download).path(), 'utf8'), new RegExp(premises.orders.sent.reference));
    await page.getByLabel('Placed until').fill('2020-01-01');
    await page.getByText('No order is like this.').waitFor();
    await close();
  });
});
