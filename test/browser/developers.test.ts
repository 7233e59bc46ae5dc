import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { createClient, verifyWebhook } from '../../sdk/src/index.ts';
import { eventually } from '../harness/context.ts';
import { placeOrder } from '../harness/floor.ts';
import { obtainTokens, openApp, openPerson, statusWith } from '../harness/oauth.ts';
import { HOME } from '../harness/shop.ts';
import type { Hit } from '../harness/stranger.ts';
import { rows } from '../harness/written.ts';
import { focusOn, press } from './keys.ts';
import { openPremises, PASSWORD, type Premises, problemsOfAxe, signIn } from './premises.ts';

let premises: Premises;
before(async () => {
  // Deliveries go out at once, and what has failed waits for a person.
  premises = await openPremises({ WEBHOOK_FLUSH_SECONDS: '0', WEBHOOK_RETRY_SECONDS: '3600,3600' });
});
after(() => premises.close());

const hitsOn = (path: string): Hit[] => premises.service.stranger.hits.filter((hit) => hit.path === path);

async function placeOne(externalReference: string): Promise<void> {
  await placeOrder(premises.service, {
    external_reference: externalReference,
    shipping_address: HOME,
    items: [
      {
        product_id: premises.service.demo.products.fixed,
        variant_sku: 'TEE-CLASSIC-WHT-M',
        quantity: 1,
        print_jobs: [],
      },
    ],
  });
}

/** The secret that a dialog shows once; then the dialog is closed. */
async function takeSecret(page: Page, title: string | RegExp): Promise<string> {
  const dialog = page.getByRole('dialog', { name: title });
  const text = (await dialog.locator('pre').textContent()) ?? '';
  await page.keyboard.press('Escape');
  assert.ok(await dialog.isVisible(), 'it does not go by accident');
  await press(dialog.getByRole('button', { name: 'I have kept it' }));
  await dialog.waitFor({ state: 'hidden' });
  return text;
}

