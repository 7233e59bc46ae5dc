import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Page } from 'playwright-core';
import { closeWindow, openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { servePicture } from '../harness/shop.ts';
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
  for (let part = await unloaded.count(); part > 0; part -= 1) await unloaded.first().focus();
  await page.evaluate("for (const image of document.images) image.loading = 'eager'");
  await page.waitForLoadState('networkidle');
  await page.waitForFunction('[...document.images].every((image) => image.complete)');
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
  const scene = await openScene(premises);
  const waiting = await sendWaiting(scene);
  await scene.send({ number: '#1007', items: [scene.known] });
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
  const delivery = await makeDelivery(premises, webhook.id);
  const pages = [
    { name: 'home', path: '/portal' },
    { name: 'orders', path: '/portal/orders' },
    { name: 'orders-blocked', path: '/portal/orders?blocked_by=anything' },
    { name: 'order-pending', path: `/portal/orders/${orders.pending.reference}` },
    { name: 'order-held', path: `/portal/orders/${orders.held.reference}` },
    { name: 'order-sent', path: `/portal/orders/${orders.sent.reference}` },
    { name: 'order-asked', path: `/portal/orders/${orders.making.reference}` },
    { name: 'order-failed', path: `/portal/orders/${failed.reference}` },
    { name: 'order-missing', path: '/portal/orders/PF-AAAAAAAA' },
    { name: 'templates', path: '/portal/templates' },
    { name: 'template', path: `/portal/templates/${premises.service.demo.products.personalised}` },
    { name: 'problems', path: '/portal/problems' },
    { name: 'shops', path: '/portal/shops' },
    { name: 'shop', path: `/portal/shops/${scene.shop.id}` },
    { name: 'shop-orders', path: '/portal/shop-orders' },
    { name: 'shop-order', path: `/portal/shop-orders?open=${waiting[1]}` },
    { name: 'team', path: '/portal/team' },
    { name: 'company', path: '/portal/company' },
    { name: 'money', path: '/portal/money' },
    { name: 'money-documents', path: '/portal/money?view=documents' },
    { name: 'money-months', path: '/portal/money?view=months' },
    { name: 'money-spending', path: '/portal/money?view=spending' },
    { name: 'money-return', path: '/portal/money/return' },
    { name: 'money-saved', path: '/portal/money/saved' },
    { name: 'notifications', path: '/portal/notifications' },
    { name: 'developers', path: '/portal/developers' },
    { name: 'webhooks', path: '/portal/developers/webhooks' },
    { name: 'webhook', path: `/portal/developers/webhooks/${webhook.id}` },
    { name: 'delivery', path: `/portal/developers/webhooks/${webhook.id}/deliveries/${delivery}` },
    { name: 'events', path: '/portal/developers/events' },
    { name: 'requests', path: '/portal/developers/requests' },
    { name: 'tokens', path: '/portal/developers/tokens' },
    { name: 'apps', path: '/portal/developers/apps' },
    { name: 'new-order', path: '/portal/new-order' },
    { name: 'products', path: '/portal/products' },
    { name: 'product-new', path: '/portal/products/new' },
    { name: 'product', path: `/portal/products/${premises.service.demo.products.fixed}` },
    { name: 'brands', path: '/portal/brands' },
    { name: 'brand-new', path: '/portal/brands/new' },
    { name: 'brand', path: `/portal/brands/${brand.id}` },
    { name: 'order-file', path: '/portal/order-file' },
    { name: 'order-file-open', path: `/portal/order-file/${await leaveFile(premises)}` },
    { name: 'security', path: '/portal/security' },
    { name: 'forgotten', path: '/portal/forgotten' },
    { name: 'sign-up', path: '/portal/sign-up' },
    { name: 'link', path: await makeLink(premises) },
    { name: 'confirm', path: '/portal/confirm#of-a-mail' },
    { name: 'sign-in', path: '/portal/sign-in' },
  ];
  const month = await openMonth(premises, installation);
  const ofMonth = [
    { name: 'month-home', path: '/portal' },
    { name: 'month-orders', path: '/portal/orders' },
    { name: 'month-orders-making', path: '/portal/orders?status=in_production' },
    { name: 'month-order-sent', path: `/portal/orders/${month.orders.sent}` },
    { name: 'month-order-making', path: `/portal/orders/${month.orders.making}` },
    { name: 'month-order-cancelled', path: `/portal/orders/${month.orders.cancelled}` },
    { name: 'month-problems', path: '/portal/problems' },
    { name: 'month-products', path: '/portal/products' },
    { name: 'month-templates', path: '/portal/templates' },
    { name: 'month-brands', path: '/portal/brands' },
    { name: 'month-money', path: '/portal/money' },
    { name: 'month-money-documents', path: '/portal/money?view=documents' },
    { name: 'month-money-months', path: '/portal/money?view=months' },
    { name: 'month-money-spending', path: '/portal/money?view=spending' },
    { name: 'month-company', path: '/portal/company' },
    { name: 'month-team', path: '/portal/team' },
    { name: 'month-events', path: '/portal/developers/events' },
    { name: 'month-notifications', path: '/portal/notifications' },
  ];
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
