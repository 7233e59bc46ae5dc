import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Order, PlaceOrderItem } from '../../src/orders/schema.ts';
import { sweepNow } from '../../src/privacy/retention/sweep.ts';
import { eventually } from '../harness/context.ts';
import { openFloor, placeOrder } from '../harness/floor.ts';
import { addProduct, servePicture, teeItem } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';

// An order long after it was placed: what happened to it, its papers, and the same once more.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const see = async (reference: string): Promise<Order> =>
  (await premises.service.customer.request<Order>('GET', `/orders/${reference}`)).body;

/** What the lines of an order are, and by which file each is printed: equal keys are equal prints. */
const printed = (reference: string) =>
  rows(
    premises.service,
    `select l.ordinal, l.product_id, l.sku, l.quantity, l.name, j.print_area, j.method, encode(j.print_file_key, 'hex') as file
     from orders o join order_line l on l.order_id = o.id left join print_job j on j.order_id = o.id and j.line_id = l.id
     where o.reference = $1 order by l.ordinal, j.ordinal`,
    [reference],
  );

describe('an order is placed again', () => {
  test('with its own artwork and what was filled in, by keyboard: the second order prints the same', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { service } = premises;
    const [front = '', photo = ''] = await Promise.all(
      ['teal', 'plum'].map((colour) =>
        servePicture(service, `/again-${colour}.png`, { widthPx: 900, heightPx: 900, colour }),
      ),
    );
    const own: PlaceOrderItem = teeItem(service, {
      quantity: 2,
      name: 'Club tee',
      decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: front, position: { scale: 0.5 } }] },
    });
    const album: PlaceOrderItem = {
      product_id: service.demo.products.personalised,
      variant_sku: 'TEE-ORGANIC-ECR-M',
      quantity: 1,
      decoration: {
        personalisation: { inputs: { line: 'Ada & Byron', 'line#font': 'Pacifico', portrait: photo, motif: 'heart' } },
      },
    };
    const { reference } = await placeOrder(service, { items: [own, album] });
    await page.goto(`/portal/orders/${reference}`);
    await press(page.getByRole('link', { name: 'Order again' }));
    await page.getByText(`Filled in from ${reference}, as it was placed`).waitFor();
    assert.equal(await page.getByRole('textbox', { name: /White M, pieces/ }).inputValue(), '2');
    assert.equal(await page.getByLabel('What is printed').inputValue(), 'own');
    await page.getByText('The stored file of that order, printed where it was').waitFor();
    const line = page.getByRole('textbox', { name: /^Your line/ });
    await line.waitFor();
    assert.equal(await line.inputValue(), 'Ada & Byron');
    assert.equal(await page.getByLabel('Font of Your line').inputValue(), 'Pacifico');
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    await eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(place);
    await press(page.getByRole('dialog').getByRole('button', { name: 'Place the order' }));
    await page.waitForURL((url) => /\/orders\/PF-/.test(url.pathname) && !url.pathname.endsWith(reference));
    const second = page.url().split('/').at(-1) ?? '';
    assert.deepEqual(await printed(second), await printed(reference));
    assert.deepEqual(faults, []);
    await close();
  });

  test('what is not as it was is said at its line: a file that is gone, a product that is archived', async () => {
    const { page, close } = await premises.openWindow({ widthPx: 390, heightPx: 844 });
    const { service } = premises;
    const [url = '', kept = ''] = await Promise.all(
      ['olive', 'coral'].map((colour) => servePicture(service, `/going-${colour}.png`, { colour })),
    );
    const archived = await addProduct(service, service.customer, 'MUG-11OZ', { name: 'Archived mug' });
    const decoration = {
      areas: [
        { print_area: 'front', method: 'dtg', artwork_url: url },
        { print_area: 'back', method: 'dtf', artwork_url: kept },
      ],
    };
    const mug = { product_id: archived, variant_sku: 'MUG-11OZ-WHT', quantity: 1 };
    const { reference } = await placeOrder(service, { items: [teeItem(service, { decoration }), mug] });
    assert.equal((await service.customer.request('DELETE', `/products/${archived}`)).status, 204);
    await rows(
      service,
      `update blob set deleting = true where hash in (
         select j.design_hash from print_job j join orders o on o.id = j.order_id where o.reference = $1 and j.print_area = 'front')`,
      [reference],
    );
    await page.goto(`/portal/new-order?from=${reference}`);
    await page.getByText('The artwork for front is not kept any more. Supply it anew.').waitFor();
    await page.getByText('Cannot be ordered any more: Archived mug.').waitFor();
    await page.getByText(/^Give the artwork of .* for front, or print nothing there/).waitFor();
    const place = page.getByRole('main').getByRole('button', { name: 'Place the order' });
    assert.equal(await place.isDisabled(), true, 'no print is left out unseen');
    assert.deepEqual(await problemsOfAxe(page), []);
    await rows(service, 'update blob set deleting = false where deleting');
    const field = page.getByRole('textbox', { name: /^Artwork of the front/ });
    await field.fill(url);
    await eventually('there is a price', () => place.isEnabled(), WAIT_MS);
    await field.fill('');
    await press(page.getByRole('button', { name: 'Print nothing on the front' }));
    await eventually('there is a price without it', () => place.isEnabled(), WAIT_MS);
    assert.equal(
      (await page
        .getByLabel(/^Artwork of the back/)
        .first()
        .inputValue()) === '',
      false,
    );
    await close();
  });
});