describe('webhooks', () => {
  test('a lost webhook is found and replayed: the answer is read, it is sent again, and then a span of time', async () => {
    const { stranger } = premises.service;
    let isMended = false;
    stranger.serve('/shop', (_hit, response) => {
      if (isMended) response.writeHead(204).end();
      else response.writeHead(500).end('{"error":"the stock table is locked"}');
    });
    const { page, faults, close } = await premises.openWindow();
    await page.goto('/portal/developers/webhooks');
    await page.getByText('There is no webhook yet.').waitFor();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'Add a webhook' });
    await form.locator('input:focus').waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.keyboard.type('http://shop.example/');
    await page.keyboard.press('Enter');
    await form.getByRole('alert').waitFor();
    assert.deepEqual(
      [await form.getByLabel('Address').inputValue(), await form.getByLabel('Address').getAttribute('aria-invalid')],
      ['http://shop.example/', 'true'],
      'what was refused stays, with the reason at its field',
    );
    await form.getByLabel('Address').fill(stranger.url('/shop'));
    await page.keyboard.press('Enter');
    const secret = await takeSecret(page, 'The signing secret');
    assert.match(secret, /^whsec_/);
    await page.getByRole('heading', { level: 1, name: 'Webhook' }).waitFor();

    for (const reference of ['LOST-1', 'LOST-2']) await placeOne(reference);
    await eventually('two failures', () => hitsOn('/shop').length === 2);
    await page.reload();
    await page.getByText(/Every attempt since .* has failed/).waitFor();
    await page.getByLabel('Outcome').selectOption({ label: 'Failed, is retried' });
    await page.waitForURL('**?status=retrying');
    const found = page.getByRole('table').getByRole('link', { name: 'order.created' });
    await eventually('both', async () => (await found.count()) === 2);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');
    // The receiver of the tests is a private host that the operator trusts: its status is shown, and none of its text.
    await page
      .getByText('The receiver answered 500; only 2xx counts as delivered. None of its text is kept.')
      .waitFor();
    assert.ok(!(await page.content()).includes('the stock table is locked'));
    await page.getByText(/"external_reference": "LOST-2"/).waitFor();
    assert.ok(!(await page.content()).includes(secret));
    assert.deepEqual(await problemsOfAxe(page), []);

    isMended = true;
    await press(page.getByRole('button', { name: 'Send it again' }));
    await page.getByText('Its next attempt starts now.').waitFor();
    await page.getByText('The receiver answered 204.').waitFor();
    await press(page.getByRole('link', { name: 'All deliveries of this webhook' }));
    await page.getByText('Active', { exact: true }).waitFor();

    // What happened before there was a webhook is replayed, too; what the span does not hold is not.
    await press(page.getByRole('button', { name: 'Count the events' }));
    const send = page.getByRole('button', { name: /^Send \d+ events again$/ });
    await send.waitFor();
    const counted = Number(/\d+/.exec((await send.textContent()) ?? '')?.[0]);
    assert.equal(hitsOn('/shop').length, 3, 'counting sends nothing');
    assert.ok(counted > 2);
    await press(send);
    await page.getByText(`${counted} of ${counted} succeeded`).waitFor();
    await page.getByText('Completed').waitFor();

    const received = hitsOn('/shop').slice(2);
    assert.equal(received.length, counted + 1);
    const events = await Promise.all(
      received.map(({ headers, body }) => verifyWebhook({ secret, headers, rawBody: body })),
    );
    const lost = events.filter(({ data }) => /LOST-/.test(JSON.stringify(data)));
    assert.deepEqual(new Set(lost.map(({ data }) => 'external_reference' in data && data.external_reference)).size, 2);
    assert.equal(new Set(events.map(({ id }) => id)).size, counted, 'each event has the id that it had');
    assert.deepEqual(await problemsOfAxe(page), []);
    assert.deepEqual(
      faults.filter((fault) => !fault.includes('422')),
      [],
    );
    await close();
  });

  test('a test event of each kind shows its answer; a secret is replaced, a webhook paused, resumed and removed', async () => {
    const { customer, stranger } = premises.service;
    stranger.serve('/tried', { status: 418, body: 'short and stout' });
    const { body } = await customer.request<{ id: string; secret: string }>('POST', '/webhooks', {
      url: stranger.url('/tried'),
    });
    const { page, close } = await premises.openWindow();
    await page.goto(`/portal/developers/webhooks/${body.id}`);
    await page.getByText('One secret signs every delivery.').waitFor();
    await page.keyboard.press('t');
    const dialog = page.getByRole('dialog', { name: 'Send a test event' });
    await dialog.getByLabel('Event').selectOption('order.dispatched');
    await press(dialog.getByRole('button', { name: 'Send the test' }));
    await dialog.getByText('Not delivered').waitFor();
    await dialog.getByText('The receiver answered 418').waitFor();
    assert.ok(!(await page.content()).includes('short and stout'), 'nor in a test');
    await dialog.getByText('"tracking_numbers"').waitFor();
    assert.equal(hitsOn('/tried')[0]?.headers['svc-event'], 'order.dispatched');
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await press(page.getByRole('button', { name: 'Replace it' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }));
    const next = await takeSecret(page, 'The new signing secret');
    assert.ok(next.startsWith('whsec_') && next !== body.secret);
    await page.getByText(/Two secrets sign every delivery for another 23 h 5\d min/).waitFor();
    await page.keyboard.press('t');
    await press(dialog.getByRole('button', { name: 'Send the test' }));
    await eventually('another test', () => hitsOn('/tried').length === 2);
    const [, hit] = hitsOn('/tried');
    for (const secret of [body.secret, next]) {
      await verifyWebhook({ secret, headers: hit?.headers ?? {}, rawBody: hit?.body ?? Buffer.alloc(0) });
    }
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });

    await press(page.getByRole('button', { name: 'Pause' }).first());
    await press(page.getByRole('dialog').getByRole('button', { name: 'Pause it' }));
    await page.getByText('Paused', { exact: true }).waitFor();
    await press(page.getByRole('button', { name: 'Count the events' }));
    await page.getByText('Resume the webhook first').waitFor();
    await press(page.getByRole('button', { name: 'Resume' }));
    await page.getByText('Active', { exact: true }).waitFor();
    await press(page.getByRole('button', { name: 'Remove' }));
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await page.keyboard.type(new URL(stranger.url('/')).hostname);
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/developers/webhooks');
    assert.equal((await customer.request('GET', `/webhooks/${body.id}`)).status, 404);
    await close();
  });

  test('of several deliveries that are sent again one is refused, with its reason, and the other is sent', async () => {
    const { customer, stranger } = premises.service;
    stranger.serve('/several', { status: 500 });
    const url = stranger.url('/several');
    const { body } = await customer.request<{ id: string }>('POST', '/webhooks', { url, events: ['order.created'] });
    // After three failures in a row it would wait for its turn.
    for (const reference of ['SEVERAL-1', 'SEVERAL-2']) await placeOne(reference);
    await eventually('two failures', () => hitsOn('/several').length === 2);
    stranger.serve('/several', { status: 204 });
    const { page, close } = await premises.openWindow();
    await page.goto(`/portal/developers/webhooks/${body.id}?status=retrying`);
    const listed = page.getByRole('table').getByRole('link', { name: 'order.created' });
    await eventually('both', async () => (await listed.count()) === 2);
    let refused = 0;
    await page.route('**/redeliver', async (route) => {
      refused += 1;
      if (refused !== 1) return route.continue();
      const detail = 'An attempt is under way.';
      const problem = { title: 'Conflict', status: 409, code: 'conflict', detail, request_id: 'req_of_a_test' };
      return route.fulfill({ status: 409, headers: { 'x-request-id': 'req_of_a_test' }, json: problem });
    });
    await focusOn(page.getByLabel('Select all of this page'));
    await page.keyboard.press('Space');
    await page.getByText('2 selected').waitFor();
    await press(page.getByRole('button', { name: 'Send again' }));
    await page.getByRole('heading', { name: '1 of 2 deliveries sent again' }).waitFor();
    const results = page.getByRole('list', { name: 'Results' }).getByRole('listitem');
    await results.getByText(/^order\.created dlv_\w+: An attempt is under way\. \(req_of_a_test\)$/).waitFor();
    assert.equal(await results.getByText(/: its next attempt starts now$/).count(), 1);
    await eventually('the other', () => hitsOn('/several').length === 3);
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(page.getByRole('button', { name: 'Close', exact: true }));
    await results.first().waitFor({ state: 'detached' });
    await close();
  });
});

