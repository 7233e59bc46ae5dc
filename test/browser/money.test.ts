import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import { unzipSync } from 'fflate';
import { countIssued } from '../../src/invoices/spending/count-spending.ts';
import { newId } from '../../src/lib/ids.ts';
import { openPortal } from '../harness/portal.ts';
import { type FakeProvider, startProvider } from '../harness/provider.ts';
import { focusOn, focusStays, press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe } from './premises.ts';

let provider: FakeProvider;
let premises: Premises;
before(async () => {
  provider = await startProvider();
  premises = await openPremises(provider.env);
});
after(async () => {
  await premises.close();
  await provider.close();
});

async function balance(): Promise<number> {
  return (await premises.service.customer.request<{ balance: number }>('GET', '/account/balance')).body.balance;
}

test('a top-up by keyboard: a return from the payment page still signed in, and the money is there once', async () => {
  const { page, context, close } = await premises.openWindow();
  const before = await balance();
  await page.goto('/portal/money');
  await focusOn(page.getByLabel('Amount in pounds'));
  await page.keyboard.type('75.50');
  await page.keyboard.press('Enter');
  // The provider's page is of another site, as in life.
  const pay = page.getByRole('button', { name: 'Pay 7550 pence' });
  await pay.waitFor();
  assert.notEqual(new URL(page.url()).hostname, new URL(premises.service.url).hostname);
  await press(pay);
  await page.getByText('£75.50 is on your balance.').waitFor();
  assert.equal(new URL(page.url()).pathname, '/portal/money/return');
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.reload();
  await page.getByText('£75.50 is on your balance.').waitFor();
  assert.equal(await balance(), Math.round((before + 75.5) * 100) / 100);
  await page.getByRole('link', { name: 'To your money' }).click();
  await page
    .getByRole('row', { name: /Top-up top_/ })
    .getByText('£75.50')
    .first()
    .waitFor();
  assert.equal((await context.cookies()).filter(({ name }) => name === 'platen_session').length, 1);
  await close();
});

test('whoever leaves the payment page is told that nothing was taken, and can pay after all', async () => {
  const { page, close } = await premises.openWindow();
  const before = await balance();
  await page.goto('/portal/money');
  await page.getByRole('button', { name: '£50.00' }).click();
  await page.getByRole('button', { name: 'Go on to pay' }).click();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByText('You have left the page, and nothing was taken.').waitFor();
  assert.equal(await balance(), before);
  await page.getByRole('link', { name: /Pay £50.00 after all/ }).click();
  await page.getByRole('button', { name: 'Pay 5000 pence' }).click();
  await page.getByText('£50.00 is on your balance.').waitFor();
  assert.equal(await balance(), before + 50);
  await close();
});

test('a top-up that was left open stands on the page, is gone on with by keyboard, and is then on the statement', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  await page.getByLabel('Amount in pounds').fill('61');
  await page.getByRole('button', { name: 'Go on to pay', exact: true }).click();
  await page.getByRole('link', { name: 'Back' }).click();
  await page.getByRole('link', { name: 'To your money' }).click();
  const open = page.getByRole('region', { name: 'Top-ups that are open or came to nothing lately' });
  await open.getByText(/^£61.00, begun \d/).waitFor();
  await open.getByText(/^Not paid yet, can be paid for \d+:\d\d/).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(open.getByRole('button', { name: 'Go on to pay £61.00' }));
  await page.getByRole('button', { name: 'Pay 6100 pence' }).click();
  await page.getByText('£61.00 is on your balance.').waitFor();
  await page.goto('/portal/money?view=top-ups');
  const row = page.getByRole('row', { name: /£61\.00/ });
  await row.getByText('On your balance').waitFor();
  assert.equal(await page.getByRole('button', { name: 'Go on to pay £61.00' }).count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  assert.equal((await saving).suggestedFilename(), 'top-ups.csv');
  await press(row.getByRole('link', { name: 'On the statement' }));
  await page
    .getByRole('table', { name: 'Statement' })
    .getByRole('row', { name: /Top-up top_/ })
    .getByText('£61.00')
    .first()
    .waitFor();
  await close();
});

