import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { LAST_ID, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import { findNamedProducts } from '../../products/find-named.ts';
import { type ChannelRow, lockChannel } from '../connected/channel-sql.ts';
import { ownChannel } from '../connected/channels.ts';
import type { ChannelsContext } from '../context.ts';
import { SYNC_DUE } from '../linked/run-syncs.ts';
import { hastenSync } from '../linked/sync-sql.ts';
import type { ChannelProduct, ListChannelProductsQuery, PublishProductBody } from '../product-schema.ts';
import {
  type ChannelProductRow,
  countChannelProducts,
  dropProduct,
  findChannelProduct,
  listChannelProducts,
  type OfShop,
  requestProduct,
} from './channel-product-sql.ts';

/** Products in a shop. */
const PRODUCTS_MAX = 1_000;

type PublishContext = Pick<ChannelsContext, 'database' | 'clock' | 'wake'>;

/** The products of the account in a shop of its own, the newest first. Throws 404 for any other shop. */
export async function listOwnChannelProducts(
  ctx: Pick<ChannelsContext, 'database'>,
  { accountId }: SignedIn,
  id: string,
  query: ListChannelProductsQuery,
): Promise<Page<ChannelProduct>> {
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  return pageOfProducts(ctx, { accountId, channelId }, query);
}

/** A page of the products in a shop, the newest first. */
export async function pageOfProducts(
  ctx: Pick<ChannelsContext, 'database'>,
  of: OfShop,
  query: ListChannelProductsQuery,
): Promise<Page<ChannelProduct>> {
  const { limit, after } = readPage('prod', query);
  const page = { before: after ?? (LAST_ID as Uuid), limit: limit + 1 };
  const rows = await listChannelProducts(ctx.database, of, page);
  return toPage(rows, limit, channelProductView, (view) => view.product_id);
}

/**
 * Publishes a product in a shop, or tries again; once there it is kept up to date.
 * Throws 404 for any other shop, 409 for one that is disconnected, takes no products or has too many, 422 for a product
 * that is not there or is archived.
 */
export async function publishProduct(
  ctx: PublishContext,
  caller: SignedIn,
  id: string,
  body: PublishProductBody,
): Promise<ChannelProduct> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  const of = { accountId, channelId };
  const productId = await productOf(ctx, accountId, body);
  const now = ctx.clock.now();
  const row = await ctx.database.transaction(async (tx) => {
    refuseShop(await lockChannel(tx, accountId, channelId));
    const isThere = (await findChannelProduct(tx, of, productId)) !== undefined;
    if (!isThere && (await countChannelProducts(tx, of, PRODUCTS_MAX)) >= PRODUCTS_MAX) {
      const most = PRODUCTS_MAX.toLocaleString('en-GB');
      throw new ApiError('conflict', `A shop has at most ${most} products of yours. Stop one that it sells no more.`);
    }
    await requestProduct(tx, of, productId, now);
    await hastenSync(tx, accountId, channelId, now);
    await record(caller, of, productId, { tx, action: 'publish_product', now });
    return findChannelProduct(tx, of, productId);
  });
  ctx.wake(SYNC_DUE);
  if (row === undefined) throw new Error('a product was requested and is not there');
  return channelProductView(row);
}

/**
 * Keeps a product in a shop up to date no more; in the shop it stays as it is.
 * Idempotent. Throws 404 for any other shop.
 */
export async function stopProduct(
  ctx: PublishContext,
  caller: SignedIn,
  id: string,
  publicProductId: string,
): Promise<void> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  const productId = parseId('prod', publicProductId);
  if (productId === undefined) return;
  const of = { accountId, channelId };
  await ctx.database.transaction(async (tx) => {
    if (!(await dropProduct(tx, of, productId))) return;
    await record(caller, of, productId, { tx, action: 'stop_product', now: ctx.clock.now() });
  });
}

function refuseShop(channel: ChannelRow | undefined): void {
  if (channel === undefined) throw noSuch('shop');
  if (channel.state === 'disconnected') throw new ApiError('conflict', 'This shop is disconnected. Connect it anew.');
  if (channel.platform === 'signed') {
    throw new ApiError('conflict', 'This shop sends its orders itself, and products cannot be published in it.');
  }
}

async function productOf(
  ctx: Pick<ChannelsContext, 'database'>,
  accountId: Uuid,
  { product_id: publicProductId }: PublishProductBody,
): Promise<Uuid> {
  const refuse = (code: string, message: string): Error => validationFailed([{ path: 'product_id', code, message }]);
  const productId = parseId('prod', publicProductId);
  const ids = productId === undefined ? [] : [productId];
  const [product] = await findNamedProducts(ctx, accountId, { ids, names: [], skus: [] });
  if (product === undefined) throw refuse('unknown_product', 'is no product of yours, or an archived one.');
  if (product.skus.length > 0) return product.id;
  throw refuse('no_variants', `has no active variant: ${product.name}.`);
}

async function record(
  caller: SignedIn,
  { channelId }: OfShop,
  productId: Uuid,
  { tx, action, now }: { tx: Parameters<typeof recordAct>[0]; action: string; now: Date },
): Promise<void> {
  const detail = { channel_id: publicId('chan', channelId), product_id: publicId('prod', productId) };
  await recordAct(tx, caller, { action, subjectId: channelId, detail }, now);
}

/** A product in a shop, and how it does there. */
export function channelProductView(row: ChannelProductRow): ChannelProduct {
  const { gone_at: goneAt, failed_at: failedAt, due_at: dueAt, published_at: publishedAt } = row;
  const state = goneAt !== null ? 'gone' : failedAt !== null ? 'failed' : dueAt === null ? 'published' : 'waiting';
  return {
    product_id: publicId('prod', row.product_id),
    name: row.name,
    state,
    problem: row.problem,
    published_at: publishedAt && isoTime(publishedAt),
    left_out: row.left_out.map(({ sku, is_off: isOff }) => ({
      variant_sku: sku,
      reason: isOff ? 'switched_off' : 'not_made',
    })),
  };
}
