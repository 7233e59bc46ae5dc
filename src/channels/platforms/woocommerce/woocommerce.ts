import { arrayOf, isMembers, textOf } from '../members.ts';
import type { ChangedOrders, Facts, ListPlace, Platform, ReadOrder, Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';
import { addressOf, consentUrl, readConsent } from './consent.ts';
import { readNotice } from './notice.ts';
import { changedAt, hasRefunds, readWooOrder, refundedPieces } from './orders.ts';
import { publishInWoo } from './products.ts';
import { reportToWoo } from './reports.ts';

const HOOKS = '/wp-json/wc/v3/webhooks';
const PAGE = 50;
const TOPICS = ['order.created', 'order.updated', 'order.deleted', 'order.restored'] as const;
/**
 * How far behind the last change that was read the next list begins.
 * An order may be seen a while after the time that it has as its change; what is read twice changes nothing.
 */
const BEHIND_MS = 300_000;
const DAY_MS = 86_400_000;
/** Of orders that a shop had before it was connected, the newest. */
const EARLIER_PAGES_MAX = 20;

/** WooCommerce by its REST API, version 3. */
export const WOOCOMMERCE: Platform = {
  name: 'woocommerce',
  title: 'WooCommerce',
  capabilities: { parcelsByLine: true, notices: true },
  needsApp: false,
  isLinkedOnce: false,
  isConsentByBrowser: false,
  addressOf,
  addressExample: 'https://shop.example.com',
  consentUrl,
  readConsent,
  authorise: ({ key = '', secret = '' }) => ({
    authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`,
  }),
  readNotice,
  setUp,
  listChanged,
  readOrder,
  report: reportToWoo,
  publish: publishInWoo,
  takeDown: async (shop) => {
    for (const { id } of await ownHooks(shop)) await shop.call('DELETE', `${HOOKS}/${id}?force=true`);
  },
};

type Hook = { readonly id: string; readonly topic: string; readonly status: string };

/** The webhooks of the shop that send to us. */
async function ownHooks(shop: Shop): Promise<Hook[]> {
  const answer = await shop.call('GET', `${HOOKS}?per_page=100`);
  if (answer === undefined) {
    throw new ShopFault('broken', 'This site has no WooCommerce, or one before version 5.8, or its REST API is off.');
  }
  return arrayOf(answer.json)
    .filter(isMembers)
    .filter((hook) => textOf(hook.delivery_url) === shop.noticeUrl)
    .map((hook) => ({ id: textOf(hook.id), topic: textOf(hook.topic), status: textOf(hook.status) }));
}

/**
 * Has the shop send what changes.
 * WooCommerce switches a webhook off after five failures in a row; it is switched on again, and the list of changed
 * orders finds what was lost. A webhook that is not known to be ours may sign with anything, and gets our secret.
 */
async function setUp(shop: Shop): Promise<Facts> {
  const hooks = await ownHooks(shop);
  const known = new Set(Array.isArray(shop.facts.hooks) ? shop.facts.hooks : []);
  const ids: string[] = [];
  let mended = typeof shop.facts.mended === 'number' ? shop.facts.mended : 0;
  for (const topic of TOPICS) {
    const [hook, ...more] = hooks.filter((one) => one.topic === topic);
    const body = { name: 'Platen', topic, delivery_url: shop.noticeUrl, secret: shop.noticeSecret, status: 'active' };
    for (const { id } of more) await shop.call('DELETE', `${HOOKS}/${id}?force=true`);
    if (hook !== undefined && hook.status === 'active' && known.has(hook.id)) {
      ids.push(hook.id);
      continue;
    }
    if (hook !== undefined && hook.status !== 'active') mended += 1;
    const written = await shop.call(
      hook === undefined ? 'POST' : 'PUT',
      hook === undefined ? HOOKS : `${HOOKS}/${hook.id}`,
      body,
    );
    if (isMembers(written?.json)) ids.push(textOf(written.json.id));
  }
  return { mended, hooks: ids };
}

/**
 * Lists by the time of the last change.
 * A page begins where the one before ended; only where a whole page has one and the same time, as after a change in
 * bulk, pages are counted.
 */
async function listChanged(shop: Shop, place: ListPlace): Promise<ChangedOrders> {
  const { after } = place;
  if (typeof after !== 'string') return listEarlier(shop, typeof place.page === 'number' ? place.page : 1);
  const page = typeof place.page === 'number' ? place.page : 1;
  const rows = await listRows(shop, { modified_after: after, orderby: 'modified', order: 'asc' }, page);
  const orders = await readRows(shop, rows);
  const times = rows.map(changedAt).filter((time) => time !== undefined);
  const last = times.at(-1);
  const isLast = rows.length < PAGE;
  if (last === undefined) return { orders, place: { after, page: isLast ? 1 : page + 1 }, isLast };
  if (isLast) return { orders, place: { after: behind(last, after), page: 1 }, isLast };
  const isOneTime = secondBefore(last) <= after;
  return { orders, place: isOneTime ? { after, page: page + 1 } : { after: secondBefore(last), page: 1 }, isLast };
}

/** Orders of before the shop was connected that are still to be made: their people choose among them. */
async function listEarlier(shop: Shop, page: number): Promise<ChangedOrders> {
  const before = shop.since.toISOString();
  const rows = await listRows(shop, { before, status: 'processing,on-hold', orderby: 'date', order: 'desc' }, page);
  const orders = await readRows(shop, rows);
  const isMore = rows.length === PAGE && page < EARLIER_PAGES_MAX;
  const first = new Date(shop.since.getTime() - DAY_MS).toISOString();
  return { orders, place: isMore ? { page: page + 1 } : { after: first }, isLast: false };
}

async function listRows(
  shop: Shop,
  which: Readonly<Record<string, string>>,
  page: number,
): Promise<readonly unknown[]> {
  const pages = { dates_are_gmt: 'true', per_page: String(PAGE), page: String(page) };
  const query = new URLSearchParams({ ...which, ...pages }).toString();
  const answer = await shop.call('GET', `/wp-json/wc/v3/orders?${query}`);
  if (Array.isArray(answer?.json)) return arrayOf(answer.json);
  throw new ShopFault('broken', 'This site has no list of orders: WooCommerce is off, or its REST API is.');
}

async function readRows(shop: Shop, rows: readonly unknown[]): Promise<ReadOrder[]> {
  const orders: ReadOrder[] = [];
  for (const row of rows) {
    const read = await withRefunds(shop, row);
    if (read !== undefined) orders.push(read);
  }
  return orders;
}

/** Never before where the list began: it would go back with each sync of a shop that is at rest. */
function behind(last: string, after: string): string {
  const time = new Date(Date.parse(last) - BEHIND_MS).toISOString();
  return time > after ? time : after;
}

/** The list begins after a time, and has seconds. */
function secondBefore(time: string): string {
  return new Date(Date.parse(time) - 1_000).toISOString();
}

async function readOrder(shop: Shop, id: string): Promise<ReadOrder | undefined> {
  if (!/^\d{1,19}$/.test(id)) return undefined;
  const answer = await shop.call('GET', `/wp-json/wc/v3/orders/${id}`);
  return answer === undefined ? undefined : withRefunds(shop, answer.json);
}

/** An order whose refunds are read with it, if it has any: a refunded piece is not to be made. */
async function withRefunds(shop: Shop, json: unknown): Promise<ReadOrder | undefined> {
  if (!hasRefunds(json) || !isMembers(json)) return readWooOrder(json);
  const answer = await shop.call('GET', `/wp-json/wc/v3/orders/${textOf(json.id)}/refunds?per_page=100`);
  return readWooOrder(json, refundedPieces(answer?.json));
}