test('a top-up that came to nothing is said, and one that was paid meanwhile asks for nothing more', async () => {
  const { page, close } = await premises.openWindow();
  const owner = await openPortal(premises.service, premises.person);
  const begin = async (amount: number) => {
    const headers = { 'idempotency-key': newId() };
    const { body, text } = await owner.request<{ id: string }>('POST', '/top-ups', {
      body: { amount_gbp: amount },
      headers,
    });
    return { id: body.id, page: provider.pages.at(-1) ?? assert.fail(text) };
  };
  const [ended, paid] = [await begin(71), await begin(72)];
  ended.page.status = 'expired';
  await owner.request('POST', `/top-ups/${ended.id}/look`);
  await page.goto('/portal/money');
  const open = page.getByRole('region', { name: 'Top-ups that are open or came to nothing lately' });
  await open
    .locator('.platen-line', { hasText: '£71.00' })
    .getByText('Not paid in its time: nothing was taken')
    .waitFor();
  assert.equal(await page.getByRole('button', { name: 'Go on to pay £71.00' }).count(), 0);
  provider.pay(paid.page);
  await press(open.getByRole('button', { name: 'Go on to pay £72.00' }));
  await page.getByText('£72.00 is on your balance already.').waitFor();
  await open.getByText('£72.00').waitFor({ state: 'detached' });
  await close();
});

test('an amount that is too small is refused in the service’s words; the statement and the documents are saved as files', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  await page.getByLabel('Amount in pounds').fill('2');
  await page.keyboard.press('Enter');
  await page.getByText('must be at least £5.00.').first().waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  assert.equal((await saving).suggestedFilename(), 'statement.csv');
  await page.getByLabel('From', { exact: true }).fill('2020-01-01');
  await page.getByLabel('To', { exact: true }).fill('2020-01-31');
  await page.getByText('Nothing moved in this time.').waitFor();
  // Issued when it is asked for; else a minute after the order was paid.
  const { sent } = premises.orders;
  assert.equal((await premises.service.customer.request('GET', `/orders/${sent.id}/invoice`)).status, 200);
  await page.goto('/portal/money?view=documents');
  const drawing = page.waitForEvent('download');
  await page
    .getByRole('button', { name: /^PDF of INV-/ })
    .first()
    .click();
  const name = (await drawing).suggestedFilename();
  assert.match(name, /^INV-\d+\.pdf$/);
  const chosen = page.waitForEvent('download');
  await choose(page, `Save invoice ${name.replace('.pdf', '')}`);
  assert.equal((await chosen).suggestedFilename(), name);
  assert.deepEqual(await problemsOfAxe(page), []);
  await close();
});

