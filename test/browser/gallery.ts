import { mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { closeWindow, openFloor, placeOrder, untilReady } from '../harness/floor.ts';
import { leaveFailed } from '../harness/print-workers.ts';
import { servePicture } from '../harness/shop.ts';
import { openPremises } from './premises.ts';
import { openScene, sendWaiting } from './shop-scene.ts';

const HELP = `npm run gallery [-- FOLDER]   every page of the consoles as PNG, 1440 and 390 pixels wide, light and dark
`;
/** Not kept by git. */
const FOLDER = '.gallery';
const SIZES = [
  { widthPx: 1440, heightPx: 900 },
  { widthPx: 390, heightPx: 844 },
];

/** `npm run gallery`: draws every page of the consoles, with orders in several states, to be looked at. */
const [folder = FOLDER] = process.argv.slice(2);
if (folder === '--help') {
  process.stdout.write(HELP);
  process.exit(0);
}
mkdirSync(folder, { recursive: true });
const premises = await openPremises();
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
  const pages = [
    { name: 'home', path: '/portal' },
    { name: 'orders', path: '/portal/orders' },
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
    { name: 'notifications', path: '/portal/notifications' },
    { name: 'developers', path: '/portal/developers' },
    { name: 'webhooks', path: '/portal/developers/webhooks' },
    { name: 'webhook', path: `/portal/developers/webhooks/${webhook.id}` },
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
    { name: 'security', path: '/portal/security' },
    { name: 'forgotten', path: '/portal/forgotten' },
    { name: 'sign-up', path: '/portal/sign-up' },
    { name: 'sign-in', path: '/portal/sign-in' },
  ];
  for (const scheme of ['light', 'dark'] as const) {
    for (const size of SIZES) {
      const { page, close } = await premises.openWindow({ scheme, ...size });
      for (const { name, path } of pages) {
        await page.goto(path, { waitUntil: 'networkidle' });
        await page.screenshot({ path: join(folder, `${name}-${size.widthPx}-${scheme}.png`), fullPage: true });
      }
      await page.goto(`/portal/orders/${orders.held.reference}`, { waitUntil: 'networkidle' });
      await page
        .getByRole('button', { name: /^Proof:/ })
        .first()
        .click();
      await page.getByRole('img', { name: /^What is printed/ }).waitFor();
      await page.waitForLoadState('networkidle');
      await page.screenshot({ path: join(folder, `order-proof-${size.widthPx}-${scheme}.png`) });
      await close();
    }
  }
  process.stdout.write(`${(pages.length + 1) * SIZES.length * 2} pictures are in ${resolve(folder)}\n`);
} finally {
  await premises.close();
}
