import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import type { OpsProblem } from '../../src/problems/ops-schema.ts';
import type { ProblemsOfOrder } from '../../src/problems/schema.ts';
import { eventually } from '../harness/context.ts';
import { type Floor, openFloor, placeOrder } from '../harness/floor.ts';
import { readPdf } from '../harness/pdf.ts';
import { openRole } from '../harness/portal.ts';
import { servePicture } from '../harness/shop.ts';
import { balancePence } from '../harness/written.ts';
import { press } from './keys.ts';
import { openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

// What is reported about an order that was sent, and what becomes of it.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const panel = (page: Page) => page.locator('section', { has: page.getByRole('heading', { name: 'Problems' }) });

/** Has a file that is chosen wait on its way to an address, until the returned function lets it go. */
async function holdUpload(page: Page, url: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/uploads', async (route) => {
    await promise;
    const inTenMinutes = new Date(Date.now() + 600_000).toISOString();
    const permit = { upload_url: `${premises.service.url}/drop`, headers: [], url };
    await route.fulfill({ status: 201, json: { ...permit, upload_until: inTenMinutes, kept_until: inTenMinutes } });
  });
  await page.route('**/drop', (route) => route.fulfill({ status: 201, json: {} }));
  return resolve;
}

/** Reports in the open dialog; the answer is lost, the text is changed, and what was reported is not reported again. */
async function reportWithoutAnswer(page: Page): Promise<void> {
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  const report = dialog.getByRole('button', { name: 'Report it' });
  await page.route('**/orders/*/problems', async (route) => {
    if (route.request().method() !== 'POST') return route.fallback();
    await route.fetch();
    await route.abort();
  });
  await report.click();
  await dialog.getByText('No connection').waitFor();
  await page.unroute('**/orders/*/problems');
  await dialog.getByLabel('What happened').fill('The other one, too, at its hem.');
  for (const _ of ['once', 'again']) {
    await report.click();
    await dialog.getByRole('alert').getByText('The shop has your report as it was sent first').waitFor();
    assert.equal(await dialog.getByLabel('What happened').inputValue(), 'The other one, too, at its hem.');
  }
  await panel(page).getByText('The other one, too.').waitFor();
  assert.equal(await panel(page).getByText('To be answered within').count(), 1);
  await dialog.getByRole('button', { name: 'Close' }).click();
}

/** Withdraws in the open dialog: while the answer is under way nothing closes it, and so it shows the refusal. */
async function refuseInTime(page: Page): Promise<void> {
  const asked = page.getByRole('dialog', { name: 'Withdraw this problem?' });
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route('**/problems/*/withdraw', async (route) => {
    await promise;
    const json = { code: 'problem_not_open', title: 'Not open', detail: 'The shop answers it at this moment.' };
    await route.fulfill({ status: 409, json });
  });
  await asked.getByRole('button', { name: 'Withdraw it' }).click();
  await eventually('what keeps it cannot be pressed', () =>
    asked.getByRole('button', { name: 'Keep it' }).isDisabled(),
  );
  await page.keyboard.press('Escape');
  await page.mouse.click(5, 5);
  await asked.getByRole('button', { name: 'Close' }).click({ force: true });
  resolve();
  await asked.getByRole('alert').getByText('The shop answers it at this moment.').waitFor();
  await page.unroute('**/problems/*/withdraw');
}

