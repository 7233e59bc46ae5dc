import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder, Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { closeWindow, openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { openRole } from '../harness/portal.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { servePicture, teeItem } from '../harness/shop.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

// An order that needs its customer: artwork that failed, and a cancel that comes too late.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const see = async (reference: string): Promise<Order> =>
  (await premises.service.customer.request<Order>('GET', `/orders/${reference}`)).body;

/** An order of two lines with one picture, whose print file could not be made. */
async function placeFailed(name: string): Promise<CreatedOrder> {
  const { service } = premises;
  const artwork_url = await servePicture(service, `/${name}.png`, { widthPx: 900, heightPx: 1_200, colour: '#204060' });
  const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url }] };
  const items = ['M', 'L'].map((size) => ({
    ...teeItem(service, { decoration }),
    variant_sku: `TEE-CLASSIC-WHT-${size}`,
    name: `Club tee ${size}`,
  }));
  const order = await placeOrder(service, { items });
  await untilReady(await openFloor(service), order.id);
  await leaveFailed(service, order);
  return order;
}

describe('artwork that failed', () => {
  test('is replaced by keyboard after a look at how it prints, on every line that has it', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { service } = premises;
    const order = await placeFailed('damaged');
    await page.goto(`/portal/orders/${order.reference}`);
    await page
      .getByText(/The print file for front could not be made\. The picture is damaged/)
      .first()
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Replace artwork' }).count(), 2);
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('button', { name: 'Replace artwork' }).first());
    const dialog = page.getByRole('dialog', { name: 'Replace the artwork: Club tee M, front' });
    await dialog.waitFor();
    const field = dialog.getByLabel('New artwork', { exact: true });
    await field.fill(service.stranger.url('/missing.png'));
    const look = dialog.getByRole('button', { name: 'See how it prints' });
    await press(look);
    await dialog
      .getByText(/answered with status 404|404/)
      .first()
      .waitFor();
    await field.fill(await servePicture(service, '/whole.png', { widthPx: 1_200, heightPx: 1_600, colour: '#802040' }));
    await press(look);
    await dialog.getByRole('img', { name: 'The new artwork on front' }).waitFor();
    await dialog.getByText(/\d+ dpi · from 1200 × 1600 pixels/).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await focusOn(dialog.getByRole('checkbox', { name: 'Also on the other line with this artwork' }));
    await press(dialog.getByRole('button', { name: 'Replace artwork' }));
    await page.getByText('The new artwork is being made into its print file.').waitFor();
    const replaced = (await see(order.reference)).items.map(({ artwork }) => artwork?.areas[0]?.source?.width);
    assert.deepEqual(replaced, [1_200, 1_200]);
    await page.getByText('Artwork replaced: Club tee M, front').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Replace artwork' }).count(), 0);
    await eventually('the print files are made', async () =>
      (await see(order.reference)).items.every(({ artwork_ready: isReady }) => isReady),
    );
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('422')),
      [],
    );
    await close();
  });

  test('what is typed after the look is looked at again before it replaces anything', async () => {
    const { page, close } = await premises.openWindow();
    const order = await placeFailed('damaged-again');
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByRole('button', { name: 'Replace artwork' }).first().click();
    const dialog = page.getByRole('dialog');
    const url = await servePicture(premises.service, '/soft.png', { widthPx: 90, heightPx: 120, colour: '#335577' });
    await dialog.getByLabel('New artwork', { exact: true }).fill(url);
    await dialog.getByRole('button', { name: 'See how it prints' }).click();
    await dialog.getByText(/it looks soft/).waitFor();
    await dialog.getByLabel('New artwork', { exact: true }).fill(`${url}?other`);
    await dialog.getByRole('button', { name: 'See how it prints' }).waitFor();
    assert.equal(await dialog.getByRole('button', { name: 'Replace artwork' }).count(), 0);
    await dialog.getByRole('button', { name: 'Keep it as it is' }).click();
    assert.ok((await see(order.reference)).items.every(({ artwork }) => artwork?.areas[0]?.replaced_at === null));
    await close();
  });
});

describe('a cancel that comes too late', () => {
  test('is asked for by keyboard, withdrawn, asked again, and its answer is read on the order', async () => {
    const { page, faults, close } = await premises.openWindow();
    const order = premises.orders.making;
    await closeWindow(premises.service, order);
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByRole('button', { name: 'Ask to cancel' }).waitFor();
    await choose(page, 'Ask to cancel');
    const dialog = page.getByRole('dialog', { name: `Ask to cancel ${order.reference}` });
    await dialog.waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await dialog.getByLabel('Why').selectOption('takes_too_long');
    await dialog.getByLabel('What the shop should know').fill('The party is on Friday.');
    await press(dialog.getByRole('button', { name: 'Ask the shop' }));
    await page.getByText('You have asked the shop to cancel this order').waitFor();
    await page.getByText(/To be answered within 23 h 5\d min/).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.getByRole('button', { name: 'Withdraw the request' }).click();
    await page.getByRole('button', { name: 'Withdraw it' }).click();
    await page.getByRole('main').getByText('You have withdrawn your request to cancel').first().waitFor();
    await page.getByRole('button', { name: 'Ask to cancel' }).click();
    await dialog.getByRole('button', { name: 'Ask the shop' }).click();
    await page.getByRole('button', { name: 'Withdraw the request' }).waitFor();
    const floor = await openFloor(premises.service, 'admin');
    const { body } = await floor.request<{ data: { id: string }[] }>('GET', '/cancellation-requests');
    await floor.post(`/cancellation-requests/${body.data[0]?.id}/refuse`, { message: 'It is packed already.' });
    await page.reload();
    await page.getByText('It is packed already.').waitFor();
    await page.getByText('The shop does not cancel this order').first().waitFor();
    assert.deepEqual(faults, []);
    await close();
  });

  test('who may only read sees what was asked and answered, and no button that changes it', async () => {
    const { person } = await openRole(premises.service, 'reader');
    const { page, context, close } = await premises.openWindow({ isSignedIn: false });
    await signIn(premises.service, context, person.email);
    await page.goto(`/portal/orders/${premises.orders.making.reference}`);
    await page.getByText('It is packed already.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Ask to cancel' }).count(), 0);
    const failed = await placeFailed('damaged-for-readers');
    await page.goto(`/portal/orders/${failed.reference}`);
    await page
      .getByText(/The print file for front could not be made/)
      .first()
      .waitFor();
    assert.equal(await page.getByRole('button', { name: 'Replace artwork' }).count(), 0);
    assert.equal(await page.getByRole('link', { name: 'Replace the artwork' }).count(), 0);
    await page.goto('/portal/new-order');
    await page.getByText('Who may only read places no orders.').waitFor();
    await close();
  });
});
