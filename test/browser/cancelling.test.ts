import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { openCardShop, placeCharged, type Till } from '../harness/card-shop.ts';
import { openPerson } from '../harness/oauth.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { openShop, type Shop } from '../harness/shop.ts';
import { openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

// A cancel says what comes back at once, and what the print shop pays back by hand.

let provider: FakeProvider;
let premises: Premises;
let till: Till;
before(async () => {
  provider = await startProvider();
  premises = await openPremises(provider.env);
  till = { service: premises.service, provider };
});
after(async () => {
  await premises.close();
  await provider.close();
});

/** A window of an owner of a shop. */
async function windowOf({ customer }: Shop): Promise<{ page: Page; faults: string[]; close: () => Promise<void> }> {
  const person = await openPerson(premises.service, customer.accountId);
  const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, person.email);
  return { page, faults, close };
}

const pounds = (pence: number): string => `£${(pence / 100).toFixed(2)}`;

describe('what a cancel gives back is said before and after', () => {
  test('the part of the balance at once, that of a card by the print shop', async () => {
    const shop = await openCardShop(till, 500);
    const { order } = await placeCharged(till, shop);
    const byCard = pounds(shop.totalPence - 500);
    const { page, faults, close } = await windowOf(shop);
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByRole('button', { name: /^Cancel, within/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog
      .getByText(
        `£5.00 goes back to the balance at once. ${byCard} that was paid by card is paid back by the print shop.`,
      )
      .waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await dialog.getByLabel(/^Type/).fill(order.reference);
    await page.keyboard.press('Enter');
    await page
      .getByRole('alert')
      .getByText(
        `Cancelled. £5.00 is back on the balance. ${byCard} that was paid by card is paid back by the print shop.`,
      )
      .waitFor();
    await dialog.waitFor({ state: 'hidden' });
    assert.deepEqual(faults, []);
    await close();
  });

  test('nothing of an order that was not paid', async () => {
    const shop = await openShop(premises.service, 0);
    const { body: order } = await shop.order();
    const { page, close } = await windowOf(shop);
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByRole('button', { name: /^Cancel, within/ }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Nothing was paid, so nothing is refunded.').waitFor();
    await dialog.getByLabel(/^Type/).fill(order.reference);
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Cancelled. Nothing is refunded.').waitFor();
    await close();
  });

  test('of several orders the sums, and each with its own', async () => {
    const shop = await openCardShop(till, 500);
    const { order: both } = await placeCharged(till, shop);
    const { order: card } = await placeCharged(till, shop);
    provider.decide('decline');
    const { body: unpaid } = await shop.order();
    const { page, close } = await windowOf(shop);
    await page.goto('/portal/orders');
    await page.getByRole('checkbox', { name: 'Select all of this page' }).check();
    await page.getByRole('button', { name: 'Cancel 3 orders' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel 3 orders?' });
    const all = pounds(2 * shop.totalPence - 500);
    await dialog
      .getByText(`£5.00 goes back to the balance at once. ${all} that was paid by card is paid back by the print shop.`)
      .waitFor();
    await dialog.getByLabel('Type 3 to confirm').fill('3');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '3 of 3 orders cancelled' }).waitFor();
    const byCard = (pence: number): string => `${pounds(pence)} that was paid by card is paid back by the print shop.`;
    assert.deepEqual((await page.locator('.platen-run li').allTextContents()).toSorted(), [
      ...[
        `${both.reference}: Cancelled. £5.00 is back on the balance. ${byCard(shop.totalPence - 500)}`,
        `${card.reference}: Cancelled. ${byCard(shop.totalPence)}`,
        `${unpaid.reference}: Cancelled. Nothing is refunded.`,
      ].toSorted(),
    ]);
    await close();
  });
});
