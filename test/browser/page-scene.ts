import assert from 'node:assert/strict';
import type { Page } from 'playwright-core';
import { publicId } from '../../src/lib/ids.ts';
import { openFloor } from '../harness/floor.ts';
import { openPortal } from '../harness/portal.ts';
import { baseProductId } from '../harness/products.ts';
import { servePicture } from '../harness/shop.ts';
import type { Premises } from './premises.ts';
import { openScene, type Scene, sendWaiting } from './shop-scene.ts';

/** What the pages of the portal show here, one thing for each that has an address of its own. */
export type PageScene = {
  readonly premises: Premises;
  readonly shops: Scene;
  readonly webhook: string;
  readonly delivery: string;
  readonly teeId: string;
  readonly brand: string;
  readonly orderFile: string;
  /** The path of a link that works once, to a new password. */
  readonly link: string;
};

/** Opens all of it beside the orders of the premises. */
export async function openPageScene(premises: Premises): Promise<PageScene> {
  const { service } = premises;
  const make = async (path: string, body: object): Promise<string> => {
    const answer = await service.customer.request<{ id: string }>('POST', path, body);
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const webhook = await make('/webhooks', { url: service.stranger.url('/hook') });
  const delivery = await makeDelivery(premises, webhook);
  const shops = await openScene(premises);
  await sendWaiting(shops);
  const logo_url = await servePicture(service, '/fern.png', { colour: 'teal' });
  return {
    premises,
    shops,
    webhook,
    delivery,
    teeId: await baseProductId(service),
    brand: await make('/brands', { name: 'Fern & Fable', logo_url }),
    orderFile: await leaveFile(premises),
    link: await makeLink(premises),
  };
}

/** Makes an event whose delivery waits, of an order that is then as it was before. */
export async function makeDelivery({ service, orders }: Premises, webhook: string): Promise<string> {
  const floor = await openFloor(service, 'admin');
  await floor.post(`/orders/${orders.pending.id}/hold`, { reason: 'A question about the colour.' });
  await floor.post(`/orders/${orders.pending.id}/resume`);
  const path = `/webhooks/${webhook}/deliveries?event=order.on_hold`;
  const { body, text } = await service.customer.request<{ data: { id: string }[] }>('GET', path);
  return body.data[0]?.id ?? assert.fail(text);
}

/** Leaves a file of orders, whose columns are still to be said. */
export async function leaveFile({ service, person }: Premises): Promise<string> {
  const owner = await openPortal(service, person);
  const file = { name: 'week.csv', content: 'Number,Name\n1,Ada\n' };
  const { status, body, text } = await owner.request<{ id: string }>('POST', '/order-files', { body: file });
  assert.equal(status, 201, text);
  return body.id;
}

/** Has an operator make a link to a new password; its path. */
export async function makeLink({ service, person }: Premises): Promise<string> {
  const admin = await service.openOperator('admin');
  const path = `/users/${publicId('user', person.id)}/password-link`;
  const { status, body, text } = await admin.request<{ url: string }>('POST', path, { reason: 'forgotten' });
  assert.ok(status < 300, text);
  const { pathname, hash } = new URL(body.url);
  return `${pathname}${hash}`;
}

/**
 * Answers what the page of a sign-up asks.
 * Accounts are not opened by oneself here, which other pages show; test/browser/access has the whole way.
 */
export async function showSignUp(page: Page): Promise<void> {
  const json = { email: 'w@shop.example', name: 'Wanda', company: 'Wanda Prints', needs_approval: true };
  await page.route('**/sign-ups/read', (route) => route.fulfill({ json }));
}

export type ListedPage = {
  readonly path: string;
  readonly shows: (page: Page) => Promise<void>;
  readonly isSignedIn: boolean;
  /** What is set up before it is opened. */
  readonly before?: (page: Page) => Promise<void>;
  /** What is loaded when a person comes to it. */
  readonly later?: (page: Page) => Promise<void>;
};

/** Every page of the portal, and what stands on it once it is drawn. */
export const pagesOf = ({
  premises,
  shops,
  webhook,
  delivery,
  teeId,
  brand,
  orderFile,
  link: toPassword,
}: PageScene): readonly ListedPage[] => [
  { path: '/portal/sign-in', shows: (page) => heading(page, 'Sign in'), isSignedIn: false },
  { path: '/portal/forgotten', shows: (page) => page.getByText(/No mail is sent/).waitFor(), isSignedIn: false },
  { path: toPassword, shows: (page) => heading(page, 'Choose a new password'), isSignedIn: false },
  {
    path: '/portal/confirm#of-a-mail',
    before: showSignUp,
    shows: (page) => heading(page, 'Open Wanda Prints'),
    isSignedIn: false,
  },
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
  { path: '/portal/order-file', shows: (page) => link(page, 'week.csv'), isSignedIn: true },
  {
    path: `/portal/order-file/${orderFile}`,
    shows: (page) => page.getByRole('button', { name: 'Save results' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/templates',
    shows: (page) => link(page, 'Family album tee'),
    isSignedIn: true,
  },
  {
    path: `/portal/templates/${premises.service.demo.products.personalised}`,
    shows: (page) => page.getByRole('heading', { name: 'Layers' }).waitFor(),
    isSignedIn: true,
    later: async (page) => {
      await page.getByRole('region', { name: 'Try it' }).scrollIntoViewIfNeeded();
      await page.getByRole('button', { name: 'Show the proof' }).waitFor();
    },
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
    path: `/portal/products/${premises.service.demo.products.fixed}`,
    shows: (page) => page.getByRole('heading', { level: 2, name: 'On the garment' }).waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/team',
    shows: (page) => page.getByText('No invitation is open.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/shops', shows: (page) => link(page, 'among its items'), isSignedIn: true },
  {
    path: `/portal/shops/${shops.shop.id}`,
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
    path: '/portal/money?view=documents',
    shows: (page) => page.getByLabel('From', { exact: true }).waitFor(),
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
    path: '/portal/money?view=top-ups',
    shows: (page) => page.getByText('There is no top-up by card.').waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/money/return',
    shows: (page) => page.getByText('This address names no top-up.').waitFor(),
    isSignedIn: true,
  },
  {
    path: '/portal/money/saved',
    shows: (page) => page.getByText('This address names no payment method.').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/company', shows: (page) => page.getByLabel('Legal name').waitFor(), isSignedIn: true },
  {
    path: '/portal/notifications',
    shows: (page) => page.getByLabel('An order is on hold: You').waitFor(),
    isSignedIn: true,
  },
  { path: '/portal/developers', shows: (page) => page.getByText(/typed client/).waitFor(), isSignedIn: true },
  { path: '/portal/developers/webhooks', shows: (page) => link(page, '/hook'), isSignedIn: true },
  {
    path: `/portal/developers/webhooks/${webhook}`,
    shows: (page) => link(page, 'order.on_hold'),
    isSignedIn: true,
  },
  {
    path: `/portal/developers/webhooks/${webhook}/deliveries/${delivery}`,
    shows: (page) => page.getByRole('heading', { level: 2, name: 'order.on_hold' }).waitFor(),
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

/** Waits for the title of a page. */
export async function heading(page: Page, name: string): Promise<void> {
  await page.getByRole('heading', { level: 1, name }).waitFor();
}

/** Waits for a link of a page. */
export async function link(page: Page, name: string): Promise<void> {
  await page.getByRole('main').getByRole('link', { name }).first().waitFor();
}
