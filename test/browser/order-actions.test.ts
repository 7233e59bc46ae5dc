import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { closeWindow } from '../harness/floor.ts';
import { openPerson } from '../harness/oauth.ts';
import { openRole } from '../harness/portal.ts';
import { addProduct, HOME } from '../harness/shop.ts';
import { press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';

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

  test('who may only read is offered no cancel, and who places orders is, on the order and in the list', async () => {
    const { reference } = premises.orders.pending;
    for (const [role, count] of [
      ['reader', 0],
      ['orders', 1],
    ] as const) {
      const { person } = await openRole(premises.service, role);
      const { page, context, close } = await premises.openWindow({ isSignedIn: false });
      await signIn(premises.service, context, person.email);
      await page.goto(`/portal/orders/${reference}`);
      await page.getByText('5 pieces').first().waitFor();
      assert.equal(await page.getByRole('button', { name: /^Cancel, within/ }).count(), count, role);
      await page.keyboard.press('Control+k');
      await page.locator('[role="dialog"] input:focus').waitFor();
      await page.getByRole('dialog').getByText('Copy the reference').waitFor();
      assert.equal(await page.getByRole('dialog').getByText('Cancel the order').count(), count, role);
      await page.goto('/portal/orders');
      await page.getByRole('checkbox', { name: `Select ${reference}` }).check();
      await page.getByRole('button', { name: 'Copy references' }).waitFor();
      assert.equal(await page.getByRole('button', { name: 'Cancel 1 order' }).count(), count, role);
      await close();
    }
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

  test('all that match are counted, and cancelled while the person looks elsewhere, each with its result', async () => {
    const { service } = premises;
    const customer = await service.openCustomer({ balancePence: 1_000_000 });
    const product = await addProduct(service, customer, 'TEE-CLASSIC', {});
    const placed: CreatedOrder[] = [];
    for (let at = 0; at < 27; at += 1) {
      const order = await customer.request<CreatedOrder>('POST', '/orders', {
        external_reference: `MANY-${at}`,
        shipping_address: HOME,
        items: [{ product_id: product, variant_sku: 'TEE-CLASSIC-WHT-M', quantity: 1, print_jobs: [] }],
      });
      assert.equal(order.status, 201);
      placed.push(order.body);
    }
    const person = await openPerson(service, customer.accountId);
    const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
    await signIn(service, context, person.email);
    await page.goto('/portal/orders?status=pending');
    await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
    await page.getByRole('button', { name: 'Cancel all that match' }).press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Cancel 27 orders?' });
    await dialog.waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    // One is made meanwhile, and its window is closed.
    const [first = assert.fail()] = placed;
    await closeWindow(service, first);
    await dialog.getByLabel('Type 27 to confirm').fill('27');
    await page.keyboard.press('Enter');
    await page
      .getByText(/Cancelling 27 orders|26 of 27 orders cancelled/)
      .first()
      .waitFor();
    await page.getByRole('link', { name: 'Home' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.getByRole('link', { name: 'Orders', exact: true }).click();
    await page.getByRole('heading', { name: '26 of 27 orders cancelled' }).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    const lost = page.locator('.platen-run [data-loss]');
    assert.equal(await lost.count(), 1);
    assert.match((await lost.textContent()) ?? '', new RegExp(`^${first.reference}: .*cancel`));
    await page.getByRole('button', { name: 'Close' }).click();
    const { body } = await customer.request<{ data: { id: string; status: string }[] }>('GET', '/orders?limit=100');
    const kept = body.data.filter(({ status }) => status !== 'cancelled');
    assert.deepEqual(
      kept.map(({ id }) => id),
      [first.id],
    );
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('status of 4')),
      [],
    );
    await close();
  });
});
