import assert from 'node:assert/strict';
import { globSync, readFileSync, statSync } from 'node:fs';
import { basename, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import type { Order } from '../../src/orders/schema.ts';
import { eventually } from '../harness/context.ts';
import { galleryPages } from './gallery-pages.ts';
import { press } from './keys.ts';
import { heading, type ListedPage, link, openPageScene, type PageScene, pagesOf } from './page-scene.ts';
import { choose, openPremises, PASSWORD, type Premises, problemsOfAxe, problemsOfColours } from './premises.ts';

let premises: Premises;
let scene: PageScene;
let pages: readonly ListedPage[];
before(async () => {
  premises = await openPremises();
  scene = await openPageScene(premises);
  pages = pagesOf(scene);
});
after(() => premises.close());

const REQUESTS_MAX = 12;
/** 200 kB. Each page takes less than 200,000 bytes; the last per cent is for builds by another zlib. */
const SCRIPT_BYTES_MAX = 200 * 1_024;
const BUILT = fileURLToPath(new URL('../../built/portal/assets', import.meta.url));

/** Where the keys go. */
async function focused(page: Page): Promise<string> {
  return page.evaluate<string>("document.activeElement?.textContent ?? ''");
}

/** A browser that knows brotli is sent less; the budget is of gzip. */
function gzipBytesOf(url: string): number {
  return statSync(join(BUILT, `${basename(new URL(url).pathname)}.gz`)).size;
}

describe('each page', () => {
  test('keeps to its budget, has nothing that axe finds in light and dark, and fits 390 pixels', async () => {
    for (const { path, shows, isSignedIn, before: prepare, later } of pages) {
      const { page, faults, requests, close } = await premises.openWindow({ isSignedIn, scheme: 'light' });
      const bytes: number[] = [];
      page.on('response', (response) => {
        if (response.request().resourceType() === 'script') bytes.push(gzipBytesOf(response.url()));
      });
      await prepare?.(page);
      // What draws a notice is read ten seconds after a page: on a slow machine before its first load has ended.
      await page.addInitScript(
        'const later = setTimeout; window.setTimeout = (act, ms, ...of) => (ms === 10_000 ? 0 : later(act, ms, ...of));',
      );
      await page.goto(path);
      await shows(page);
      await page.waitForLoadState('networkidle');
      assert.deepEqual(faults, [], `${path}: no foreign host, nothing in the console`);
      assert.ok(requests.length <= REQUESTS_MAX, `${path}: ${requests.map(({ url }) => url).join('\n')}`);
      const sum = bytes.reduce((total, each) => total + each, 0);
      assert.ok(sum > 0 && sum <= SCRIPT_BYTES_MAX, `${path}: ${sum} bytes of script`);

      await later?.(page);
      assert.deepEqual(await problemsOfAxe(page), [], `${path} in light`);
      await page.emulateMedia({ colorScheme: 'dark' });
      await page.locator('html[data-mantine-color-scheme="dark"]').waitFor({ state: 'attached' });
      assert.deepEqual(await problemsOfColours(page), [], `${path} in dark`);

      await page.setViewportSize({ width: 390, height: 844 });
      const excess = 'document.documentElement.scrollWidth - window.innerWidth';
      await eventually(`${path} to fit 390 pixels`, async () => (await page.evaluate<number>(excess)) <= 0);
      await close();
    }
  });
});

const SOURCES = fileURLToPath(new URL('../../consoles/portal', import.meta.url));

/** The addresses of the portal, in the order in which they are tried; those of a folder stand in the folder's page. */
function routes(): readonly string[] {
  const found = globSync('**/*.tsx', { cwd: SOURCES })
    .toSorted((one, other) => Number(other === 'main.tsx') - Number(one === 'main.tsx'))
    .flatMap((path) => [...readFileSync(join(SOURCES, path), 'utf8').matchAll(/<Route\s+path="([^"]+)"/g)])
    .map(([, route = '']) => route);
  return found.filter((route) => !route.endsWith('/*?'));
}

/** The address that a page stands at. */
function routeOf(path: string, all: readonly string[]): string | undefined {
  const inPortal = new URL(path, 'http://portal').pathname.replace(/^\/portal/, '') || '/';
  return all.find((route) => new RegExp(`^${route.replaceAll(/:\w+/g, '[^/]+')}$`).test(inPortal));
}

test('every page of the portal is measured here and drawn in the gallery, with each view of Money', async () => {
  const all = routes();
  assert.ok(all.length > 30, 'the addresses were read');
  const { page, close } = await premises.openWindow();
  await page.goto('/portal/money');
  const views = page.getByRole('navigation', { name: 'What is shown' }).getByRole('link');
  await views.first().waitFor();
  const ofMoney = await Promise.all((await views.all()).map((view) => view.getAttribute('href')));
  await close();
  assert.ok(ofMoney.length > 4, 'the views were read');
  const drawn = galleryPages({ ...scene, failed: premises.orders.held.reference, waiting: 'any' });
  for (const [list, listed] of [
    ['measured', pages],
    ['drawn', drawn],
  ] as const) {
    const paths = listed.map(({ path }) => path);
    const reached = new Set(paths.map((path) => routeOf(path, all)));
    const left = [
      ...all.filter((route) => !reached.has(route)),
      ...ofMoney.filter((view) => !paths.includes(view ?? '')),
    ];
    assert.deepEqual(left, [], `not ${list}`);
  }
});

test('at a zoom of 200 % no page is moved sideways to be read', async () => {
  const { page, close } = await premises.openWindow({ widthPx: 720, heightPx: 450, scale: 2 });
  for (const { path, shows, isSignedIn } of pages) {
    if (!isSignedIn) continue;
    await page.goto(path);
    await shows(page);
    const excess = 'document.documentElement.scrollWidth - window.innerWidth';
    await eventually(`${path} to fit at 200 %`, async () => (await page.evaluate<number>(excess)) <= 0);
  }
  await close();
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
    const search = page.getByRole('searchbox', { name: 'Find an order by its number' });
    for (const own of ['PF-1042', 'ord_7']) {
      await search.fill(own);
      await page.keyboard.press('Enter');
      await page.waitForURL(`**/portal/orders?number=${own}`);
    }
    await search.fill(premises.orders.sent.reference.toLowerCase());
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
