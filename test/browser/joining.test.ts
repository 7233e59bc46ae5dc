import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Locator } from 'playwright-core';
import { linkIn, type Mailbox, openMailbox } from '../harness/mailbox.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { servePicture } from '../harness/shop.ts';
import { openPremises, type Premises } from './premises.ts';

// From the wish for an account to the first order, by clicks alone.

let mailbox: Mailbox;
let provider: FakeProvider;
let premises: Premises;
before(async () => {
  mailbox = await openMailbox();
  provider = await startProvider();
  premises = await openPremises({ ...mailbox.env, ...provider.env, SIGN_UP: 'open' });
});
after(async () => {
  await premises.close();
  await provider.close();
  await mailbox.close();
});

/** What a person who does not hurry takes for a click, or a field that is filled in. */
const UNHURRIED_SECONDS = 15;

test('whoever wants an account has placed a first order after so few steps that it takes less than ten minutes', async () => {
  const { service } = premises;
  const art = await servePicture(service, '/fern.png', { widthPx: 2_400, heightPx: 2_400, colour: 'teal' });
  const { page, faults, close } = await premises.openWindow({ isSignedIn: false });
  let steps = 0;
  const click = async (what: Locator): Promise<void> => {
    steps += 1;
    await what.click();
  };
  const fill = async (label: string, text: string, isExact = false): Promise<void> => {
    steps += 1;
    await page.getByRole('main').or(page.locator('body')).first().getByLabel(label, { exact: isExact }).fill(text);
  };
  await page.goto('/portal/sign-in');
  await click(page.getByRole('link', { name: 'Open an account' }));
  await fill('Email', 'wanda@prints.example');
  await fill('Your name', 'Wanda');
  await fill('Company', 'Wanda Prints');
  await click(page.getByRole('button', { name: 'Go on' }));
  await page.goto(linkIn(await mailbox.mailTo('wanda@prints.example')));
  await fill('Password', 'a password that is long', true);
  await click(page.getByRole('button', { name: 'Open the account' }));
  await page.getByRole('heading', { name: 'First steps' }).waitFor();

  await click(page.getByRole('link', { name: 'Have money on your balance' }));
  await click(page.getByRole('button', { name: '£100.00' }));
  await click(page.getByRole('button', { name: 'Go on to pay' }));
  await click(page.getByRole('button', { name: 'Pay 10000 pence' }));
  await page.getByText('£100.00 is on your balance.').waitFor();
  await click(page.getByRole('link', { name: 'Home' }));

  await click(page.getByRole('link', { name: 'Make your first product' }));
  await click(page.getByRole('button', { name: /^Classic tee/ }));
  await fill('Address or file', art, true);
  await page.getByRole('button', { name: 'Artwork of the front' }).waitFor();
  await fill('Name', 'Fern tee', true);
  await click(page.getByRole('button', { name: 'Save and activate' }));
  await page.waitForURL('**/portal/products/prod_*');
  await click(page.getByRole('link', { name: /^Order this/ }));
  await page.getByRole('textbox', { name: /White M, pieces/ }).waitFor();
  await fill('White M, pieces', '1');
  await fill('Paste an address', 'Ada Byron\n12 Mill Lane\nLeeds\nLS1 4AP\nUnited Kingdom');
  await click(page.getByRole('button', { name: 'Fill in the fields' }));
  await click(page.getByRole('main').getByRole('button', { name: 'Place the order' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Place the order' }));
  await page.waitForURL('**/portal/orders/PF-*');
  await page.getByText('charged to the balance').waitFor();
  assert.ok(steps * UNHURRIED_SECONDS < 600, `${steps} steps`);
  const elsewhere = `foreign host: ${provider.pages[0]?.url}`;
  assert.deepEqual(
    faults.filter((fault) => !fault.startsWith(elsewhere)),
    [],
    'only the page on which one pays is of another host',
  );
  await close();
});