test('a person reports a problem by keyboard, sees the answer, and withdraws another', async () => {
  const { page, faults, close } = await premises.openWindow();
  const { sent } = premises.orders;
  const photo = await servePicture(premises.service, '/torn.png', { colour: 'grey' });
  await page.goto(`/portal/orders/${sent.reference}`);
  await panel(page).getByText('No problem is reported.').waitFor();
  await press(panel(page).getByRole('button', { name: 'Report a problem' }));
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  await dialog.waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await dialog.getByLabel('What is wrong').selectOption('print_fault');
  await dialog.getByLabel('What happened').fill('The ink runs.');
  await page.mouse.click(5, 5);
  assert.equal(await dialog.getByLabel('What happened').inputValue(), 'The ink runs.', 'a click outside loses nothing');
  await press(dialog.getByRole('button', { name: 'Add a photo' }));
  await dialog.getByLabel('Photo 1', { exact: true }).fill(premises.service.stranger.url('/missing.png'));
  await press(dialog.getByRole('button', { name: 'Report it' }));
  await dialog.getByRole('alert').waitFor();
  assert.equal(await dialog.getByLabel('What happened').inputValue(), 'The ink runs.', 'what was typed stays');
  await dialog.getByLabel('Photo 1', { exact: true }).fill(photo);
  await page.keyboard.press('Enter');
  await panel(page).getByText('The print is faulty').waitFor();
  await panel(page).getByRole('img', { name: 'Photo 1' }).waitFor();

  const floor = await openFloor(premises.service, 'admin');
  const { data } = await floor.request<{ data: { id: string }[] }>('GET', '/problems').then(({ body }) => body);
  await floor.post(`/problems/${data[0]?.id}/refuse`, { message: 'It was washed too hot.' });
  await page.reload();
  await panel(page).getByText('It was washed too hot.').waitFor();

  await panel(page).getByRole('button', { name: 'Report a problem' }).click();
  await dialog.getByLabel('What happened').fill('The other one, too.');
  const release = await holdUpload(page, photo);
  await dialog.getByRole('button', { name: 'Add a photo' }).click();
  const file = { name: 'other.png', mimeType: 'image/png', buffer: Buffer.from('a picture') };
  await dialog.locator('input[type=file]').setInputFiles(file);
  await dialog.getByRole('progressbar').waitFor();
  await dialog.getByRole('button', { name: 'Report it' }).click();
  await dialog.getByText('Wait for the upload to end.').waitFor();
  assert.equal(
    await panel(page).getByText('To be answered within').count(),
    0,
    'nothing is reported without its photo',
  );
  release();
  await dialog.getByRole('progressbar').waitFor({ state: 'detached' });
  await reportWithoutAnswer(page);
  await panel(page).getByRole('img', { name: 'Photo 1' }).nth(1).waitFor();
  await panel(page).getByRole('button', { name: 'Withdraw' }).click();
  await refuseInTime(page);
  await page.getByRole('button', { name: 'Withdraw it' }).click();
  await panel(page).getByText('Withdrawn').waitFor();

  await page.keyboard.press('g');
  await page.keyboard.press('r');
  await page.getByRole('heading', { level: 1, name: 'Problems' }).waitFor();
  await page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Refused' }).click();
  await page.getByRole('cell', { name: 'It was washed too hot.' }).waitFor();
  // The list of before stays until the next is there.
  await eventually('the head and one problem are left', async () => (await page.getByRole('row').count()) === 2);
  assert.deepEqual(
    faults.filter((fault) => !/422|409|ERR_FAILED/.test(fault)),
    [],
  );
  await close();
});

/** Reports a problem with a photo of a piece of an order, on its page; the problem's id. */
async function reportOne(page: Page, order: CreatedOrder, text: string, photo: string): Promise<string> {
  await page.goto(`/portal/orders/${order.reference}`);
  await press(panel(page).getByRole('button', { name: 'Report a problem' }));
  const dialog = page.getByRole('dialog', { name: 'Report a problem' });
  await dialog.getByLabel('What is wrong').selectOption('damaged');
  await dialog.getByLabel('What happened').fill(text);
  await press(dialog.getByRole('button', { name: 'Add a photo' }));
  await dialog.getByLabel('Photo 1', { exact: true }).fill(photo);
  await press(dialog.getByRole('button', { name: 'Report it' }));
  await panel(page).getByText(text).waitFor();
  await panel(page).getByRole('img', { name: 'Photo 1' }).waitFor();
  await panel(page).getByText('To be answered within').waitFor();
  const path = `/orders/${order.id}/problems`;
  const { body, text: answer } = await premises.service.customer.request<ProblemsOfOrder>('GET', path);
  return body.data[0]?.id ?? assert.fail(answer);
}

/** Places an order, makes it and sends it as one parcel of this number. */
async function send(floor: Floor, tracking: string): Promise<CreatedOrder> {
  const order = await placeOrder(premises.service, {
    items: [
      {
        product_id: premises.service.demo.products.fixed,
        variant_sku: 'TEE-CLASSIC-WHT-M',
        quantity: 2,
        print_jobs: [],
      },
    ],
  });
  await makeAndSend(floor, order.id, tracking);
  return order;
}

async function makeAndSend(floor: Floor, id: string, tracking: string): Promise<void> {
  await floor.post(`/orders/${id}/promote`);
  const { body } = await floor.request('GET', `/orders/${id}`);
  for (const { id: line } of body.lines) await floor.post(`/orders/${id}/lines/${line}/start`);
  const items = body.lines.map(({ id: line, quantity }) => ({ line_id: line, quantity }));
  await floor.post(`/orders/${id}/shipments`, { carrier: 'Royal Mail', tracking_number: tracking, items }, 201);
}

