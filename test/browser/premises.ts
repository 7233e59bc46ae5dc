import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { parseId } from '../../src/lib/ids.ts';
import type { CreatedOrder } from '../../src/orders/schema.ts';
import { openBrowser } from '../harness/browser.ts';
import { linesOf, openFloor, parcelOf, placeOrder, ship } from '../harness/floor.ts';
import { openPerson, PASSWORD, type Person } from '../harness/oauth.ts';
import { startTestService, type TestService } from '../harness/service.ts';
import { addProduct, HOME } from '../harness/shop.ts';
import { rows } from '../harness/written.ts';

/** A service with a person of the demo account, orders in several states, and a browser. */
export type Premises = {
  readonly service: TestService;
  readonly person: Person;
  readonly browser: Browser;
  readonly orders: Readonly<Record<'pending' | 'held' | 'making' | 'sent' | 'cancelled', CreatedOrder>>;
  /** A window of its own, signed in unless told otherwise, and what went wrong in it. */
  readonly openWindow: (options?: WindowOptions) => Promise<Window>;
  readonly close: () => Promise<void>;
};

export type WindowOptions = {
  readonly isSignedIn?: boolean;
  readonly scheme?: 'light' | 'dark';
  readonly widthPx?: number;
  readonly heightPx?: number;
  /** How many pixels of the screen one of the page has: 2 at a zoom of 200 %, where the page is half as wide. */
  readonly scale?: number;
};

export type Window = {
  readonly context: BrowserContext;
  readonly page: Page;
  /** Errors of scripts, of the console and of the policy, and requests to other hosts. */
  readonly faults: string[];
  /** The requests since the window was opened, without pictures of the work. */
  readonly requests: { readonly url: string; readonly type: string }[];
  readonly close: () => Promise<void>;
};

/** What a page may take to be drawn, on a machine that is busy with other work; a test that waits longer has failed. */
export const WAIT_MS = 30_000;

export { PASSWORD };

