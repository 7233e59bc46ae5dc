import { type ListFrom, listFromPlace, listOn } from '../list-place.ts';
import { arrayOf, isMembers, textOf } from '../members.ts';
import type { ChangedOrders, Facts, ListPlace, Platform, ReadOrder, Shop } from '../port.ts';
import { isForbidden, isRejected, mayBeOfOne, NO_SHOP_THERE, ShopFault, writeTo } from '../shop-call.ts';
import { nameOfAddress } from '../shop-name.ts';
import { addressOf, consentUrl, readConsent } from './consent.ts';
import { readNotice } from './notice.ts';
import { changedAt, hasFulfilments, hasRefunds, readWooOrder, refundedPieces, sentPieces } from './orders.ts';
import { publishInWoo } from './products.ts';
import { refundInWoo } from './refunds.ts';
import { fulfilmentsOf, reportToWoo } from './reports.ts';
import { isGoneInWoo, wooPage, wooRows } from './there.ts';

const HOOKS = '/wp-json/wc/v3/webhooks';
const PAGE = 50;
const TOPICS = ['order.created', 'order.updated', 'order.deleted', 'order.restored'] as const;
const later = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();
/** The list begins after a time, and has seconds. */
const LISTING = {
  behindMs: 300_000,
  from: (time: string): string => later(time, -1_000),
  past: (time: string): string => time,
} as const;
const DAY_MS = 86_400_000;
/** Which orders are in a list, and no more. */
const BARE_FIELDS = 'id,date_modified_gmt';
/** Of orders that a shop had before it was connected, the newest. */
const EARLIER_PAGES_MAX = 20;

/** WooCommerce by its REST API, version 3. */
export const WOOCOMMERCE: Platform = {
  name: 'woocommerce',
  title: 'WooCommerce',
  capabilities: { parcelsByLine: true, refunds: true, namesRefunded: false, notices: true },
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
  // Other codes are those of WordPress and of plug-ins, which ask for no key of WooCommerce.
  isRefusal: ({ code }) => textOf(code).startsWith('woocommerce_rest_'),
  readNotice,
  ownName,
  needsSetUp: false,
  setUp,
  listChanged,
  readOrder,
  report: reportToWoo,
  refund: refundInWoo,
  publish: publishInWoo,
  takeDown: async (shop) => {
    for (const { id } of await ownHooks(shop)) await shop.call('DELETE', `${HOOKS}/${id}?force=true`);
  },
};

/** WordPress says where it is in the index of its REST API, which plug-ins close. */
async function ownName(shop: Shop): Promise<string | undefined> {
  const answer = await shop.call('GET', '/wp-json/?_fields=home,url');
  const { home, url } = isMembers(answer?.json) ? answer.json : {};
  return nameOfAddress(textOf(home)) ?? nameOfAddress(textOf(url));
}

type Hook = { readonly id: string; readonly topic: string; readonly status: string };

/** The webhooks of the shop that send to us. */
async function ownHooks(shop: Shop): Promise<Hook[]> {
  const answer = await shop.call('GET', `${HOOKS}?per_page=100`);
  if (answer === undefined) {
    const words = 'This site has no WooCommerce, or one before version 5.8, or its REST API is off.';
    throw new ShopFault('broken', words, undefined, NO_SHOP_THERE);
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
    const written = await writeTo(
      shop,
      hook === undefined ? 'POST' : 'PUT',
      hook === undefined ? HOOKS : `${HOOKS}/${hook.id}`,
      body,
    );
    if (isMembers(written.json)) ids.push(textOf(written.json.id));
  }
  return { mended, hooks: ids };
}

/**
 * Lists by the time of the last change.
 * Orders, and those in the bin, which WooCommerce leaves out of every other list.
 */
async function listChanged(shop: Shop, place: ListPlace): Promise<ChangedOrders> {
  const { after, bin_after: binAfter = after } = place;
  if (typeof after !== 'string' || typeof binAfter !== 'string') {
    return listEarlier(shop, typeof place.page === 'number' ? place.page : 1);
  }
  if (place.list === 'bin') {
    const { orders, next, isEnd } = await listFrom(shop, { status: 'trash' }, listFromPlace(place, binAfter));
    const { after: nextAfter, ...counted } = next;
    const rest = isEnd ? counted : { list: 'bin', ...counted };
    return { orders, place: { after, bin_after: nextAfter, ...rest }, isLast: isEnd };
  }
  const { orders, next, isEnd } = await listFrom(shop, {}, listFromPlace(place, after));
  return { orders, place: { bin_after: binAfter, ...next, ...(isEnd ? { list: 'bin' } : {}) }, isLast: false };
}

async function listFrom(
  shop: Shop,
  which: Which,
  from: ListFrom,
): Promise<{ readonly orders: readonly ReadOrder[]; readonly next: ListFrom; readonly isEnd: boolean }> {
  const { after, moment, page } = from;
  const changed: Which =
    moment === undefined
      ? { modified_after: after, orderby: 'modified' }
      : { modified_after: later(moment, -1_000), modified_before: later(moment, 1_000), orderby: 'id' };
  const listed = await listRows(shop, { ...which, ...changed, order: 'asc' }, page);
  const { rows, isEnd } = listed;
  const orders = await readRows(shop, listed);
  const last = rows.map(changedAt).findLast((time) => time !== undefined);
  return { orders, ...listOn(shop, from, { last, isEnd }, LISTING) };
}