test('a problem that is answered with a replacement leads to it, and it has its own parcel and tracking', async () => {
  const floor = await openFloor(premises.service, 'admin');
  const order = await send(floor, 'RM-FIRST');
  const photo = await servePicture(premises.service, '/ripped.png', { colour: 'grey' });
  const { page, faults, close } = await premises.openWindow();
  const id = await reportOne(page, order, 'The seam of one is open.', photo);
  const { body: seen } = await floor.request<OpsProblem>('GET', `/problems/${id}`);
  assert.deepEqual([seen.status, seen.text, seen.photos.length], ['open', 'The seam of one is open.', 1]);
  const answered = await floor.post<OpsProblem>(`/problems/${id}/replace`, { message: 'We make it again.' });
  const { reference, id: replacement } = answered.answer?.replacement ?? assert.fail('it has a replacement');

  await page.reload();
  await panel(page).getByText('Replaced').waitFor();
  await panel(page).getByText('We make it again.').waitFor();
  assert.equal(await panel(page).getByText('To be answered within').count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);
  await press(panel(page).getByRole('link', { name: reference }));
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await page.getByText('Made again for').getByRole('link', { name: order.reference }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'One parcel' }).count(), 0);
  assert.equal(await page.getByText('£0.00').first().isVisible(), true, 'it costs nothing');

  await makeAndSend(floor, replacement, 'RM-SECOND');
  await page.reload();
  const parcel = page.locator('section', { has: page.getByRole('heading', { name: 'One parcel' }) });
  await parcel.getByText('RM-SECOND').waitFor();
  await parcel.getByText(/^1 × /).waitFor();
  assert.equal(await page.getByText('RM-FIRST').count(), 0);
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.goto(`/portal/orders/${order.reference}`);
  await parcel.getByText('RM-FIRST').waitFor();
  assert.equal(await page.getByText('RM-SECOND').count(), 0, 'each order has its own parcels');
  assert.deepEqual(faults, []);
  await close();
});

test('a problem that is answered with a refund has its amount, in the payments and in a credit note as well', async () => {
  const floor = await openFloor(premises.service, 'admin');
  const order = await send(floor, 'RM-THIRD');
  const photo = await servePicture(premises.service, '/stained.png', { colour: 'grey' });
  const { page, faults, close } = await premises.openWindow();
  const id = await reportOne(page, order, 'One has a stain.', photo);
  const before = await balancePence(premises.service, premises.service.customer);
  const refund = { message: 'A part of it comes back.', amount_gbp: 4.5 };
  const answered = await floor.post<OpsProblem>(`/problems/${id}/refund`, refund);
  assert.deepEqual([answered.status, answered.answer?.refund_gbp], ['refunded', 4.5]);
  assert.equal(await balancePence(premises.service, premises.service.customer), before + 450);

  await page.reload();
  await panel(page).getByText('£4.50 refunded: A part of it comes back.').waitFor();
  const payment = page.locator('section', { has: page.getByRole('heading', { name: 'Payment' }) });
  await payment.getByText('Refunded in part').waitFor();
  await payment.getByText('-£4.50').waitFor();
  const papers = page.locator('section', { has: page.getByRole('heading', { name: 'Papers' }) });
  const note = papers.locator('.platen-line', { hasText: 'Credit note' });
  await note.getByText('£4.50').waitFor();
  const download = page.waitForEvent('download');
  await press(note.getByRole('button', { name: /^PDF of credit note / }));
  const text = readPdf(readFileSync(await (await download).path()))
    .flatMap(({ texts }) => texts)
    .join(' ');
  assert.ok(text.includes('4.50') && text.includes(order.reference), text);
  assert.deepEqual(await problemsOfAxe(page), []);
  assert.deepEqual(faults, []);
  await close();
});

test('who may only read sees the problems, and no button that changes one', async () => {
  const { person } = await openRole(premises.service, 'reader');
  const { page, context, close } = await premises.openWindow({ isSignedIn: false });
  await signIn(premises.service, context, person.email);
  await page.goto(`/portal/orders/${premises.orders.sent.reference}`);
  await panel(page).getByText('It was washed too hot.').waitFor();
  assert.equal(await panel(page).getByRole('button').count(), 0);
  await close();
});
