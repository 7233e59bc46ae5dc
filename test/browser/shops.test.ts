import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { openPortal, openRole, pastProof } from '../harness/portal.ts';
import { HOME } from '../harness/shop.ts';
import { sendFromShop } from '../harness/shop-sender.ts';
import { focusOn, press } from './keys.ts';
import { choose, openPremises, PASSWORD, type Premises, problemsOfAxe, signIn } from './premises.ts';
import { openScene, type Scene, sendWaiting, stateOf } from './shop-scene.ts';

// Shops of an account that send their orders, and what a person does with these.

let premises: Premises;
before(async () => {
  premises = await openPremises();
});
after(() => premises.close());

const LOOKED_AT_MS = 20_000;

const row = (page: Page, number: string) => page.getByRole('row').filter({ hasText: number });

/** Answers a request of the page as the service refuses it. */
async function refuse(page: Page, address: string | RegExp, method: string, detail: string): Promise<void> {
  await page.route(address, (route) =>
    route.request().method() === method
      ? route.fulfill({
          status: 409,
          contentType: 'application/json',
          body: JSON.stringify({
            type: '/docs/errors#conflict',
            title: 'Conflict',
            status: 409,
            code: 'conflict',
            detail,
          }),
        })
      : route.continue(),
  );
}

async function placed({ owner }: Scene, id: string): Promise<void> {
  await eventually('it is placed', async () => (await stateOf(owner, id)) === 'placed', LOOKED_AT_MS);
}

test('a shop is connected once the password is given again; its secret is shown once, and signs its orders', async () => {
  const { service, person } = premises;
  const { page, faults, close } = await premises.openWindow();
  await page.goto('/portal/shops');
  await page.getByText('No shop is connected.').waitFor();
  await pastProof(service, await openPortal(service, person));
  await page.keyboard.press('c');
  const form = page.getByRole('dialog', { name: 'Connect a shop' });
  await form.getByLabel('What the shop runs on').selectOption({ label: 'Anything else: it sends its orders itself' });
  await focusOn(form.getByLabel('Name'));
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.keyboard.type('Fern and Thread');
  await page.keyboard.press('Enter');
  await page
    .getByRole('dialog', { name: 'Give your password again' })
    .getByLabel('Password', { exact: true })
    .fill(PASSWORD);
  await page.keyboard.press('Enter');
  const shown = page.getByRole('dialog', { name: 'Fern and Thread is connected' });
  const secret = (await shown.locator('pre').first().textContent()) ?? '';
  assert.match(secret, /^whsec_/);
  const address = (await shown.getByRole('region', { name: 'The address for its orders' }).textContent()) ?? '';
  const id = /\/channels\/(chan_\w+)\/orders$/.exec(address)?.[1] ?? '';
  await shown.getByText(`curl --fail-with-body '${address}'`).waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.keyboard.press('Escape');
  assert.ok(await shown.isVisible(), 'it does not go by accident');
  await press(shown.getByRole('button', { name: 'I have kept it' }));
  await page.waitForURL(`**/portal/shops/${id}`);
  await page.getByText('It has sent no order yet').waitFor();
  await page.reload();
  await page.getByText('It has sent no order yet').waitFor();
  assert.ok(!(await page.content()).includes(secret));

  await sendFromShop(service, { id, secret }, { unpaid: true, items: [{ id: '1', title: 'Tee', quantity: 1 }] });
  await assert.rejects(sendFromShop(service, { id, secret: 'whsec_AAAA' }, { items: [] }));
  await page.goto('/portal/shops');
  await page.getByText('One request was refused for a wrong signature').waitFor();
  await page.getByText(/^Last order just now/).waitFor();
  await page.getByText('The buyer has not paid in the shop').waitFor();
  assert.deepEqual(
    faults.filter((fault) => !fault.includes('403')),
    [],
  );
  await close();
});

