import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { eventually } from '../harness/context.ts';
import { closeWindow, openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { servePicture } from '../harness/shop.ts';
import { galleryPages, galleryPagesOfMonth } from './gallery-pages.ts';
import { liveMonth, openMonth } from './month-scene.ts';
import { leaveFile, makeDelivery, makeLink, showSignUp } from './page-scene.ts';
import { openPremises, signIn } from './premises.ts';
import { openScene, sendWaiting } from './shop-scene.ts';

const HELP = `npm run gallery [-- FOLDER]   every page of the consoles as PNG, 1440 and 390 pixels wide, light and dark
`;
/** Not kept by git. */
const FOLDER = '.gallery';
/** Nothing is measured here. */
const PATIENCE_MS = 60_000;
const SIZES = [
  { widthPx: 1440, heightPx: 900 },
  { widthPx: 390, heightPx: 844 },
];

/** Loads what a page loads once it comes into view: its parts further down, and their pictures. */
async function seeAll(page: Page): Promise<void> {
  const unloaded = page.locator('.platen-unloaded');
  const titles = await unloaded.getByRole('heading').allTextContents();
  // All at once: one that is gone to brings others into view, which load by themselves meanwhile.
  await page.evaluate("for (const part of document.querySelectorAll('.platen-unloaded')) part.focus()");
  await unloaded.first().waitFor({ state: 'detached' });
  for (const name of titles) await page.getByRole('heading', { level: 2, name, exact: true }).waitFor();
  await page.evaluate("for (const image of document.images) image.loading = 'eager'");
  await page.waitForLoadState('networkidle');
  // The policy of the pages lets no predicate be evaluated again within them.
  const areThere = '[...document.images].every((image) => image.complete)';
  await eventually('every picture is there', () => page.evaluate<boolean>(areThere), PATIENCE_MS);
  await page.evaluate('document.activeElement?.blur(); scrollTo(0, 0)');
}

/** `npm run gallery`: draws every page of the consoles, with orders in several states, to be looked at. */
const [folder = FOLDER] = process.argv.slice(2);
if (folder === '--help') {
  process.stdout.write(HELP);
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
process.stdout.write('The month of the demo customer is lived first: a minute or two.\n');
const installation = await liveMonth();
const { database, dataDir } = installation;
const premises = await openPremises({ BLOB_STORE: database.blobStore }, { database, dataDir });
try {
  const { orders, service } = premises;
  const { body: webhook } = await service.customer.request<{ id: string }>('POST', '/webhooks', {
    url: service.stranger.url('/hook'),
    description: 'The shop',
  });
  await openScene(premises, 'The Allotment Society');
  const shops = await openScene(premises);
  const waiting = await sendWaiting(shops);
  await shops.send({ number: '#1007', items: [shops.known] });
  const { body: brand } = await service.customer.request<{ id: string }>('POST', '/brands', {
    name: 'Fern & Fable',
    message: 'Thank you for your order.\nWash it inside out, and it stays as it is.',
    support_email: 'help@fern.example',
    website: 'https://fern.example',
    return_lines: ['Fern & Fable, Returns', '2 Quay Street', 'York YO1 7HH'],
    logo_url: await servePicture(service, '/fern.png', { widthPx: 900, heightPx: 300, colour: 'teal' }),
    is_default: true,
  });
  await service.customer.request('POST', '/brands', { name: 'Tide', website: 'https://tide.example' });
  // One whose customer asks to cancel, and one whose print file could not be made.
  await closeWindow(service, orders.making);
  const asked = { reason: 'takes_too_long', text: 'The party is on Friday.' };
  await service.customer.request('POST', `/orders/${orders.making.id}/cancellation-request`, asked);
  const failed = await placeOrder(service);
  await untilReady(await openFloor(service), failed.id);
  await leaveFailed(service, failed);
  const pages = galleryPages({
    premises,
    shops,
    waiting: waiting[1] ?? '',
    failed: failed.reference,
    webhook: webhook.id,
    delivery: await makeDelivery(premises, webhook.id),
    brand: brand.id,
    orderFile: await leaveFile(premises),
    link: await makeLink(premises),
  });
  const month = await openMonth(premises, installation);
  const ofMonth = galleryPagesOfMonth(month.orders);
  let pictures = 0;
  const take = async (page: Page, name: string, looks: { scheme: string; widthPx: number }): Promise<void> => {
    await seeAll(page);
    const path = join(folder, `${name}-${looks.widthPx}-${looks.scheme}.png`);
    await page.screenshot({ path, fullPage: !name.endsWith('-proof') });
    pictures += 1;
  };
  for (const scheme of ['light', 'dark'] as const) {
    for (const size of SIZES) {
      const looks = { scheme, ...size };
      const { page, context, close } = await premises.openWindow(looks);
      context.setDefaultTimeout(PATIENCE_MS);
      await showSignUp(page);
      for (const { name, path } of pages) {
        await page.goto(path, { waitUntil: 'networkidle' });
        await take(page, name, looks);
      }
      await page.goto(`/portal/orders/${orders.held.reference}`, { waitUntil: 'networkidle' });
      await page
        .getByRole('button', { name: /^Proof:/ })
        .first()
        .click();
      await page.locator('img.platen-proof:not([data-unseen])').waitFor();
      await take(page, 'order-proof', looks);
      await close();
      const later = await premises.openWindow({ isSignedIn: false, ...looks });
      later.context.setDefaultTimeout(PATIENCE_MS);
      await signIn(premises.service, later.context, month.person.email);
      for (const { name, path } of ofMonth) {
        await later.page.goto(path, { waitUntil: 'networkidle' });
        await take(later.page, name, looks);
      }
      await later.close();
    }
  }
  process.stdout.write(`${pictures} pictures are in ${resolve(folder)}\n`);
} finally {
  await premises.close();
}
