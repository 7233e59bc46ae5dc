import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DemoReport } from '../src/bin/seed-demo.ts';
import type { PrintAreaReply } from '../src/catalogue/schema.ts';
import { type Pence, sumPence } from '../src/lib/money.ts';
import type { Page } from '../src/lib/paging.ts';
import type { CreatedOrder, Estimate, Order, PlaceOrderBody } from '../src/orders/schema.ts';
import type { Product } from '../src/products/schema.ts';
import type { CreatedSubscription } from '../src/webhooks/schema.ts';
import { type Customer, createCustomer } from './customer.ts';
import { drawPicture } from './picture.ts';
import { copyPrintFiles, makeFolder, type PrintFile } from './print-files.ts';
import { type Delivery, isGenuineDelivery, receiverUrl, receiveWebhooks } from './receiver.ts';
import { inPounds, penceOf, type Screen } from './screen.ts';
import type { Stage } from './stage.ts';

const PICTURE_PATH = '/evening-hills.jpg';
const OWN_PICTURE = 'Evening hills tee';
const EXTERNAL_REFERENCE = 'shop-1001';
const TOP_UP = '100.00';
const POLL_MS = 100;

/**
 * Plays the story on an open stage and closes it at the end. Every figure on the screen is read from an answer or a
 * file, and every claim is checked: throws an Error or AssertionError with one line that says which did not hold, and
 * when `signal` ends.
 */
export async function tellStory(stage: Stage, screen: Screen, signal: AbortSignal): Promise<void> {
  await makeFolder();
  const shop = await openShop(stage, screen, signal);
  const webhook = await subscribe(shop);
  const { order, balanceBefore } = await placeOrder(shop);
  const [, , balanceAfter] = await Promise.all([
    awaitWebhook(shop, webhook, order),
    awaitArtwork(shop, order),
    topUp(shop),
  ]);
  const spent = balanceBefore - balanceAfter;
  assert.equal(spent, penceOf(order.charged.total), 'the balance did not fall by the total, once');
  screen.step(`The balance went from ${inPounds(balanceBefore)} to ${inPounds(balanceAfter)}: charged once.`);

  // A broken invariant ends the command with status 1, which throws.
  const { checks } = await stage.service.command<{ checks: readonly object[] }>(['verify']);
  screen.step(`The books are verified: ${checks.length} invariants hold.`);
  await stage.close();
  screen.step('The service has drained and stopped; the scratch folder is removed.');
}

type Shop = {
  readonly stage: Stage;
  readonly screen: Screen;
  readonly signal: AbortSignal;
  readonly accountId: string;
  readonly customer: Customer;
  /** With stored designs on three areas. */
  readonly product: Product;
  /** Personalised: a line of text on its front, a picture and a motif on its back. */
  readonly album: Product;
  readonly pictureUrl: string;
};

async function openShop(stage: Stage, screen: Screen, signal: AbortSignal): Promise<Shop> {
  const { service, pictureHost } = stage;
  const [demo, picture] = await Promise.all([service.command<DemoReport>(['seed', 'demo', '--small']), drawPicture()]);
  screen.step('The demo print shop is in: catalogue, prices, stock, an account.');
  pictureHost.serve(PICTURE_PATH, { body: picture });
  const customer = createCustomer(service.url, demo.token, signal);
  const [product, album] = await Promise.all([
    customer.get<Product>(`/products/${demo.products.fixed}`),
    customer.get<Product>(`/products/${demo.products.personalised}`),
  ]);
  const pictureUrl = pictureHost.url(PICTURE_PATH);
  return { stage, screen, signal, accountId: demo.account_id, customer, product, album, pictureUrl };
}

type Webhook = { readonly secret: string; readonly deliveries: readonly Delivery[] };

async function subscribe({ stage, screen, customer }: Shop): Promise<Webhook> {
  const subscription = { url: receiverUrl(stage.webhookHost), events: ['order.created'] };
  const { body } = await customer.post<CreatedSubscription>('/webhooks', subscription, { status: 201 });
  screen.step(`Webhook registered: order.created to ${body.url}`);
  return { secret: body.secret, deliveries: receiveWebhooks(stage.webhookHost, body.secret) };
}

async function placeOrder(shop: Shop): Promise<{ order: CreatedOrder; balanceBefore: Pence }> {
  const { screen, customer } = shop;
  const basket = basketOf(shop);
  const [{ body: estimate }, balanceBefore] = await Promise.all([
    customer.post<Estimate>('/orders/estimate', basket, { status: 200 }),
    topUp(shop),
  ]);
  screen.step(
    `The account has ${inPounds(balanceBefore)}; the basket is estimated at ${inPounds(penceOf(estimate.total))}.`,
  );

  const { body: order } = await customer.post<CreatedOrder>('/orders', basket, { status: 201 });
  assert.equal(order.payment_status, 'paid', `the payment of the order is ${order.payment_status}`);
  assert.equal(order.charged.total, estimate.total, 'the charge is not what was estimated');
  screen.step(`Order ${order.reference} is placed and paid, at the price of the estimate:`);
  screen.gap();
  showPrices(shop, order);
  screen.gap();

  const again = await customer.post<CreatedOrder>('/orders', basket, { status: 200 });
  assert.equal(again.body.id, order.id, 'the same external_reference led to another order');
  assert.equal(again.headers.get('idempotent-replayed'), 'true', 'a repeat is not marked as one');
  screen.step(`Sent once more as ${EXTERNAL_REFERENCE}: the same order ${again.body.reference} comes back.`);
  return { order, balanceBefore };
}

