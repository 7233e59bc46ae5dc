import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import type { Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { baseProductId } from '../harness/products.ts';
import { servePicture } from '../harness/shop.ts';
import { press } from './keys.ts';
import { choose, openPremises, PASSWORD, type Premises, problemsOfAxe } from './premises.ts';
import { openScene, type Scene, sendWaiting } from './shop-scene.ts';

let premises: Premises;
let webhook: string;
let teeId: string;
let scene: Scene;
let brand: string;
before(async () => {
  premises = await openPremises();
  const url = premises.service.stranger.url('/hook');
  webhook = (await premises.service.customer.request<{ id: string }>('POST', '/webhooks', { url })).body.id;
  teeId = await baseProductId(premises.service);
  scene = await openScene(premises);
  await sendWaiting(scene);
  const named = {
    name: 'Fern & Fable',
    logo_url: await servePicture(premises.service, '/fern.png', { colour: 'teal' }),
  };
  brand = (await premises.service.customer.request<{ id: string }>('POST', '/brands', named)).body.id;
});
after(() => premises.close());

const REQUESTS_MAX = 12;
const SCRIPT_BYTES_MAX = 200_000;

/** Every page of the portal, and what stands on it once it is drawn. */
const pages = (): readonly { path: string; shows: (page: Page) => Promise<void>; isSignedIn: boolean }[] => [
  { path: '/portal/sign-in', shows: (page) => heading(page, 'Sign in'), isSignedIn: false },
  { path: '/portal/forgotten', shows: (page) => page.getByText(/No mail is sent/).waitFor(), isSignedIn: false },
  { path: '/portal/sign-up', shows: (page) => page.getByText(/for an invitation/).waitFor(), isSignedIn: false },
  { path: '/portal', shows: (page) => link(page, premises.orders.making.reference), isSignedIn: true },
  { path: '/portal/orders', shows: (page) => link(page, premises.orders.sent.reference), isSignedIn: true },
  {
    path: `/portal/orders/${premises.orders.sent.reference}`,
    shows: (page) => page.getByText(/Dispatched: the last parcel/).waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/problems', shows: (page) => page.getByText('No problem is reported.').waitFor(), isSignedIn: true },
  {
    path: '/portal/new-order',
    shows: (page) => page.getByRole('button', { name: /^Add / }).first().waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/brands', shows: (page) => link(page, 'Fern & Fable'), isSignedIn: true },
  {
    path: '/portal/brands/new',
    shows: (page) => page.getByRole('button', { name: 'Create it' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: `/portal/brands/${brand}`,
    shows: (page) => page.getByRole('button', { name: 'Save' }).waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/order-file', shows: (page) => page.getByText('No file is here.').waitFor(), isSignedIn: true },
  {
    path: '/portal/templates',
    shows: (page) => link(page, 'Family album tee'),
    isSignedIn: true,
  },
  {
    path: `/portal/templates/${premises.service.demo.products.personalised}`,
    shows: (page) => page.getByRole('button', { name: 'Show the proof' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/products',
    shows: (page) => page.getByRole('list', { name: 'Products' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/products/new',
    shows: (page) => page.getByRole('button', { name: /^Classic tee/ }).waitFor(),
    isSignedIn: true,
  },
  {
    // The designer without artwork, so that no mockup is drawn for each look at it; test/browser/products has the rest.
    path: `/portal/products/new?garment=${teeId}`,
    shows: (page) => page.getByLabel('Address or file', { exact: true }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/team',
    shows: (page) => page.getByText('No invitation is open.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/shops', shows: (page) => link(page, 'among its items'), isSignedIn: true },
  {
    path: `/portal/shops/${scene.shop.id}`,
    shows: (page) => page.getByRole('button', { name: /^It is .*White . M$/ }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/shop-orders',
    shows: (page) => page.getByText('The buyer has not paid in the shop').waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/shop-orders?state=failed',
    shows: (page) => page.getByText('No order is like this.').waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/money',
    shows: (page) => link(page, premises.orders.sent.reference),
    isSignedIn: true,
  },
  {
    path: '/portal/money?view=months',
    shows: (page) => page.getByRole('button', { name: 'Statement as PDF' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/money?view=spending',
    shows: (page) => page.getByLabel('Time', { exact: true }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/money/return',
    shows: (page) => page.getByText('This address names no top-up.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/company', shows: (page) => page.getByLabel('Legal name').waitFor(), isSignedIn: true },
  {
    path: '/portal/notifications',
    shows: (page) => page.getByLabel('An order is on hold').first().waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/developers', shows: (page) => page.getByText(/typed client/).waitFor(), isSignedIn: true },
  { path: '/portal/developers/webhooks', shows: (page) => link(page, '/hook'), isSignedIn: true },
  {
    path: `/portal/developers/webhooks/${webhook}`,
    shows: (page) => page.getByText('Nothing was sent yet.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/developers/events', shows: (page) => link(page, 'order.dispatched'), isSignedIn: true },
  { path: '/portal/developers/requests', shows: (page) => link(page, 'POST /orders'), isSignedIn: true },
  {
    path: '/portal/developers/tokens',
    shows: (page) =>
      page
        .getByRole('button', { name: /^Revoke / })
        .first()
        .waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/developers/apps',
    shows: (page) => page.getByText('No app may use this account.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/security', shows: (page) => page.getByText('this browser').waitFor(), isSignedIn: true },
];

async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

async function link(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('link', { name }).first().waitFor();
}

/** Where the keys go. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement?.textContent ?? ''");
}

describe('each page', () => {
  test('keeps to its budget, has nothing that axe finds in light and dark, and fits 390 pixels', async () => {
    for (const { path, shows, isSignedIn } of pages()) {
      const { page, faults, requests, close } = await premises.openWindow({ isSignedIn, scheme: 'light' });
      const bytes: Promise<number>[] = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') {
          bytes.push(response.headerValue('content-length').then(Number));
        }
      });
      await page.goto(path);
      await shows(page);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(faults, [], `${path}: no foreign host, nothing in the console`);
      assert.ok(requests.length <= REQUESTS_MAX, `${path}: ${requests.map(({ url }) => url).join('\n')}`);
      const sum = (await Promise.all(bytes)).reduce((total, each) => total + each, 0);
      assert.ok(sum > 0 && sum <= SCRIPT_BYTES_MAX, `${path}: ${sum} bytes of script`);

      assert.deepEqual(await problemsOfAxe(page), [], `${path} in light`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
      assert.deepEqual(await problemsOfAxe(page), [], `${path} in dark`);

      await page.setViewportSize({ width: 390, height: 844 });
      const excess = 'document.documentElement.scrollWidth - window.innerWidth';
      await eventually(`${path} to fit 390 pixels`, async () => (await page.evaluate<number>(excess)) <= 0);
      await close();
    }
  });
});

describe('by keyboard alone', () => {
  test('a person signs in and goes on to the page that they wanted', async () => {
    const { page, close } = await premises.openWindow({ isSignedIn: false });
    const wanted = `/portal/orders/${premises.orders.making.reference}`;
    await page.goto(wanted);
    await heading(page, 'Sign in');
    await page.keyboard.press('Tab');
    await page.keyboard.type(premises.person.email);
    await page.keyboard.press('Tab');
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press('Enter');
    await heading(page, premises.orders.making.reference);
    assert.equal(new URL(page.url()).pathname, wanted);
    await close();
  });

  test('a wrong password is refused in the service’s words, and what was typed stays', async () => {
    const { page, close } = await premises.openWindow({ isSignedIn: false });
    await page.goto('/portal/sign-in');
    await page.getByLabel('Email').fill(premises.person.email);
    await page.getByLabel('Password', { exact: true }).fill('not the password');
    await page.keyboard.press('Enter');
    const alert = page.getByRole('alert');
    await alert.getByText('The address or the password is not right.').waitFor();
    await alert.getByRole('button', { name: /Copy request id req_/ }).waitFor();
    assert.equal(await page.getByLabel('Email').inputValue(), premises.person.email);
    await close();
  });

  test('home leads to what needs the customer', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal');
    const needs = page.locator('section', { has: page.getByRole('heading', { name: 'Needs you' }) });
    await needs.getByText(/The street has no number/).waitFor();
    await press(needs.getByRole('link', { name: premises.orders.held.reference }));
    await heading(page, premises.orders.held.reference);
    assert.equal(await focused(page), premises.orders.held.reference, 'the focus is on the new page');
    await close();
  });

  test('the list is walked by j and k, selected by x, and narrowed by the address, which back undoes', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal/orders');
    await link(page, premises.orders.pending.reference);
    await page.keyboard.press('j');
    assert.equal(await focused(page), premises.orders.pending.reference);
    await page.keyboard.press('j');
    await page.keyboard.press('k');
    await page.keyboard.press('x');
    await page.getByText('1 selected').waitFor();
    await press(page.getByRole('navigation', { name: 'Status' }).getByRole('link', { name: 'Cancelled' }));
    await page.waitForURL('**/portal/orders?status=cancelled');
    await link(page, premises.orders.cancelled.reference);
    await page
      .getByRole('main')
      .getByRole('link', { name: premises.orders.pending.reference })
      .waitFor({ state: 'detached' });
    await page.goBack();
    await link(page, premises.orders.pending.reference);
    await close();
  });

  test('the proof of a line opens with its size and sharpness, and Escape leads back to where it was opened', async () => {
    const { reference } = premises.orders.held;
    await eventually('the print file', async () => {
      const { body } = await premises.service.customer.request<Order>('GET', `/orders/${reference}`);
      return body.items.every((line) => line.artwork_ready);
    });
    const { page, faults, close } = await premises.openWindow();
    await page.goto(`/portal/orders/${reference}`);
    const open = page.getByRole('button', { name: 'Proof: front' });
    await press(open);
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/by DTG · .* mm · \d+ dpi · from \d+ × \d+ pixels/).waitFor();
    const width = "document.querySelector('.platen-proof')?.naturalWidth";
    await eventually('the proof', async () => (await page.evaluate<number>(width)) === 640);
    assert.deepEqual(await problemsOfAxe(page), []);
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'hidden' });
    await eventually('the focus', async () => (await focused(page)) === 'Proof: front');
    assert.deepEqual(faults, []);
    await close();
  });

  test('/ finds an order by either number', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal');
    await heading(page, 'Home');
    await page.keyboard.press('/');
    await page.keyboard.type('SHOP-1002');
    await page.keyboard.press('Enter');
    await page.waitForURL('**/portal/orders?number=SHOP-1002');
    await link(page, premises.orders.making.reference);
    await page.keyboard.press('Escape');
    await page.getByRole('searchbox', { name: 'Find an order by its number' }).fill(premises.orders.sent.reference);
    await page.keyboard.press('Enter');
    await heading(page, premises.orders.sent.reference);
    await close();
  });

  test('Ctrl-K offers every action of the page, and ? lists the keys', async () => {
    const { page, close } = await premises.openWindow();
    await page.goto('/portal');
    await heading(page, 'Home');
    await choose(page, 'Go to Orders');
    await heading(page, 'Orders');
    await link(page, premises.orders.pending.reference);
    await page.keyboard.press('?');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    for (const label of ['Next row', 'Select the row', 'Go to Home', 'All commands']) {
      await keys.getByText(label).waitFor();
    }
    await page.keyboard.press('Escape');
    await keys.waitFor({ state: 'hidden' });
    await page.keyboard.press('g');
    await page.keyboard.press('s');
    await heading(page, 'Security');
    await close();
  });

  test('an order is cancelled within its time by typing its reference, and refunded', async () => {
    const { page, close } = await premises.openWindow();
    const { reference } = premises.orders.pending;
    await page.goto(`/portal/orders/${reference}`);
    await press(page.getByRole('button', { name: /Cancel, within \d+:\d\d/ }));
    const dialog = page.getByRole('dialog', { name: `Cancel ${reference}?` });
    const act = dialog.getByRole('button', { name: 'Cancel the order' });
    await dialog.locator('input:focus').waitFor();
    assert.equal(await act.isDisabled(), true, 'before the reference is typed');
    await page.keyboard.type(reference);
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'hidden' });
    await page.getByRole('main').getByText('Cancelled').first().waitFor();
    const { body } = await premises.service.customer.request<{ status: string; refunds: object[] }>(
      'GET',
      `/orders/${reference}`,
    );
    assert.deepEqual([body.status, body.refunds.length], ['cancelled', 1]);
    await close();
  });

  test('another session is ended, and its browser must sign in again', async () => {
    const [mine, other] = await Promise.all([premises.openWindow(), premises.openWindow()]);
    await mine.page.goto('/portal/security');
    const ends = mine.page.getByRole('button', { name: 'End', exact: true });
    await ends.first().waitFor();
    for (let left = await ends.count(); left > 0; left -= 1) {
      await press(ends.first());
      const dialog = mine.page.getByRole('dialog', { name: 'End this session?' });
      await press(dialog.getByRole('button', { name: 'End the session' }));
      await dialog.waitFor({ state: 'hidden' });
    }
    await mine.page.getByText('this browser').waitFor();
    // A node keeps its answers about sessions for a second.
    await eventually('the other browser is signed out', async () => {
      await other.page.goto('/portal', { waitUntil: 'networkidle' });
      return (await other.page.getByRole('heading', { level: 1 }).textContent()) === 'Sign in';
    });
    await Promise.all([mine.close(), other.close()]);
  });
});
