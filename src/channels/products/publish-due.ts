import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { lockChannel, noteRules } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { lookAtReason } from '../inbox/inbox-sql.ts';
import { countItems, ITEMS_MAX, mapNewItems } from '../items/item-sql.ts';
import type { Apart } from '../linked/apart.ts';
import { findLink, type ShopLink } from '../linked/link-sql.ts';
import type { Platform, Shop } from '../platforms/port.ts';
import type { PublishedProduct, ShopProduct } from '../platforms/published-product.ts';
import { ShopFault } from '../platforms/shop-call.ts';
import { itemKey, itemTitle } from '../shop-order.ts';
import {
  type DueProduct,
  endProduct,
  KEPT_PAGE,
  keepLook,
  listDueProducts,
  listKeptProducts,
  noteChangedProducts,
  noteGone,
  type OfShop,
  putOffProduct,
  tryFailedProducts,
} from './channel-product-sql.ts';
import { levelsDigest, levelsOf, publishedOf } from './published-of.ts';

const PRODUCTS_AT_ONCE = 5;
const TRIES_MAX = 5;
const AGAIN_MS = 60_000;
/** How often a product is tried that is in the shop and failed: its stock is not kept meanwhile. */
const FAILED_AGAIN_MS = 3_600_000;

/** A shop under its sync. */
type Publishing = {
  readonly ctx: ChannelsContext;
  readonly of: OfShop;
  readonly link: Pick<ShopLink, 'products_after' | 'products_at'>;
  readonly platform: Platform;
  readonly shop: Shop;
  readonly apart: Apart;
  readonly isOver: () => boolean;
};

/**
 * Compares a page of the products in a shop with what they are here, at most once in a time.
 * What has changed of their variants and stock is due. Levels are compared, so no change of a product or of its stock
 * has to be noted where it is made. What the shop has refused is due now and then, as it may have been written in part.
 */
export async function compareProducts({ ctx, of, link }: Publishing, everyMs: number): Promise<{ isMore: boolean }> {
  const { products_after: after, products_at: endedAt } = link;
  const now = ctx.clock.now();
  const isDue = after !== null || endedAt === null || now.getTime() - endedAt.getTime() >= everyMs;
  if (!isDue) return { isMore: false };
  const failedBefore = new Date(now.getTime() - FAILED_AGAIN_MS);
  const page = await listKeptProducts(ctx.database, of, { after: after ?? (FIRST_ID as Uuid), failedBefore });
  if (page.length === 0 && after === null) return { isMore: false };
  const settled = page.filter(({ is_settled: isSettled }) => isSettled);
  const levels = await levelsOf(ctx, of.accountId, settled);
  const changed = settled.filter(({ digest }, at) => {
    const present = levels[at];
    return present !== undefined && !levelsDigest(present).equals(digest);
  });
  const ids = changed.map(({ product_id: id }) => id);
  if (ids.length > 0) await noteChangedProducts(ctx.database, of, ids, now);
  const refused = page.filter(({ is_to_try: isToTry }) => isToTry).map(({ product_id: id }) => id);
  if (refused.length > 0) await tryFailedProducts(ctx.database, of, refused, now);
  const isMore = page.length === KEPT_PAGE;
  await keepLook(ctx.database, of, isMore ? (page.at(-1)?.product_id ?? null) : null, isMore ? null : now);
  return { isMore };
}

/**
 * Writes the products to a shop that are due, a bounded number.
 * One that the shop refuses or answers badly stops no other, and neither orders nor parcels.
 */
export async function publishDue(publishing: Publishing): Promise<{ isMore: boolean }> {
  const { ctx, of, apart, isOver } = publishing;
  const due = await listDueProducts(ctx.database, of, ctx.clock.now(), PRODUCTS_AT_ONCE);
  for (const row of due) {
    if (isOver() || !(await isGoingOn(publishing))) return { isMore: true };
    // The product may be one that the shop cannot take.
    await apart.one(
      () => publishOne(publishing, row),
      async ({ message }, isItsOwn) => void (isItsOwn && (await putOff(ctx, of, row, message))),
    );
  }
  return { isMore: due.length === PRODUCTS_AT_ONCE };
}

/** Whether the shop is still written to: it may be disconnected, or suspended, in the middle. */
async function isGoingOn({ ctx, of }: Publishing): Promise<boolean> {
  const link = await findLink(ctx.database, of.accountId, of.channelId);
  return link !== undefined && !link.is_suspended && link.state !== 'disconnected';
}

/** Throws what the shop does not refuse for good. */
async function publishOne({ ctx, of, platform, shop }: Publishing, row: DueProduct): Promise<void> {
  const built = await publishedOf(ctx, of.accountId, row);
  if (typeof built === 'string') {
    await putOffProduct(ctx.database, of, row, { problem: built, again: null, now: ctx.clock.now() });
    return;
  }
  try {
    const shopProduct = await platform.publish(shop, built.product, row.shop_product ?? undefined);
    if (shopProduct === 'gone') await noteGone(ctx.database, of, row, ctx.clock.now());
    else await keepPublished(ctx, of, row, { ...built, shopProduct });
  } catch (error) {
    if (!(error instanceof ShopFault) || error.kind !== 'rejected') throw error;
    await putOff(ctx, of, row, error.message);
  }
}

async function putOff(ctx: ChannelsContext, of: OfShop, row: DueProduct, problem: string): Promise<void> {
  const now = ctx.clock.now();
  const isLast = row.failures + 1 >= TRIES_MAX;
  const again = isLast ? null : new Date(now.getTime() + AGAIN_MS * 2 ** row.failures);
  await putOffProduct(ctx.database, of, row, { problem, again, now });
}

type Published = {
  readonly product: PublishedProduct;
  readonly digest: Buffer;
  readonly shopProduct: ShopProduct;
};

/** Keeps what a shop calls a product, and maps its new variants: their SKUs may be changed in the shop. */
async function keepPublished(
  ctx: ChannelsContext,
  of: OfShop,
  row: DueProduct,
  { product, digest, shopProduct }: Published,
): Promise<void> {
  const { accountId, channelId } = of;
  await ctx.database.transaction(async (tx) => {
    await lockChannel(tx, accountId, channelId);
    const now = ctx.clock.now();
    // Its people have stopped it meanwhile.
    if (!(await endProduct(tx, of, row, { shopProduct, digest, now }))) return;
    const before = row.shop_product?.variants ?? {};
    const isNew = ({ sku }: { sku: string }): boolean =>
      shopProduct.variants[sku] !== undefined && before[sku] !== shopProduct.variants[sku];
    const items = product.variants.filter(isNew).map(({ sku, colour, size }) => {
      const item = { id: '', title: product.title, options: `${colour} / ${size}`, quantity: 1 };
      const key = itemKey({ ...item, variant_id: shopProduct.variants[sku] ?? '' });
      return { key, title: itemTitle(item), variant_sku: sku.slice(product.id.length + 1) };
    });
    const known = await countItems(tx, accountId, channelId, ITEMS_MAX);
    // Beyond the bound the SKU still says what an item is.
    const kept = items.slice(0, ITEMS_MAX - known);
    if (kept.length === 0) return;
    await mapNewItems(tx, { accountId, channelId, productId: row.product_id, items: kept, now });
    await noteRules(tx, accountId, channelId);
    await lookAtReason(tx, { accountId, channelId, reason: 'needs_mapping' }, now);
  });
}