async function awaitWebhook({ screen, signal }: Shop, webhook: Webhook, order: CreatedOrder): Promise<void> {
  const { event, reference, hit } = await eventually(signal, () => webhook.deliveries[0]);
  assert.equal(reference, order.reference, 'the webhook speaks of another order');
  const changed = { headers: hit.headers, body: Buffer.concat([hit.body, Buffer.from(' ')]) };
  assert.ok(!isGenuineDelivery(changed, webhook.secret), 'a changed webhook passed as genuine');
  screen.step(`Webhook ${event}: signature verified, a changed copy refused.`);
}

async function awaitArtwork(shop: Shop, order: CreatedOrder): Promise<void> {
  const { stage, screen, signal, customer, product, album } = shop;
  await eventually(signal, async () => {
    const { items } = await customer.get<Order>(`/orders/${order.reference}`);
    return items.every((line) => line.artwork_ready);
  });
  const files = await copyPrintFiles(stage.service.dataDir, order.reference);
  // By the basket's lines.
  const templates = await Promise.all(
    [product, product, album].map(async ({ base_product: base }) => {
      const { data } = await customer.get<Page<PrintAreaReply>>(`/catalog/products/${base.id}/print-areas`);
      return data;
    }),
  );
  screen.step('The artwork is print-ready:');
  showPrintFiles(screen, files, templates);
}

/**
 * Two tees with every stored design, one with a picture of the customer's own, and one with its buyer's words and
 * picture.
 */
function basketOf({ product, album, pictureUrl }: Shop): PlaceOrderBody {
  return {
    items: [
      {
        product_id: product.id,
        variant_sku: 'TEE-CLASSIC-BLK-M',
        quantity: 2,
        print_jobs: product.print_areas.map(({ print_area, method }) => ({ area: print_area, method })),
      },
      {
        product_id: product.id,
        variant_sku: 'TEE-CLASSIC-WHT-L',
        quantity: 1,
        name: OWN_PICTURE,
        decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: pictureUrl }] },
      },
      {
        product_id: album.id,
        variant_sku: 'TEE-ORGANIC-ECR-M',
        quantity: 1,
        decoration: {
          personalisation: { inputs: { line: 'Hello 世界 سلام 👋', portrait: pictureUrl, motif: 'sun' } },
        },
      },
    ],
    shipping_address: {
      contact_name: 'Ada Lovelace',
      line1: '12 St James Square',
      city: 'London',
      postcode: 'SW1Y 4JH',
      country_code: 'GB',
    },
    external_reference: EXTERNAL_REFERENCE,
  };
}

/**
 * The account's balance once the top-up is posted; the same reference again posts nothing and only tells the balance.
 */
async function topUp({ stage, accountId }: Shop): Promise<Pence> {
  const options = ['--account', accountId, '--amount', TOP_UP, '--reference', 'demo top-up'];
  const { balance } = await stage.service.command<{ balance: number }>(['account', 'credit', ...options]);
  return penceOf(balance);
}

function showPrices({ screen, album, pictureUrl }: Shop, order: CreatedOrder): void {
  const noteOf = (name: string): string => {
    if (name === OWN_PICTURE) return `, from ${pictureUrl}`;
    return name === album.name ? ", with its buyer's words and picture" : '';
  };
  for (const line of order.items.lineItems) {
    const price = `${line.quantity} × ${inPounds(penceOf(line.unit_price))}`;
    screen.amount(
      `${line.name.padEnd(19)}${line.variant_sku.padEnd(19)}${price.padStart(20)}`,
      penceOf(line.line_price),
    );
    const jobs = line.print_jobs.map(({ area, method }) => `${area} ${method}`).join(', ');
    screen.detail(`  ${jobs}${noteOf(line.name)}`);
  }
  const { charged } = order;
  const parts: readonly [string, number][] = [
    ['Setup, once for a design and method that needs it', charged.setup_total],
    [`Shipping, ${charged.shipping_service}`, charged.shipping_cost],
    ['VAT', charged.vat_amount],
    ['Duty', charged.duty_amount],
  ];
  for (const [text, amount] of parts) screen.amount(text, penceOf(amount));
  screen.total('Total', penceOf(charged.total));
  const sum = sumPence([charged.subtotal, ...parts.map(([, amount]) => amount)].map(penceOf));
  assert.equal(sum, penceOf(charged.total), 'the parts of the price do not add up to its total');
}

function showPrintFiles(
  screen: Screen,
  files: readonly PrintFile[],
  templates: readonly (readonly PrintAreaReply[])[],
): void {
  assert.equal(files.length, 6, `there are ${files.length} print files in place of 6`);
  for (const { path, line, printArea, widthPx, heightPx, dpi } of files) {
    const template = templates[line - 1]?.find(({ print_area }) => print_area === printArea);
    const measured = { width_px: widthPx, height_px: heightPx, dpi };
    assert.ok(template !== undefined, `the catalogue has no print area ${printArea}`);
    const { width_px, height_px, width_mm, height_mm } = template;
    assert.deepEqual(
      measured,
      { width_px, height_px, dpi: template.dpi },
      `${path} is not as its print area's template`,
    );
    const size = `${widthPx} × ${heightPx} px`.padEnd(16);
    screen.result(`${path.padEnd(30)}${size} ${dpi} dpi  ${Math.round(width_mm)} × ${Math.round(height_mm)} mm`);
  }
}

/** Asks until there is an answer; ends when `signal` does. */
async function eventually<T>(
  signal: AbortSignal,
  ask: () => Promise<T | undefined | false> | T | undefined | false,
): Promise<T> {
  for (;;) {
    const answer = await ask();
    if (answer !== undefined && answer !== false) return answer;
    await sleep(POLL_MS, undefined, { signal });
  }
}
