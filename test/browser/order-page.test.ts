import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Order } from '../../src/orders/schema.ts';
import { linesOf, openFloor, placeOrder, ship } from '../harness/floor.ts';
import { openPerson } from '../harness/oauth.ts';
import { HOME, openShop, teeItem } from '../harness/shop.ts';
import { press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn } from './premises.ts';

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const BLANK = 'This line is a blank garment: nothing is printed on it.';

describe('what was accepted but may not be meant', () => {
  test('stands on the page of its order until that is cancelled, each message once with its lines', async () => {
    const { service } = premises;
    const order = await placeOrder(service, {
      shipping_address: { ...HOME, country_code: 'FR', postcode: '75001', city: 'Paris' },
      items: [
        teeItem(service, { name: 'Fern tee', print_jobs: [] }),
        teeItem(service, { name: 'Club tee', print_jobs: [] }),
      ],
    });
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/orders/${order.reference}`);
    const notes = page.getByRole('main').getByRole('note');
    await notes.filter({ hasText: `Fern tee, Club tee: ${BLANK}` }).waitFor();
    await notes.filter({ hasText: 'phone' }).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await choose(page, 'Cancel the order');
    await page.getByRole('dialog').getByLabel(/^Type/).fill(order.reference);
    await page.keyboard.press('Enter');
    await notes.first().waitFor({ state: 'detached' });
    assert.equal(await notes.count(), 0);
    assert.deepEqual(faults, []);
    await close();
  });

  test('says nothing of the payment twice, and nothing of an order that was sent', async () => {
    const { service } = premises;
    const shop = await openShop(service, 0);
    const unpaid = await shop.order();
    assert.ok(unpaid.body.warnings.some(({ code }) => code === 'payment_failed'));
    const person = await openPerson(service, shop.customer.accountId);
    const theirs = await premises.openWindow({ isSignedIn: false });
    await signIn(service, theirs.context, person.email);
    await theirs.page.goto(`/portal/orders/${unpaid.body.reference}`);
    const [failed] = unpaid.body.warnings.filter(({ code }) => code === 'payment_failed');
    await theirs.page.getByRole('note').filter({ hasText: 'Unpaid' }).waitFor();
    assert.equal(await theirs.page.getByText(failed?.message ?? assert.fail(), { exact: true }).count(), 0);
    await theirs.close();
    const { page, close } = await premises.openWindow();
    await page.goto(`/portal/orders/${premises.orders.sent.reference}`);
    await page.getByText(/Dispatched: the last parcel/).waitFor();
    assert.equal(await page.getByRole('note').count(), 0);
    await close();
  });
});

test('what is made again names the order that it replaces, and leads there', async () => {
  const { service, orders } = premises;
  const floor = await openFloor(service, 'admin');
  const [line] = linesOf(orders.sent);
  const again = await floor.post<{ reference: string }>(
    `/orders/${orders.sent.id}/replacement`,
    { items: [{ line_id: line, quantity: 1 }], reason: 'lost in the post' },
    201,
  );
  const { page, close } = await premises.openWindow();
  await page.goto(`/portal/orders/${again.reference}`);
  await page.getByText(`Made again for ${orders.sent.reference}`).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.getByRole('main').getByRole('link', { name: orders.sent.reference }).click();
  await page.getByRole('heading', { level: 1, name: orders.sent.reference }).waitFor();
  assert.equal(await page.getByText('Made again for').count(), 0);
  await close();
});

test('an order of which a part is sent and a part cancelled says how many pieces, in its head and at its line', async () => {
  const { service } = premises;
  const floor = await openFloor(service, 'admin');
  const order = await placeOrder(service, {
    items: [teeItem(service, { name: 'Fern tee', quantity: 5, print_jobs: [] })],
  });
  const { page, faults, close } = await premises.openWindow();
  await page.goto(`/portal/orders/${order.reference}`);
  await page.getByText('5 pieces', { exact: true }).waitFor();
  assert.equal(await page.getByText(/pieces sent/).count(), 0);
  await floor.post(`/orders/${order.id}/promote`);
  const [line = assert.fail()] = linesOf(order);
  await floor.post(`/orders/${order.id}/lines/${line}/start`);
  await ship(floor, order.id, [{ line_id: line, quantity: 3 }]);
  await floor.post(`/orders/${order.id}/cancel`, {
    reason: 'One is not wanted.',
    items: [{ line_id: line, quantity: 1 }],
  });
  await page.reload();
  const words = page.getByText('3 of 5 pieces sent, 1 cancelled', { exact: true });
  await words.first().waitFor();
  assert.equal(await words.count(), 2);
  const { body } = await service.customer.request<Order>('GET', `/orders/${order.id}`);
  const payment = page.locator('section', { has: page.getByRole('heading', { name: 'Payment', exact: true }) });
  const facts = await payment.locator('dt, dd').allTextContents();
  assert.deepEqual(facts.slice(0, 4), ['Order total', `£${body.total.toFixed(2)}`, 'State', 'Refunded in part']);
  assert.equal(facts.at(-1), `-£${body.refunds[0]?.amount.toFixed(2)}`, facts.join(', '));
  assert.deepEqual(await problemsOfAxe(page), []);
  assert.deepEqual(faults, []);
  await close();
});

describe('an order of many lines', () => {
  const placeLong = async (count: number) =>
    placeOrder(premises.service, {
      items: Array.from({ length: count }, (_, index) =>
        teeItem(premises.service, { name: `Line ${index + 1}.`, print_jobs: [] }),
      ),
    });

  test('shows the first 50, says how many there are, and shows more by the keyboard without losing the focus', async () => {
    const order = await placeLong(120);
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByRole('heading', { level: 2, name: '120 lines' }).waitFor();
    const line = page.locator('.platen-ordered-line');
    await page.getByText('The first 50 of 120 lines.').waitFor();
    assert.equal(await line.count(), 50);
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('button', { name: 'Show 50 more lines' }));
    await page.getByText('The first 100 of 120 lines.').waitFor();
    assert.equal(await line.count(), 100);
    // The focus goes on with the first that came.
    await page.locator(':focus').getByText('Line 51.', { exact: true }).waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show all 120 lines' }).count(), 0, 'the next step shows all');
    await press(page.getByRole('button', { name: 'Show 20 more lines' }));
    await page.getByText('Line 120.', { exact: true }).waitFor();
    assert.equal(await line.count(), 120);
    await page.locator(':focus').getByText('Line 101.', { exact: true }).waitFor();
    assert.equal(await page.getByText(/^The first \d+ of/).count(), 0);
    const other = await placeLong(51);
    await page.keyboard.press('/');
    await page.keyboard.type(other.reference);
    await page.keyboard.press('Enter');
    await page.getByText('The first 50 of 51 lines.').waitFor();
    await page.getByRole('button', { name: 'Show 1 more line', exact: true }).waitFor();
    assert.equal(await line.count(), 50, 'another order begins anew');
    assert.deepEqual(faults, []);
    await close();
  });

  test('shows all by a command, so that they can be searched for, and at once where a link names a line', async () => {
    const order = await placeLong(120);
    const { page, close } = await premises.openWindow();
    await page.goto(`/portal/orders/${order.reference}`);
    await page.getByText('The first 50 of 120 lines.').waitFor();
    await choose(page, 'Show all 120 lines');
    await page.getByText('Line 120.', { exact: true }).waitFor();
    assert.equal(await page.locator('.platen-ordered-line').count(), 120);
    await page.goto(`/portal/orders/${order.reference}?replace=${linesOf(order)[76]}`);
    await page.getByText('The first 100 of 120 lines.').waitFor();
    await page.getByText('Line 77.', { exact: true }).waitFor();
    await close();
  });
});