/** Orders of before the shop was connected that are still to be made: their people choose among them. */
async function listEarlier(shop: Shop, page: number): Promise<ChangedOrders> {
  const before = shop.since.toISOString();
  const which = { before, status: 'processing,on-hold', orderby: 'date', order: 'desc' };
  const listed = await listRows(shop, which, page);
  const orders = await readRows(shop, listed);
  const isMore = !listed.isEnd && page < EARLIER_PAGES_MAX;
  const first = new Date(shop.since.getTime() - DAY_MS).toISOString();
  return { orders, place: isMore ? { page: page + 1 } : { after: first }, isLast: false };
}

/** Orders of a list; bare where the shop gives out no more of them together than which they are. */
type Rows = { readonly rows: readonly unknown[]; readonly areBare: boolean; readonly isEnd: boolean };

type Which = Readonly<Record<string, string>>;

/**
 * Reads a page of orders.
 * One that a plug-in cannot write, or refuses, spoils its page, which is then asked for their ids alone.
 */
async function listRows(shop: Shop, which: Which, page: number): Promise<Rows> {
  const { areBare, ...read } = await pageOf(shop, which, page)
    .then((whole) => ({ ...whole, areBare: false }))
    .catch(async (error: unknown) => {
      if (!mayBeOfOne(error)) throw error;
      return { ...(await pageOf(shop, { ...which, _fields: BARE_FIELDS }, page)), areBare: true };
    });
  return { rows: read.rows, areBare, isEnd: await isEndOf(shop, which, page, read) };
}

function pageOf(shop: Shop, which: Which, page: number): ReturnType<typeof wooPage> {
  const query = { ...which, dates_are_gmt: 'true', per_page: String(PAGE), page: String(page) };
  return wooPage(shop, `/wp-json/wc/v3/orders?${new URLSearchParams(query).toString()}`);
}

/**
 * Whether no page follows one.
 * WooCommerce takes out of a page, once it has counted it, what the user of the key may not read. A full page is never
 * the end: plug-ins have it count nothing. Without the count the next page is the end where it has nothing new.
 */
async function isEndOf(
  shop: Shop,
  which: Which,
  page: number,
  { rows, pages }: Awaited<ReturnType<typeof wooPage>>,
): Promise<boolean> {
  if (rows.length >= PAGE) return false;
  if (pages !== undefined) return page >= pages;
  if (rows.length === 0) return true;
  const idOf = (row: unknown): string => (isMembers(row) ? textOf(row.id) : '');
  const ids = new Set(rows.map(idOf));
  try {
    const following = await pageOf(shop, { ...which, _fields: 'id' }, page + 1);
    return following.rows.every((row) => ids.has(idOf(row)));
  } catch (error) {
    // As WordPress does with a page that is none.
    if (isRejected(error)) return true;
    throw error;
  }
}

/** Once what belongs to one cannot be read, others that have as much are asked for by themselves, too. */
async function readRows(shop: Shop, { rows, areBare }: Rows): Promise<ReadOrder[]> {
  const orders: ReadOrder[] = [];
  let isApart = false;
  for (const row of rows) {
    if (areBare || (isApart && (hasRefunds(row) || hasFulfilments(row)))) {
      orders.push(...withheld(row));
      continue;
    }
    try {
      const read = await withPieces(shop, row);
      if (read !== undefined) orders.push(read);
    } catch (error) {
      if (!mayBeOfOne(error) && !isForbidden(error)) throw error;
      isApart = true;
      orders.push(...withheld(row));
    }
  }
  return orders;
}

function withheld(row: unknown): ReadOrder[] {
  return isMembers(row) ? [{ kind: 'withheld', id: textOf(row.id) }] : [];
}

async function readOrder(shop: Shop, id: string): Promise<ReadOrder | 'gone' | undefined> {
  if (!/^\d{1,19}$/.test(id)) return undefined;
  const answer = await shop.call('GET', `/wp-json/wc/v3/orders/${id}`);
  if (answer !== undefined) return withPieces(shop, answer.json);
  return (await isGoneInWoo(shop, 'orders', id)) ? 'gone' : undefined;
}

/** An order with its refunds and what was sent of it, if it has any: neither is to be made. */
async function withPieces(shop: Shop, json: unknown): Promise<ReadOrder | undefined> {
  if (!isMembers(json)) return readWooOrder(json);
  const path = `/wp-json/wc/v3/orders/${textOf(json.id)}`;
  const refunds = hasRefunds(json) ? await wooRows(shop, `${path}/refunds?per_page=100`) : [];
  const fulfilments = hasFulfilments(json) ? await fulfilmentsOf(shop, path) : [];
  return readWooOrder(json, { refunded: refundedPieces(refunds), sent: sentPieces(fulfilments) });
}
