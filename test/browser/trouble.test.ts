import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { placeOrder } from '../harness/floor.ts';
import { press } from './keys.ts';
import { leaveFile } from './page-scene.ts';
import { choose, openPremises, PASSWORD, type Premises, problemsOfAxe, signIn, WAIT_MS } from './premises.ts';
import { openScene } from './shop-scene.ts';

/** What the list of orders asks for. */
const LIST_OF_ORDERS = /\/api\/v1\/orders(\?|$)/;

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

  test('a picture that is not drawn in time is asked for again, and a sign stands for it meanwhile', async () => {
    const { page, close } = await premises.openWindow();
    let asked = 0;
    await page.route(/\/(pictures|mockups|files)\//, async (route) => {
      asked += 1;
      if (asked === 1) await route.fulfill({ status: 503 });
      else await route.continue();
    });
    await page.goto(`/portal/orders/${premises.orders.held.reference}`);
    await page.getByRole('img', { name: 'Fern hoodie: no picture' }).waitFor();
    await page.getByRole('img', { name: 'Fern hoodie', exact: true }).waitFor();
    assert.equal(asked, 2);
    await close();
  });

  test('on the machine of the service, its pictures are there by its other name, too', async () => {
    const { service, browser, person } = premises;
    const url = service.url.replace('127.0.0.1', 'localhost');
    const context = await browser.newContext({ baseURL: url });
    const page = await context.newPage();
    const refusals: string[] = [];
    page.on('console', (message) => {
      if (message.text().includes('Content Security Policy')) refusals.push(message.text());
    });
    await page.goto('/portal/sign-in');
    await page.getByLabel('Email').fill(person.email);
    await page.getByLabel('Password', { exact: true }).fill(PASSWORD);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('heading', { level: 1, name: 'Home' }).waitFor();
    await page.goto(`/portal/orders/${premises.orders.held.reference}`);
    await page.getByRole('img', { name: 'Fern hoodie', exact: true }).waitFor();
    const width = `document.querySelector('img[alt="Fern hoodie"]')?.naturalWidth ?? 0`;
    await eventually('it is drawn', async () => (await page.evaluate<number>(width)) > 0, WAIT_MS);
    assert.deepEqual(refusals, []);
    await context.close();
  });

  test('an answer that comes soon has no skeleton before it: one is seen after 200 ms alone', async () => {
    const { page, close } = await premises.openWindow();
    let answer: () => void = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(LIST_OF_ORDERS, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/portal/orders');
    const skeleton = page.locator('.platen-panel .platen-late');
    await skeleton.waitFor({ state: 'attached' });
    // By the clock of its animation, which is stopped just before the time and just after it.
    const seenAt = (ms: number): Promise<string> =>
      page.evaluate<string>(`(() => {
        const element = document.querySelector('.platen-panel .platen-late');
        const [animation] = element.getAnimations();
        if (animation === undefined) return 'it has no delay';
        animation.pause();
        animation.currentTime = ${ms};
        return getComputedStyle(element).opacity;
      })()`);
    assert.deepEqual([await seenAt(0), await seenAt(199), await seenAt(201)], ['0', '0', '1']);
    answer();
    await skeleton.waitFor({ state: 'detached' });
    await page.getByRole('main').getByRole('link', { name: premises.orders.sent.reference }).waitFor();
    await close();
  });

  test('a button is drawn as it was for the first 200 ms of its wait: dots are seen after that alone', async () => {
    const { page, close } = await premises.openWindow();
    // As most people have it: where motion is reduced, nothing would fade in.
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    const { promise: held, resolve: answer } = Promise.withResolvers<void>();
    await page.route(/\/documents\?.*limit=1(&|$)/, async (route) => {
      await held;
      await route.continue();
    });
    await page.goto('/portal/money?view=documents');
    const button = page.getByRole('main').getByRole('button', { name: 'Save as CSV' });
    await button.hover();
    const pointedAt = "getComputedStyle(document.querySelector('.mantine-Button-root:hover')).backgroundColor";
    const ground = await page.evaluate<string>(pointedAt);
    await button.click();
    const waiting = page.locator('.mantine-Button-root[data-loading]');
    await waiting.locator('.mantine-Button-loader').waitFor({ state: 'attached' });
    // By the clock of its animations, as above; they run over what fades by itself.
    const seenAt = (ms: number): Promise<readonly string[]> =>
      page.evaluate<readonly string[]>(`(() => {
        const button = document.querySelector('.mantine-Button-root[data-loading]');
        for (const animation of button.getAnimations({ subtree: true })) {
          if (!animation.animationName?.startsWith('platen-')) continue;
          animation.pause();
          animation.currentTime = ${ms};
        }
        const of = (part) => getComputedStyle(button.querySelector('.mantine-Button-' + part));
        const { backgroundColor } = getComputedStyle(button);
        const veil = getComputedStyle(button, '::before').opacity;
        return [of('loader').visibility, of('inner').opacity, of('label').opacity, veil, backgroundColor];
      })()`);
    const asItWas = ['hidden', '1', '1', '0', ground];
    assert.deepEqual([await seenAt(0), await seenAt(199)], [asItWas, asItWas]);
    assert.deepEqual((await seenAt(201)).slice(0, 4), ['visible', '0', '0.2', '1']);
    assert.notEqual((await seenAt(201))[4], ground, 'it cannot be pressed');
    const saving = page.waitForEvent('download');
    answer();
    await saving;
    await waiting.waitFor({ state: 'detached' });
    assert.ok(!(await button.locator('.mantine-Button-loader').isVisible()), 'nothing fades out');
    await close();
  });

  test('what could not be brought up to date stays, says of when it is, and is asked for again by its button', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/orders');
    const row = page.getByRole('main').getByRole('link', { name: premises.orders.sent.reference });
    await row.waitFor();
    await page.route(LIST_OF_ORDERS, (route) => route.abort('connectionreset'));
    await page.keyboard.press('r');
    const stale = page.getByRole('status').filter({ hasText: /^As of .*: it could not be brought up to date\./ });
    await stale.waitFor();
    assert.ok(await row.isVisible(), 'the rows that were there stay');
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.unroute(LIST_OF_ORDERS);
    await press(stale.getByRole('button', { name: 'Try again' }));
    await stale.waitFor({ state: 'detached' });
    assert.ok(await row.isVisible());
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

describe('a list', () => {
  /** Has the page get another answer to a GET than the service gives. */
  const answered = (page: Page, url: string | RegExp, change: (json: Json) => void): Promise<unknown> =>
    page.route(url, async (route) => {
      const response = await route.fetch();
      const json = (await response.json()) as Json;
      change(json);
      await route.fulfill({ response, json });
    });

  test('offers an amount once, and says where more is than it shows', async () => {
    const { page, faults, close } = await premises.openWindow();
    await answered(page, '**/portal/api/v1/money', (money) => {
      Object.assign(money, { to_free_all: 100, top_up: { min: 5, max: 1_000 } });
    });
    await page.goto('/portal/money');
    const amounts = page.getByRole('group', { name: 'Amounts' });
    await amounts.waitFor();
    assert.deepEqual(await amounts.getByRole('button').allTextContents(), [
      '£100.00, frees all orders',
      '£50.00',
      '£250.00',
      '£500.00',
    ]);

    const url = premises.service.stranger.url('/hook');
    const made = await premises.service.customer.request<{ id: string }>('POST', '/webhooks', { url });
    await answered(page, '**/replays?**', (replays) => Object.assign(replays, { has_more: true }));
    await page.goto(`/portal/developers/webhooks/${made.body.id}`);
    await page.getByText('Replays before these are not shown.').waitFor();

    const file = await leaveFile(premises);
    await answered(page, /\/order-files\/file_\w+$/, (left) => Object.assign(left, { status: 'ready' }));
    await answered(page, '**/order-files/*/items', (items) => {
      const unknown = Array.from({ length: 50 }, (_, index) => ({
        key: `${index}`,
        title: `Item ${index}`,
        suggestions: [],
        rows: 1,
      }));
      Object.assign(items, { unknown });
    });
    await page.goto(`/portal/order-file/${file}`);
    await page
      .getByText('50 are shown. If there are more, they come once you have said what some of these are.')
      .waitFor();
    assert.deepEqual(faults, []);
    // A request that is under way ends with the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await close();
  });

  test('of orders whose shop refuses news says in each row why', async () => {
    const scene = await openScene(premises);
    await scene.send({ number: '#77', items: [scene.unknown] });
    const { page, close } = await premises.openWindow();
    await answered(page, /\/portal\/api\/v1\/shop-orders(\?|$)/, ({ data }) => {
      for (const order of data ?? []) order.reported = { at: null, is_known: false, problem: 'It was deleted there.' };
    });
    await page.goto('/portal/shop-orders');
    await page.getByRole('cell', { name: 'It was deleted there.' }).waitFor();
    // A request that is under way ends with the page.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await close();
  });
});

type Json = { readonly data?: { reported: unknown }[] };
