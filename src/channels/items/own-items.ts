import { recordAct } from '../../accounts/access/record-act.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { KEY_BYTES_MAX } from '../../lib/indexed-key.ts';
import { findNamedProducts } from '../../products/find-named.ts';
import { itemVariantView, saidVariant } from '../../products/said-variant.ts';
import { suggestVariants } from '../../products/suggest-variant.ts';
import { lockChannel, noteRules } from '../connected/channel-sql.ts';
import { ownChannel } from '../connected/channels.ts';
import type { ChannelsContext } from '../context.ts';
import { lookAtItem } from '../inbox/inbox-sql.ts';
import { INBOX_CHANGED } from '../inbox/run-inbox.ts';
import type { ChannelItems, SetItemBody } from '../inbox-schema.ts';
import {
  countItems,
  deleteItem,
  findItems,
  ITEMS_MAX,
  ITEMS_PAGE,
  listItems,
  listMissing,
  setItem,
} from './item-sql.ts';

const MISSING_MAX = 50;
/** Orders that are looked at for items that they wait for. */
const MISSING_ORDERS_MAX = 1_000;
const SUGGESTIONS_MAX = 5;

export type ItemsContext = Pick<ChannelsContext, 'database' | 'clock' | 'wake' | 'catalogue'>;

/** The items of a shop: those that orders wait for, with suggestions, and those that are known. */
export async function listOwnItems(
  ctx: ItemsContext,
  { accountId }: SignedIn,
  id: string,
  { after = '' }: { readonly after?: string | undefined },
): Promise<ChannelItems> {
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  return itemsOf(ctx, { accountId, channelId }, after);
}

/** A shop of an account. */
type ShopOf = { readonly accountId: Uuid; readonly channelId: Uuid };

/** As `listOwnItems`, of any shop. */
export async function itemsOf(
  ctx: ItemsContext,
  { accountId, channelId }: ShopOf,
  after: string,
): Promise<ChannelItems> {
  const bounds = { accountId, channelId, ordersMax: MISSING_ORDERS_MAX, itemsMax: MISSING_MAX };
  const missing = await listMissing(ctx.database, bounds);
  const rows = await listItems(ctx.database, accountId, channelId, after);
  const shown = rows.slice(0, ITEMS_PAGE);
  const names = missing.flatMap(({ title }) => [title, title.split(' - ')[0] ?? title]);
  const ids = shown.flatMap(({ product_id: productId }) => productId ?? []);
  const skus = missing.flatMap(({ key }) => (key.startsWith('sku ') ? [key.slice('sku '.length)] : []));
  const found = await findNamedProducts(ctx, accountId, {
    ids: [...new Set(ids)],
    names: [...new Set(names)],
    skus: [...new Set(skus)],
  });
  const catalogue = await ctx.catalogue.latest();
  const named = new Map(found.map((product) => [product.id, product]));
  return {
    missing: missing.map(({ key, title, orders }) => ({
      key,
      title,
      orders,
      suggestions: suggestVariants({ key, title }, found, catalogue).slice(0, SUGGESTIONS_MAX).map(itemVariantView),
    })),
    known: shown.map(
      ({ key, title, product_id: productId, variant_sku: sku, ignores_entries: ignoresEntries, set_at: setAt }) => ({
        key,
        title,
        variant:
          productId === null || sku === null
            ? null
            : itemVariantView({ product: named.get(productId) ?? { id: productId, name: 'an archived product' }, sku }),
        ignores_entries: ignoresEntries,
        set_at: isoTime(setAt),
      }),
    ),
    next_key: rows.length > ITEMS_PAGE ? (shown.at(-1)?.key ?? null) : null,
  };
}

/**
 * Maps an item of a shop to a variant, or marks it as others'.
 * That holds for this and all later orders.
 * Orders that wait for it are looked at. Throws 404 for any other shop, 422 for a product or a variant that is not
 * there, 409 when too many items are known.
 */
export async function setOwnItem(ctx: ItemsContext, caller: SignedIn, id: string, body: SetItemBody): Promise<void> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  const { key, title } = body;
  const target = await saidVariant(ctx.database, accountId, body);
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await mapItem(tx, {
      accountId,
      channelId,
      key,
      title,
      ...target,
      ignores_entries: body.ignores_entries === true,
      now,
    });
    const detail = { channel_id: publicId('chan', channelId), key };
    await recordAct(tx, caller, { action: 'map_shop_item', subjectId: channelId, detail }, now);
  });
  ctx.wake(INBOX_CHANGED);
}

/**
 * Notes what an item is, and has the orders that wait for it looked at.
 * Locks the shop. Throws 409 when too many items are known, 422 for a key that no item has.
 */
export async function mapItem(tx: Db, item: Parameters<typeof setItem>[1]): Promise<void> {
  const { accountId, channelId, key, now } = item;
  if (Buffer.byteLength(key) > KEY_BYTES_MAX) {
    const message = `may have ${KEY_BYTES_MAX} bytes in UTF-8 at the most: take the key of an item that orders wait for`;
    throw validationFailed([{ path: 'key', code: 'out_of_bounds', message }]);
  }
  await lockChannel(tx, accountId, channelId);
  const isFull = (await countItems(tx, accountId, channelId, ITEMS_MAX)) >= ITEMS_MAX;
  if (isFull && (await findItems(tx, accountId, channelId, [key])).length === 0) {
    throw new ApiError('conflict', `${ITEMS_MAX} items of this shop are known. Forget some that it sells no more.`);
  }
  await setItem(tx, item);
  await noteRules(tx, accountId, channelId);
  for (const reason of WAITS_FOR_ITEM) await lookAtItem(tx, { accountId, channelId, key, reason }, now);
}

const WAITS_FOR_ITEM = ['needs_mapping', 'needs_personalisation'] as const;

/**
 * Notes that what buyers enter for items does not matter from now on.
 * Has the orders that wait for them looked at. What each item is stays as it is. Locks the shop. Throws 409 when too
 * many items are known.
 */
export async function ignoreEntriesOf(
  tx: Db,
  of: ShopOf & {
    readonly items: readonly Pick<Parameters<typeof setItem>[1], 'key' | 'title' | 'product_id' | 'variant_sku'>[];
    readonly now: Date;
  },
): Promise<void> {
  const { accountId, channelId, items, now } = of;
  const byKey = new Map(items.map((item) => [item.key, item]));
  for (const item of byKey.values()) {
    await mapItem(tx, { accountId, channelId, ...item, ignores_entries: true, now });
  }
}

/** Forgets an item: the next order with it waits. Idempotent. Throws 404 for any other shop. */
export async function forgetOwnItem(
  ctx: ItemsContext,
  caller: SignedIn,
  id: string,
  { key }: { readonly key: string },
): Promise<void> {
  const { accountId } = caller;
  const { id: channelId } = await ownChannel(ctx, accountId, id);
  await ctx.database.transaction(async (tx) => {
    if (!(await deleteItem(tx, accountId, channelId, key))) return;
    const detail = { channel_id: publicId('chan', channelId), key };
    await recordAct(tx, caller, { action: 'forget_shop_item', subjectId: channelId, detail }, ctx.clock.now());
  });
}