describe('access', () => {
  test('a token is made once the password is given again, works, shows its requests, and is revoked', async () => {
    const { service, person } = premises;
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/developers/tokens');
    await rows(service, "update portal_session set proven_at = proven_at - interval '15 minutes' where user_id = $1", [
      person.id,
    ]);
    await page
      .getByRole('button', { name: /^Revoke / })
      .first()
      .waitFor();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'Make a token' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.type('Warehouse');
    await form.getByLabel('How long it is valid').selectOption('90');
    assert.deepEqual(await problemsOfAxe(page), []);
    await press(form.getByRole('button', { name: 'Make it' }));
    const again = page.getByRole('dialog', { name: 'Give your password again' });
    await again.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.keyboard.press('Enter');
    const token = await takeSecret(page, 'The token of Warehouse');

    // As the quick start has it.
    const client = createClient({ baseUrl: service.url, token });
    assert.ok((await client.orders.list({ limit: 1 })).data.length === 1);
    await service.ctx.requestLog.flush(service.ctx.database);
    await page.goto('/portal/developers/requests?status=4xx');
    await page.getByLabel('Token').selectOption({ label: 'Warehouse' });
    await page.getByText('No request is like this.').waitFor();
    await page.getByLabel('Answer').selectOption('2xx');
    const line = page.getByRole('row').filter({ hasText: 'GET /orders' });
    await line.getByText('Warehouse').waitFor();
    const id = (await line.getByRole('button', { name: /^Copy req_/ }).textContent()) ?? '';
    await press(line.getByRole('link'));
    await page.waitForURL(`**/requests?id=${id}`);
    assert.equal(await page.getByLabel('Request id').inputValue(), id);
    // What no choice has is shown, too, also to who does not see the tokens.
    await page.goto('/portal/developers/requests?status=404&token=tok_unknown');
    assert.equal(await page.getByLabel('Answer').inputValue(), '404');

    await page.goto('/portal/developers/tokens');
    await press(page.getByRole('button', { name: 'Revoke Warehouse' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }));
    await page.getByText('Revoked', { exact: true }).waitFor();
    await eventually('the end of the token', async () => (await statusWith(service, token)) === 401);
    await close();
  });

  test('an owner registers an app, with the service’s words at a wrong address, gives it a new secret and removes it', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/developers/apps');
    await page.getByText('No app is registered.').waitFor();
    await page.keyboard.press('c');
    const form = page.getByRole('dialog', { name: 'Register an app' });
    await form.locator('input:focus').waitFor();
    await page.keyboard.type('Shirt Planner');
    await form.getByLabel('Redirect addresses').fill('https://app.example/back\nhttp://app.example/back');
    await press(form.getByRole('button', { name: 'Register it' }));
    await form
      .getByText('must begin with https://, or with http:// on 127.0.0.1, [::1] or localhost.')
      .first()
      .waitFor();
    assert.deepEqual(await problemsOfAxe(page), []);
    await form.getByLabel('Redirect addresses').fill('https://app.example/back');
    await press(form.getByRole('button', { name: 'Register it' }));
    const first = await takeSecret(page, 'The secret of Shirt Planner');
    await press(page.getByRole('button', { name: 'New secret of Shirt Planner' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'Make a new secret' }));
    const second = await takeSecret(page, 'The secret of Shirt Planner');
    assert.ok(first.startsWith('ocs_') && second.startsWith('ocs_') && first !== second);
    await press(page.getByRole('button', { name: 'Remove Shirt Planner' }));
    await page.getByRole('dialog').locator('input:focus').waitFor();
    await page.keyboard.type('Shirt Planner');
    await page.keyboard.press('Enter');
    await page.getByText('Removed', { exact: true }).waitFor();
    await close();
  });

  test('the access of an app is ended, and a reader is offered nothing that changes', async () => {
    const { service, person } = premises;
    const app = await openApp(service, { accountId: (await service.openCustomer()).accountId, name: 'Label Maker' });
    const tokens = await obtainTokens(service, app, person);
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/developers/apps');
    await press(page.getByRole('button', { name: 'End the access of Label Maker' }));
    await press(page.getByRole('dialog').getByRole('button', { name: 'End its access' }));
    await page.getByText('No app may use this account.').waitFor();
    await eventually('the end', async () => (await statusWith(service, tokens.access_token)) === 401);
    await close();

    const reader = await openPerson(service, service.customer.accountId, 'reader');
    const other = await premises.openWindow({ isSignedIn: false });
    await signIn(service, other.context, reader.email);
    const { body } = await service.customer.request<{ id: string }>('POST', '/webhooks', {
      url: service.stranger.url('/seen'),
    });
    await other.page.goto('/portal/developers/webhooks');
    const tabs = other.page.getByRole('navigation', { name: 'Developers' }).getByRole('link');
    await other.page.getByRole('link', { name: /\/seen$/ }).click();
    await other.page.waitForURL(`**/${body.id}`);
    await other.page.getByText('Nothing was sent yet.').waitFor();
    assert.deepEqual(await tabs.allTextContents(), ['Quick start', 'Webhooks', 'Events', 'Requests']);
    for (const name of ['Pause', 'Replace it', 'Send a test', 'Count the events']) {
      assert.equal(await other.page.getByRole('button', { name }).count(), 0, name);
    }
    assert.deepEqual(other.faults, []);
    await other.close();
  });
});

