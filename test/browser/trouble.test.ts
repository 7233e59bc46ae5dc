import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { placeOrder } from '../harness/floor.ts';
import { choose, openPremises, PASSWORD, type Premises, signIn } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

describe('when something goes wrong', () => {
  test('a session that ends in mid-form is begun again on the spot, and what was sent is sent', async () => {
    const { page, context, close } = await premises.openWindow();
    const { reference } = await placeOrder(premises.service);
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: /Cancel, within/ }).click();
    await page.getByLabel(`Type ${reference} to confirm`).fill(reference);
    await context.clearCookies();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    const again = page.getByRole('dialog', { name: 'Your session has ended' });
    await again.waitFor();
    assert.equal(await again.getByLabel('Email').inputValue(), premises.person.email);
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    await again.waitFor({ state: 'hidden' });
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await statusOf(reference), 'cancelled');
    await close();
  });

  test('without a network nothing is sent later unseen; once it is back, the same button works', async () => {
    const { page, context, close } = await premises.openWindow();
    const { reference } = await placeOrder(premises.service);
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: /Cancel, within/ }).click();
    await page.getByLabel(`Type ${reference} to confirm`).fill(reference);
    await context.setOffline(true);
    await page.getByText('You are offline.').waitFor();
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('alert').getByText('No connection').waitFor();
    await context.setOffline(false);
    await page.getByText('You are offline.').waitFor({ state: 'hidden' });
    assert.equal(await statusOf(reference), 'pending', 'nothing was sent when the network came back');
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await statusOf(reference), 'cancelled');
    await close();
  });

  test('a double click sends once', async () => {
    const { page, requests, close } = await premises.openWindow();
    const { reference, id } = await placeOrder(premises.service);
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: /Cancel, within/ }).click();
    await page.getByLabel(`Type ${reference} to confirm`).fill(reference);
    await page.getByRole('button', { name: 'Cancel the order' }).dblclick({ noWaitAfter: true });
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(requests.filter(({ url }) => url.endsWith(`/orders/${id}/cancel`)).length, 1);
    await close();
  });

  test('a change that the service refuses stays in its dialog, with the service’s words', async () => {
    const { page, close } = await premises.openWindow();
    const { reference } = await placeOrder(premises.service);
    await page.goto(`/portal/orders/${reference}`);
    await page.route('**/cancel', (route) =>
      route.fulfill({
        status: 409,
        contentType: 'application/json',
        headers: { 'x-request-id': 'req_of_a_test' },
        body: JSON.stringify({
          type: '/docs/errors#conflict',
          title: 'Conflict',
          status: 409,
          code: 'conflict',
          detail: 'The order has been dispatched.',
          request_id: 'req_of_a_test',
        }),
      }),
    );
    await page.getByRole('button', { name: /Cancel, within/ }).click();
    await page.getByLabel(`Type ${reference} to confirm`).fill(reference);
    await page.keyboard.press('Enter');
    const alert = page.getByRole('dialog').getByRole('alert');
    await alert.getByText('The order has been dispatched.').waitFor();
    await alert.getByRole('button', { name: 'Copy request id req_of_a_test' }).waitFor();
    assert.equal(await page.getByLabel(`Type ${reference} to confirm`).inputValue(), reference);
    await close();
  });

  test('of two tabs, the one whose session is older goes on with the newer one', async () => {
    const { page, context, close } = await premises.openWindow();
    const { reference } = await placeOrder(premises.service);
    await page.goto(`/portal/orders/${reference}`);
    await page.getByRole('button', { name: /Cancel, within/ }).click();
    await page.getByLabel(`Type ${reference} to confirm`).fill(reference);
    // Another tab of the same browser signs in anew: the cookie is another one, and the token of this page is stale.
    await signIn(premises.service, context, premises.person.email);
    await page.getByRole('button', { name: 'Cancel the order' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    assert.equal(await statusOf(reference), 'cancelled');
    await close();
  });

  test('signing out in one tab signs out the others', async () => {
    const { page, context, close } = await premises.openWindow();
    await page.goto('/portal');
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    const second = await context.newPage();
    await second.goto('/portal/orders');
    await second.getByRole('heading', { level: 1, name: 'Orders' }).waitFor();
    await choose(second, 'Sign out');
    for (const tab of [page, second]) await tab.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await close();
  });
});

async function statusOf(reference: string): Promise<string> {
  const { body } = await premises.service.customer.request<{ status: string }>('GET', `/orders/${reference}`);
  return body.status;
}