describe('the papers of an order', () => {
  test('its credit notes stand beside the invoice, each with its day, amount and PDF', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { cancelled } = premises.orders;
    const { total } = await see(cancelled.reference);
    const { body: notes } = await premises.service.customer.request<{ data: { number: string; issued_on: string }[] }>(
      'GET',
      `/orders/${cancelled.id}/credit-notes`,
    );
    const [note] = notes.data;
    await page.goto(`/portal/orders/${cancelled.reference}`);
    const papers = page.locator('section', { has: page.getByRole('heading', { name: 'Papers' }) });
    await papers.getByText(`Credit note ${note?.number ?? 'none'}`).waitFor();
    await papers.getByText(note?.issued_on ?? 'never').waitFor();
    await papers.getByText(`£${total.toFixed(2)}`).waitFor();
    const download = page.waitForEvent('download');
    await press(papers.getByRole('button', { name: `PDF of credit note ${note?.number ?? ''}` }));
    assert.equal((await download).suggestedFilename(), `${note?.number ?? ''}.pdf`);
    const chosen = page.waitForEvent('download');
    await choose(page, `Save credit note ${note?.number ?? ''}`);
    assert.equal((await chosen).suggestedFilename(), `${note?.number ?? ''}.pdf`);
    const invoice = page.waitForEvent('download');
    await press(papers.getByRole('button', { name: /^PDF of invoice/ }));
    assert.match((await invoice).suggestedFilename(), /^invoice-PF-.*\.pdf$/);
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(faults, []);
    await close();
  });
});

describe('the products of a large account', () => {
  test('each of 1,000 is found by its name or by a SKU, and chosen by Enter that comes before its answer', async () => {
    const { page, close } = await premises.openWindow();
    const { service } = premises;
    await addProduct(service, service.customer, 'POSTER-A3', { name: 'The very first poster' });
    const template = await addProduct(service, service.customer, 'TEE-CLASSIC', { name: 'One of many' });
    await rows(
      service,
      `insert into product (account_id, id, base_product_id, name, status, created_at, updated_at)
       select account_id, overlay(uuidv7()::text placing 'f' from 1)::uuid, base_product_id, name, status, created_at, updated_at
       from product, generate_series(1, 1000) where name = 'One of many'`,
    );
    assert.ok(template !== '');
    await page.goto('/portal/new-order');
    const search = page.getByLabel('Search your products');
    await focusOn(search);
    await page.keyboard.type('very first');
    await page.keyboard.press('Enter');
    await page.getByRole('button', { name: 'Remove The very first poster' }).waitFor();
    assert.equal(await search.inputValue(), '');
    await page.keyboard.type('POSTER-A3');
    await page.getByRole('button', { name: 'Add The very first poster' }).waitFor();
    await page.keyboard.press('ControlOrMeta+a');
    await page.keyboard.type('nothing at all');
    await page.getByText('No product is like this.').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await close();
  });
});

// The last: it moves the clock.
describe('what happened to an order', () => {
  test('is there after 31 days, when its events are not', async () => {
    const { page, context, faults, close } = await premises.openWindow({ isSignedIn: false });
    const { service, orders } = premises;
    const floor = await openFloor(service, 'admin');
    await floor.post(`/orders/${orders.held.id}/resume`);
    const reported = await service.customer.request('POST', `/orders/${orders.sent.id}/problems`, {
      kind: 'damaged',
      text: 'A hole.',
      items: [{ line_id: (await see(orders.sent.reference)).items[0]?.id, quantity: 1 }],
    });
    assert.equal(reported.status, 201, reported.text);
    service.shiftMs(31 * 86_400_000);
    await sweepNow(service.ctx);
    const events = await service.customer.request<{ data: object[] }>('GET', `/events?order=${orders.held.id}`);
    assert.deepEqual(events.body.data, []);
    await signIn(service, context, premises.person.email);
    const timeline = page.locator('.platen-timeline');
    await page.goto(`/portal/orders/${orders.held.reference}`);
    await timeline.getByText('Put on hold: The street has no number.').waitFor();
    await timeline.getByText('Taken off hold').waitFor();
    await page.goto(`/portal/orders/${orders.sent.reference}`);
    for (const text of ['In production', 'Dispatched', 'You reported a problem: It arrived damaged', 'Parcel sent']) {
      await timeline.getByText(text).waitFor();
    }
    await page.goto(`/portal/orders/${orders.cancelled.reference}`);
    await timeline.getByText('Cancelled by you').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(faults, []);
    await close();
  });
});