test('a text to copy leaves room for its button', async () => {
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/developers');
  const block = page.locator('.platen-text-block').first();
  await block.waitFor();
  const button = await block.getByRole('button').boundingBox();
  const room = (side: string) =>
    page.evaluate<number>(`parseFloat(getComputedStyle(document.querySelector('.platen-text-block > pre')).${side})`);
  assert.ok((await room('paddingRight')) >= (button?.width ?? 0), 'beside it');
  await page.setViewportSize({ width: 390, height: 844 });
  assert.ok((await room('paddingTop')) >= (button?.height ?? 0), 'above it, where the page is narrow');
  await close();
});

test('events are narrowed by the address, opened where they stand, and lead to their order', async () => {
  const { reference } = premises.orders.sent;
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/developers/events');
  await page.getByRole('table').waitFor();
  await page.getByRole('textbox', { name: 'Order', exact: true }).fill(reference);
  await page.keyboard.press('Enter');
  await page.waitForURL(`**?order=${reference}`);
  await page.getByLabel('Event').selectOption('order.dispatched');
  const found = page.getByRole('table').getByRole('link', { name: 'order.dispatched' });
  // It is the first of the rows only once the others are gone.
  await page.waitForURL(/event=order\.dispatched/);
  const rowCount = () => page.locator('tbody').getByRole('row').count();
  await eventually('one', async () => (await found.count()) === 1 && (await rowCount()) === 1);
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'order.dispatched' });
  await dialog.getByText('"tracking_numbers"').waitFor();
  assert.deepEqual(await problemsOfAxe(page), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  await press(page.getByRole('table').getByRole('link', { name: reference }));
  await page.getByRole('heading', { level: 1, name: reference }).waitFor();
  await close();
});