/** Opens premises. The service knows its address, which a session is bound to. */
export async function openPremises(
  env: Readonly<Record<string, string>> = {},
  options: Pick<
    NonNullable<Parameters<typeof startTestService>[0]>,
    'authority' | 'drawn' | 'database' | 'dataDir'
  > = {},
): Promise<Premises> {
  const port = await freePort();
  const origin = `http://127.0.0.1:${port}`;
  const service = await startTestService({ ...options, env: { ...env, PORT: String(port), BASE_URL: origin } });
  const [person, { browser, close }, orders] = await Promise.all([
    openPerson(service),
    openBrowser(),
    placeOrders(service),
  ]);
  return {
    service,
    person,
    browser,
    orders,
    openWindow: (options = {}) => openWindow(service, browser, person, options),
    close: async () => {
      await close();
      await service.stop();
    },
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('a port was asked for');
  return address.port;
}

/**
 * Blank garments are ready at once, so that nothing waits for print files.
 * Only the order on hold has a print, on a hoodie without a mockup of its own.
 */
async function placeOrders(service: TestService): Promise<Premises['orders']> {
  const floor = await openFloor(service, 'admin');
  const place = (externalReference: string, contactName: string, quantity: number): Promise<CreatedOrder> =>
    placeOrder(service, {
      external_reference: externalReference,
      shipping_address: { ...HOME, contact_name: contactName },
      items: [{ product_id: service.demo.products.fixed, variant_sku: 'TEE-CLASSIC-WHT-M', quantity, print_jobs: [] }],
    });
  const start = async (order: CreatedOrder): Promise<void> => {
    await floor.post(`/orders/${order.id}/promote`);
    for (const line of linesOf(order)) await floor.post(`/orders/${order.id}/lines/${line}/start`);
  };
  const sent = await place('SHOP-1001', 'Ada Byron', 2);
  await start(sent);
  await ship(floor, sent.id, parcelOf(sent, [2]).items);
  const making = await place('SHOP-1002', 'Émilie du Châtelet', 3);
  await start(making);
  const held = await placeOrder(service, {
    external_reference: 'SHOP-1003',
    shipping_address: { ...HOME, contact_name: 'Mary Somerville' },
    items: [{ product_id: await addHoodie(service), variant_sku: HOODIE, quantity: 1 }],
  });
  await floor.post(`/orders/${held.id}/hold`, { reason: 'The street has no number.' });
  const cancelled = await place('SHOP-1004', 'Sophie Germain', 1);
  assert.equal((await service.customer.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
  const pending = await place('SHOP-1005', 'Caroline Herschel', 5);
  return { pending, held, making, sent, cancelled };
}

const HOODIE = 'HOODIE-PULL-SAN-M';

/** A hoodie with the first design of the demo shop. */
async function addHoodie(service: TestService): Promise<string> {
  const [{ hash } = assert.fail()] = await rows<{ hash: string }>(
    service,
    "select encode(design_hash, 'hex') as hash from product_area where print_area = 'front' and product_id = $1",
    [parseId('prod', service.demo.products.fixed) ?? assert.fail()],
  );
  const area = { print_area: 'front', method: 'dtg', design_hash: hash, x: 0.5, y: 0.5, scale: 1, rotation: 0 };
  return addProduct(service, service.customer, 'HOODIE-PULL', { name: 'Fern hoodie', areas: [area] });
}

async function openWindow(
  service: TestService,
  browser: Browser,
  person: Person,
  { isSignedIn = true, scheme = 'light', widthPx = 1440, heightPx = 900, scale = 1 }: WindowOptions,
): Promise<Window> {
  const context = await browser.newContext({
    baseURL: service.url,
    colorScheme: scheme,
    viewport: { width: widthPx, height: heightPx },
    deviceScaleFactor: scale,
    locale: 'en-GB',
    timezoneId: 'Europe/London',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(WAIT_MS);
  if (isSignedIn) await signIn(service, context, person.email);
  const page = await context.newPage();
  const faults = listenForFaults(page);
  const requests: { url: string; type: string }[] = [];
  page.on('request', (request) => {
    const url = new URL(request.url());
    if (url.protocol === 'data:') return;
    if (url.origin !== service.url) faults.push(`foreign host: ${request.url()}`);
    if (!/^\/(files|garments|pictures|mockups|proofs)\//.test(url.pathname))
      requests.push({ url: request.url(), type: request.resourceType() });
  });
  return { context, page, faults, requests, close: () => context.close() };
}

/** Errors and warnings of a page's scripts and console from now on, a line each. */
export function listenForFaults(page: Page): string[] {
  const faults: string[] = [];
  // A machine with other work may make a picture wait past its time: the service says when to ask again, and pages do.
  const busy = new Set<string>();
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('response', (answer) => {
    if (answer.status() === 503 && answer.headers()['retry-after'] !== undefined) busy.add(answer.url());
  });
  page.on('console', (message) => {
    const { url } = message.location();
    if (!['error', 'warning'].includes(message.type()) || busy.has(url)) return;
    faults.push(`console: ${message.text()} ${url}`);
  });
  return faults;
}

/** Signs in without a page, for tests of other pages. */
export async function signIn(service: TestService, context: BrowserContext, email: string): Promise<void> {
  const answer = await context.request.post('/portal/api/v1/session', {
    headers: { origin: service.url },
    data: { email, password: PASSWORD },
  });
  assert.equal(answer.status(), 201, await answer.text());
}

/** Chooses a command from the palette by keyboard. */
export async function choose(page: Page, command: string): Promise<void> {
  await page.keyboard.press('Control+k');
  // The dialog takes the focus once it is drawn.
  await page.locator('[role="dialog"] input:focus').waitFor();
  await page.keyboard.type(command);
  await page.getByRole('dialog').getByText(command, { exact: true }).waitFor();
  await page.keyboard.press('Enter');
}

/** What the palette offers on the page as it is, each with its keys behind it. */
export async function commandsOf(page: Page): Promise<string[]> {
  await page.keyboard.press('Control+k');
  await page.locator('[role="dialog"] input:focus').waitFor();
  const dialog = page.getByRole('dialog');
  const labels = await dialog.locator('[data-action]').allTextContents();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  return labels;
}

/** What axe has against the page as it is, a line each; nothing when it is fine. */
export async function problemsOfAxe(page: Page): Promise<string[]> {
  return settled(page, () => lookByAxe(page));
}

/** As `problemsOfAxe`, in another scheme of colours: all else is as it was. */
export async function problemsOfColours(page: Page): Promise<string[]> {
  return settled(page, () => lookByAxe(page, ['color-contrast', 'link-in-text-block']));
}

async function settled(page: Page, look: () => Promise<string[]>): Promise<string[]> {
  const problems = await look();
  if (problems.length === 0) return problems;
  // What fades in, or is drawn in two steps, is not as it stays.
  await page.waitForTimeout(SETTLED_MS);
  return look();
}

const SETTLED_MS = 1_000;

/** Its shortest form, which a page is given once: it takes the page a quarter of a second to read it. */
const AXE = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

async function lookByAxe(page: Page, rules?: readonly string[]): Promise<string[]> {
  assert.equal(page.frames().length, 1, 'axe looks at the page itself');
  if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(AXE);
  // A string, since the pages' own types are not those of tests.
  const options = JSON.stringify({ resultTypes: ['violations'], ...(rules === undefined ? {} : { runOnly: rules }) });
  const violations = await page.evaluate<Violation[]>(
    `axe.run(document, ${options}).then(({ violations }) => violations)`,
  );
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  );
}

type Violation = {
  readonly id: string;
  readonly nodes: readonly { readonly target: readonly string[]; readonly failureSummary: string }[];
};
