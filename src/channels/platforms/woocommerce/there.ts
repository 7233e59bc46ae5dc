import { arrayOf, isMembers, type Members, textOf } from '../members.ts';
import type { Shop } from '../port.ts';
import { ShopFault } from '../shop-call.ts';

// What is there in a shop and what is not. A site whose WooCommerce is switched off for a moment answers 404 to
// everything, as it does for what was deleted: only a list that answers and does not hold it says that it is gone.

const API = '/wp-json/wc/v3';

type WooList = 'orders' | 'products';

/**
 * An order or a product as the shop has it; undefined once it is gone.
 * Throws `ShopFault` where neither is known.
 */
export async function thereInWoo(shop: Shop, list: WooList, id: string): Promise<Members | undefined> {
  const answer = await shop.call('GET', `${API}/${list}/${id}`);
  if (isMembers(answer?.json)) return answer.json;
  if (answer === undefined && (await isGoneInWoo(shop, list, id))) return undefined;
  throw new ShopFault('broken', 'The shop does not give out what its list says is there.');
}

/** Whether the list of the shop, which answers, does not hold an id. */
export async function isGoneInWoo(shop: Shop, list: WooList, id: string): Promise<boolean> {
  const query = new URLSearchParams({ include: id, per_page: '1', page: '1', _fields: 'id' }).toString();
  const rows = await wooRows(shop, `${API}/${list}?${query}`);
  return !rows.some((row) => isMembers(row) && textOf(row.id) === id);
}

/**
 * Whether the shop lists a route of its API; undefined where it lists none, as plug-ins have it.
 * The list is one answer, so that it has all routes or none, however often WooCommerce goes off and on.
 */
export async function hasWooRoute(shop: Shop, route: RegExp): Promise<boolean | undefined> {
  const routes = Object.keys(await routesOf(shop));
  return routes.some((one) => one === '/wc/v3/orders') ? routes.some((one) => route.test(one)) : undefined;
}

async function routesOf(shop: Shop): Promise<Members> {
  try {
    const answer = await shop.call('GET', `${API}?_fields=routes`);
    return isMembers(answer?.json) && isMembers(answer.json.routes) ? answer.json.routes : {};
  } catch (error) {
    if (error instanceof ShopFault && (error.kind === 'broken' || error.kind === 'rejected')) return {};
    throw error;
  }
}

/** The rows of a list. Throws `ShopFault` where there is no list: that is not one without rows. */
export async function wooRows(shop: Shop, path: string): Promise<readonly unknown[]> {
  return (await wooPage(shop, path)).rows;
}

/** As `wooRows`, with how many pages the shop says there are; undefined where a proxy takes that away. */
export async function wooPage(
  shop: Shop,
  path: string,
): Promise<{ readonly rows: readonly unknown[]; readonly pages: number | undefined }> {
  const answer = await shop.call('GET', path);
  if (!Array.isArray(answer?.json)) {
    throw new ShopFault(
      'broken',
      'This site has no list of what belongs to WooCommerce: it is off, or its REST API is.',
    );
  }
  const pages = answer.headers.get('x-wp-totalpages') ?? '';
  return { rows: arrayOf(answer.json), pages: /^\d{1,9}$/.test(pages) ? Number(pages) : undefined };
}