describe('items', () => {
  test('an item is said by one key, and the orders that wait for it are placed', async () => {
    const scene = await openScene(premises, 'Mapped');
    const { send, unknown, shop } = scene;
    const waiting = [
      await send({ number: '#2001', items: [unknown] }),
      await send({ number: '#2002', items: [unknown] }),
    ];
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/shops/${shop.id}`);
    const suggestion = page.getByRole('button', { name: `It is ${unknown.title}, White / M` });
    await suggestion.waitFor();
    await page.getByText('2 orders wait for it').waitFor();
    await press(suggestion);
    const said = page.getByText(
      `${unknown.title} - White / M: ${unknown.title}, White / M. 2 orders that waited for it go on.`,
    );
    await said.waitFor();
    await page.locator('[role="status"]:focus').waitFor();
    for (const id of waiting) await placed(scene, id);
    await page.getByText('Nothing waits.').waitFor();
    await page.getByText(`is ${unknown.title}, White / M`).waitFor();
    assert.equal(await suggestion.count(), 0);
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(faults, []);
    await close();
  });

  test('any product is found by its name; what others make is left out; both are changed and forgotten', async () => {
    const scene = await openScene(premises, 'Chosen');
    const { send, known, shop } = scene;
    const mug = { id: '1', variant_id: '77', title: 'Hooded jumper', quantity: 1 };
    const id = await send({ number: '#3001', items: [mug, { id: '2', title: 'Gift card', quantity: 1 }] });
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/shops/${shop.id}`);
    await press(page.getByRole('button', { name: 'Choose a product: Hooded jumper' }));
    const dialog = page.getByRole('dialog', { name: 'What is Hooded jumper?' });
    await dialog.locator('input:focus').waitFor();
    await page.keyboard.type('no such thing');
    await dialog.getByText('No product has these words.').waitFor();
    await dialog.getByLabel('Search your products').fill('hoodie');
    await dialog.getByRole('button', { name: 'Choose Fern hoodie' }).waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.keyboard.press('Enter');
    await dialog.locator('select:focus').selectOption({ label: 'Sand / M' });
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(dialog.getByRole('button', { name: 'It is this' }));
    await dialog.waitFor({ state: 'hidden' });
    await page
      .getByText(
        'Hooded jumper: Fern hoodie, Sand / M. The order that waited for it goes on, unless another item is missing.',
      )
      .waitFor();
    await press(page.getByRole('button', { name: 'Not ours: Gift card' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'It is not made here' }));
    await page.getByText(/^Gift card: not made here\./).waitFor();
    await placed(scene, id);

    await press(page.getByRole('button', { name: 'Change what Gift card is' }));
    const change = page.getByRole('dialog', { name: 'What is Gift card?' });
    await press(change.getByRole('button', { name: `Choose ${known.title}` }));
    await change.getByLabel('Colour and size').selectOption({ label: 'White / M' });
    await page.keyboard.press('Enter');
    await press(change.getByRole('button', { name: 'It is this' }));
    await page.getByText(/Orders from now on are made so\.$/).waitFor();
    await press(page.getByRole('button', { name: 'Forget Gift card' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Forget it' }));
    await page.getByText('Gift card is forgotten.').waitFor();
    await page.getByRole('button', { name: 'Forget Gift card' }).waitFor({ state: 'detached' });
    assert.deepEqual(faults, []);
    await close();
  });

  test('what the service does not take comes back, with its words; so does a pause', async () => {
    const { send, unknown, shop } = await openScene(premises, 'Refused');
    await send({ number: '#4001', items: [unknown] });
    const { page, close } = await premises.openWindow();
    await refuse(page, '**/items', 'POST', 'The shop knows too many items.');
    await refuse(page, `**/channels/${shop.id}`, 'PATCH', 'The shop was disconnected just now.');
    await page.goto(`/portal/shops/${shop.id}`);
    const suggestion = page.getByRole('button', { name: /^It is / });
    await suggestion.waitFor();
    await press(suggestion);
    await page.getByText(/is as it was: what you said was not taken\.$/).waitFor();
    await page.getByRole('alert').getByText('The shop knows too many items.').waitFor();
    await suggestion.waitFor();
    await press(page.getByRole('button', { name: 'Pause' }));
    await page.getByRole('alert').getByText('The shop was disconnected just now.').waitFor();
    await page.getByText('Connected', { exact: true }).waitFor();
    await close();
  });
});

describe('the orders of shops', () => {
  let scene: Scene;
  before(async () => {
    scene = await openScene(premises, 'The Allotment Society');
    await sendWaiting(scene);
  });

  test('what a buyer entered for a plain product is said, and that it does not matter is said once, by keyboard', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { send, known, owner } = await openScene(premises, 'Engraved');
    const properties = [{ name: 'Engrave', value: 'Anna' }];
    const item = { ...known, variant_id: '9101', properties };
    const [one, two] = [await send({ number: '#2101', items: [item] }), await send({ number: '#2102', items: [item] })];
    await page.goto(`/portal/shop-orders?open=${one}`);
    await page.getByText('What the buyer entered under “Engrave” is made by no one').first().waitFor();
    await press(page.getByRole('button', { name: 'Entries do not matter' }));
    const asked = page.getByRole('dialog', { name: 'Leave out what buyers enter for the items of #2101?' });
    await asked.waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(asked.getByRole('button', { name: 'It does not matter' }));
    for (const id of [one, two]) {
      await eventually('it is placed', async () => (await stateOf(owner, id)) === 'placed', LOOKED_AT_MS);
    }
    assert.deepEqual(faults, []);
    await close();
  });

  test('rules are set, and an order that waits for approval is placed by keyboard', async () => {
    const { page, faults, close } = await premises.openWindow();
    const { send, known, shop } = await openScene(premises, 'Approved');
    await page.goto(`/portal/shops/${shop.id}`);
    await focusOn(page.getByLabel('A person looks at each order'));
    await page.keyboard.press('Space');
    await page.getByLabel('Minutes before an order is placed').fill('soon');
    await press(page.getByRole('button', { name: 'Save the rules' }));
    await page.getByRole('alert').waitFor();
    assert.equal(
      await page.getByLabel('Minutes before an order is placed').inputValue(),
      'soon',
      'what was typed stays',
    );
    await page.getByLabel('Minutes before an order is placed').fill('15');
    await press(page.getByRole('button', { name: 'Add a service' }));
    await page.getByLabel('In the shop').fill('Standard');
    await press(page.getByRole('button', { name: 'Save the rules' }));
    await page.getByText('The rules are changed.').waitFor();
    const { body } = await scene.owner.request<{ needs_approval: boolean; delay_minutes: number; services: object[] }>(
      'GET',
      `/channels/${shop.id}`,
    );
    assert.deepEqual([body.needs_approval, body.delay_minutes, body.services.length], [true, 15, 1]);

    const id = await send({ number: '#5001', items: [known] });
    await page.goto(`/portal/shop-orders?channel=${shop.id}`);
    await row(page, '#5001').getByText('You look at each order of this shop: place it, or ignore it').waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    const detail = page.getByRole('dialog', { name: '#5001 of Approved' });
    await detail.getByText(`1 × ${known.title} - White / M`).waitFor();
    await detail.getByText('Ada Byron, Leeds, LS1 4DY, GB').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(detail.getByRole('button', { name: 'Place now' }));
    await page.getByRole('dialog', { name: 'Place #5001?' }).getByRole('button', { name: 'Place it now' }).waitFor();
    await page.keyboard.press('Enter');
    await detail.waitFor({ state: 'hidden' });
    await row(page, '#5001').getByText('Placed', { exact: true }).waitFor({ timeout: LOOKED_AT_MS });
    await press(row(page, '#5001').getByRole('link', { name: /^PF-/ }));
    await page.getByRole('heading', { level: 1, name: /^PF-/ }).waitFor();
    assert.equal(await stateOf(scene.owner, id), 'placed');
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('422')),
      [],
    );
    await close();
  });

  test('each says who has to do what; they are narrowed by the address, which back undoes', async () => {
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/shop-orders?channel=${scene.shop.id}`);
    await row(page, '#1002').getByText('An item is not known here yet: say what it is').waitFor();
    await row(page, '#1002').getByText('Gift card:').waitFor();
    await row(page, '#1003').getByText('The buyer has not paid in the shop').waitFor();
    assert.equal(await row(page, '#1003').getByRole('button', { name: 'Place' }).count(), 0, 'the shop has to');
    await row(page, '#1005').getByText('A test of the shop, which is never placed').waitFor();
    await row(page, '#1006').getByText('postcode: must not be empty.').waitFor();
    assert.equal(await page.getByRole('row').count(), 7, 'the head and six orders');
    await press(page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Ignored' }));
    await page.waitForURL(`**/shop-orders?state=ignored&channel=${scene.shop.id}`);
    await eventually('one', async () => (await page.getByRole('row').count()) === 2);
    await page.goBack();
    await eventually('six', async () => (await page.getByRole('row').count()) === 7);
    await choose(page, 'Only orders: Placed');
    await page.getByText('No order is like this.').waitFor();
    await press(page.getByRole('button', { name: 'Show all orders' }));
    await page.waitForURL('**/shop-orders');
    await page.getByLabel('Shop', { exact: true }).selectOption({ label: 'The Allotment Society' });
    await page.waitForURL(`**/shop-orders?channel=${scene.shop.id}`);
    assert.deepEqual(faults, []);
    await close();
  });

  test('they are narrowed to a reason, which stands in the address and says how many wait for it', async () => {
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/shop-orders?channel=${scene.shop.id}`);
    const reason = page.getByLabel('Reason', { exact: true });
    await row(page, '#1002').waitFor();
    await reason.selectOption({ label: 'Unknown item (2)' });
    await page.waitForURL(`**/shop-orders?channel=${scene.shop.id}&reason=needs_mapping`);
    await eventually('the head and two', async () => (await page.getByRole('row').count()) === 3);
    await page.reload();
    await row(page, '#1001').waitFor();
    assert.equal(await reason.inputValue(), 'needs_mapping');
    await reason.selectOption({ label: 'Test order' });
    await row(page, '#1005').waitFor();
    await page.goBack();
    await row(page, '#1002').waitFor();
    await press(page.getByRole('navigation', { name: 'State' }).getByRole('link', { name: 'Ignored' }));
    await page.waitForURL(`**/shop-orders?state=ignored&channel=${scene.shop.id}`);
    assert.deepEqual(
      [await reason.inputValue(), await reason.locator('optgroup').count()],
      ['', 1],
      'a state has reasons of its own',
    );
    await page.goto(`/portal/shops/${scene.shop.id}`);
    await press(page.getByRole('link', { name: '2 orders', exact: true }));
    await page.waitForURL(`**/shop-orders?state=waiting&reason=needs_mapping&channel=${scene.shop.id}`);
    await row(page, '#1001').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(faults, []);
    await close();
  });

  test('home says what waits for a person, and leads to it', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal');
    const needs = page.locator('section', { has: page.getByRole('heading', { name: 'Needs you' }) });
    await needs.getByText('2 × An item is not known here yet: say what it is').waitFor();
    await press(needs.getByRole('link', { name: '4 orders of The Allotment Society' }));
    await page.waitForURL(`**/shop-orders?state=waiting&channel=${scene.shop.id}`);
    await row(page, '#1001').waitFor();
    await close();
  });

  test('who may only read sees all of it, and no button that changes anything', async () => {
    const { person } = await openRole(premises.service, 'reader');
    const { page, context, close } = await premises.openWindow({ isSignedIn: false });
    await signIn(premises.service, context, person.email);
    const main = page.getByRole('main');
    await page.goto('/portal/shops');
    await main.getByRole('link', { name: 'The Allotment Society' }).waitFor();
    assert.equal(await main.getByRole('button').count(), 0);
    await page.goto(`/portal/shops/${scene.shop.id}`);
    await main.getByText('Gift card').first().waitFor();
    await main.getByText('by itself').waitFor();
    assert.equal(await main.getByRole('button').count(), 0);
    await page.goto(`/portal/shop-orders?channel=${scene.shop.id}`);
    await row(page, '#1004').waitFor();
    assert.equal(await main.getByRole('button', { name: /^(Place|Ignore)/ }).count(), 0);
    await page.keyboard.press('j');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    assert.equal(await main.getByRole('button', { name: /^(Place|Ignore)/ }).count(), 0);
    await close();
  });

  test('several are placed one after another, and others ignored, with a result for each', async () => {
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/shop-orders?state=waiting&channel=${scene.shop.id}`);
    // The newest first: #1006 with a wrong address, #1004 of high risk.
    await row(page, '#1006').waitFor();
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Place 2 orders?' });
    await dialog.getByRole('button', { name: 'Place 2 orders' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 of 2 orders placed' }).waitFor({ timeout: LOOKED_AT_MS });
    await page.getByText(/^#1004: placed as PF-/).waitFor();
    await page.getByText('#1006: waits: The address is not complete or not served').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('button', { name: 'Close' }));
    await row(page, '#1004').waitFor({ state: 'detached' });

    await focusOn(page.getByLabel('Select all of this page'));
    await page.keyboard.press('Space');
    await page.keyboard.press('i');
    const ignoring = page.getByRole('dialog', { name: /^Ignore 4 orders\?$/ });
    await press(ignoring.getByRole('button', { name: 'Ignore 4 orders' }));
    await page.getByRole('heading', { name: '4 of 4 orders ignored' }).waitFor({ timeout: LOOKED_AT_MS });
    await page.getByText('No order is like this.').waitFor();
    const last = await scene.send({ number: '#1007', on_hold: true, items: [scene.known] });
    await page.keyboard.press('r');
    await press(row(page, '#1007').getByRole('button', { name: 'Ignore: #1007' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Ignore it' }));
    await row(page, '#1007').waitFor({ state: 'detached' });
    await page.locator('nav a:focus', { hasText: 'Waiting' }).waitFor();
    assert.equal(await stateOf(scene.owner, last), 'ignored');
    assert.deepEqual(faults, []);
    await close();
  });
});

test('an address that was refused is put right where it is shown, with what was wrong at its field', async () => {
  const scene = await openScene(premises, 'Corrected');
  const id = await scene.send({ number: '#7001', items: [scene.known], shipping_address: { ...HOME, postcode: '' } });
  const { page, faults, close } = await premises.openWindow({ widthPx: 390 });
  await page.goto(`/portal/shop-orders?channel=${scene.shop.id}&open=${id}`);
  const dialog = page.getByRole('dialog');
  await press(dialog.getByRole('button', { name: 'Correct the address' }));
  await dialog.getByText('must not be empty.').last().waitFor();
  assert.equal(await dialog.getByLabel('Street and number').inputValue(), HOME.line1);
  assert.deepEqual(await problemsOfAxe(page), []);
  await dialog.getByLabel('Postcode').fill('LS1 4DY');
  await press(dialog.getByRole('button', { name: 'Save the address' }));
  await dialog.getByText('Placed', { exact: true }).waitFor({ timeout: LOOKED_AT_MS });
  assert.equal(await stateOf(scene.owner, id), 'placed');
  assert.deepEqual(faults, []);
  await close();
});

test('a secret is replaced, and a shop paused, let go on, and disconnected by typing its name', async () => {
  const scene = await openScene(premises, 'Moth');
  const { send, known, shop, owner } = scene;
  const before = await send({ number: '#6001', items: [known] });
  await placed(scene, before);
  const { page, close } = await premises.openWindow();
  await page.goto(`/portal/shops/${shop.id}`);
  await press(page.getByRole('button', { name: 'Pause' }));
  await page.getByText('Paused', { exact: true }).waitFor();
  const waits = await send({ number: '#6002', items: [known] });
  await page.getByRole('button', { name: 'Let it go on' }).waitFor();
  assert.equal(await stateOf(owner, waits), 'waiting');
  await choose(page, 'Let the shop go on');
  await placed(scene, waits);

  await press(page.getByRole('button', { name: 'Replace the secret' }));
  await press(page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }));
  const shown = page.getByRole('dialog', { name: 'The new secret of Moth' });
  const secret = (await shown.locator('pre').first().textContent()) ?? '';
  await press(shown.getByRole('button', { name: 'I have kept it' }));
  const open = await sendFromShop(premises.service, { id: shop.id, secret }, { on_hold: true, items: [known] });
  await eventually('it waits', async () => (await stateOf(owner, open)) === 'waiting');

  await page.reload();
  await press(page.getByRole('button', { name: 'Disconnect' }));
  const dialog = page.getByRole('dialog', { name: 'Disconnect Moth?' });
  await dialog.getByText(/1 order that waits is ignored for good\. Orders that are placed go on/).waitFor();
  await dialog.locator('input:focus').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  assert.equal(await dialog.getByRole('button', { name: 'Disconnect it' }).isDisabled(), true);
  await page.keyboard.type('Moth');
  await page.keyboard.press('Enter');
  await page.getByText('Disconnected', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Replace the secret' }).count(), 0);
  await eventually('it is ignored', async () => (await stateOf(owner, open)) === 'ignored', LOOKED_AT_MS);
  await assert.rejects(sendFromShop(premises.service, { id: shop.id, secret }, { items: [known] }));
  await close();
});