test('a card is saved on the page of the provider by keyboard, tops up by itself, and is removed', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  await page.getByText('None is saved.').waitFor();
  await press(page.getByRole('button', { name: 'Save a card' }));
  await page.getByRole('button', { name: 'Save', exact: true }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.getByText('Your card is saved.').waitFor();
  assert.equal(new URL(page.url()).pathname, '/portal/money/saved');
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.getByRole('link', { name: 'To your money' }).click();
  await page.getByText(/^Visa ending in \d{4}$/).waitFor();
  await page.getByRole('button', { name: 'Top up by itself' }).click();
  await page.getByLabel('Charge each time, in pounds').fill('2');
  await page.getByRole('button', { name: 'Set it' }).click();
  await page.getByText('must be at least £5.00.').first().waitFor();
  await page.getByLabel('Charge each time, in pounds').fill('75');
  await page.keyboard.press('Enter');
  await page.getByText('£75.00, at most £300.00 within 24 hours.').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.getByRole('button', { name: 'Remove it' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Remove it' }).click();
  await page.getByText('None is saved.').waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Top up by itself' }).count(), 0);
  await close();
});

test('a month is filed by keyboard: its statement as PDF and CSV, and its documents as ZIP', async () => {
  const { sent } = premises.orders;
  assert.equal((await premises.service.customer.request('GET', `/orders/${sent.id}/invoice`)).status, 200);
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money?view=months');
  const month = premises.service.ctx.clock.now().toISOString().slice(0, 7);
  await page.getByText(/The month is not over\./).waitFor();
  const pdf = page.waitForEvent('download');
  await press(page.getByRole('button', { name: 'Statement as PDF' }));
  assert.equal((await pdf).suggestedFilename(), `statement-${month}.pdf`);
  const csv = page.waitForEvent('download');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  assert.equal((await csv).suggestedFilename(), `statement-${month}.csv`);
  const zip = page.waitForEvent('download');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  const file = await zip;
  assert.equal(file.suggestedFilename(), `documents-${month}.zip`);
  const found = unzipSync(readFileSync(await file.path()));
  assert.ok(Object.keys(found).some((name) => name.startsWith(`${month}/INV-`)));
  await page.getByLabel('Month', { exact: true }).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await close();
});

test('a top-up that is chosen from the palette leads to its field, and the focus stays there', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  const field = page.getByLabel('Amount in pounds');
  await field.waitFor();
  await choose(page, 'Top up by card');
  await focusStays(field);
  await page.keyboard.type('75');
  assert.equal(await field.inputValue(), '75');
  await close();
});

test('a file that fails says why, with the request id to copy', async () => {
  const { page, close } = await premises.openWindow();
  await page.route(/\/money\/month\/statement/, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'x-request-id': 'req_of_a_test' },
      json: { title: 'Unavailable', status: 503, code: 'unavailable', detail: 'Try again in a minute.' },
    }),
  );
  await page.goto('/portal/money?view=months');
  await press(page.getByRole('button', { name: 'Statement as PDF' }));
  const alert = page.getByRole('alert');
  await alert.getByText('Try again in a minute.').waitFor();
  await alert.getByRole('button', { name: 'Copy request id req_of_a_test' }).waitFor();
  await close();
});

test('spending is drawn as bars and stands as a table; by day or by month is in the address', async () => {
  const { sent } = premises.orders;
  assert.equal((await premises.service.customer.request('GET', `/orders/${sent.id}/invoice`)).status, 200);
  await countIssued(premises.service.ctx);
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money?view=spending');
  await page.getByRole('img', { name: /^What was spent by day from/ }).waitFor();
  await press(page.getByText('The figures as a table'));
  const table = page.getByRole('table', { name: 'What was spent by day' });
  await table.getByRole('row').nth(1).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('link', { name: 'By month', exact: true }).last());
  await page.getByRole('img', { name: /^What was spent by month from/ }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('by'), 'month');
  await page.getByLabel('Time', { exact: true }).selectOption('365');
  await page.waitForURL(/span=365/);
  await page.reload();
  await page.getByRole('img', { name: /^What was spent by month from/ }).waitFor();
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Save as CSV' }).click();
  assert.equal((await saving).suggestedFilename(), 'spending.csv');
  const chosen = page.waitForEvent('download');
  await choose(page, 'Save the spending as CSV');
  assert.equal((await chosen).suggestedFilename(), 'spending.csv');
  await close();
});

test('the threshold of a low balance is set and taken away by keyboard', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  await page.getByText('No mail is sent.').waitFor();
  await press(page.getByRole('button', { name: 'Send a mail' }));
  const field = page.getByLabel('When the balance falls below, in pounds');
  await field.fill('0.5');
  await page.keyboard.press('Enter');
  await page.getByText('must be at least £1.00.').first().waitFor();
  await field.fill('25');
  await page.keyboard.press('Enter');
  await page.getByText('falls below £25.00, at most one a day.').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(page.getByRole('button', { name: 'Send none' }));
  await page.getByText('No mail is sent.').waitFor();
  await close();
});
