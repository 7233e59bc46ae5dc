import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { ProductStatus } from '../../products/sql.ts';
import type { ShopProduct } from '../platforms/published-product.ts';

// Products that are published in linked shops.

/** A linked shop of an account. */
export type OfShop = { readonly accountId: Uuid; readonly channelId: Uuid };

/** A product in a shop, and how it does there. */
export type ChannelProductRow = {
  product_id: Uuid;
  name: string;
  due_at: Date | null;
  problem: string | null;
  published_at: Date | null;
  failed_at: Date | null;
  gone_at: Date | null;
  /** Its variants that cannot be ordered, and whether its people have switched them off. */
  left_out: readonly { readonly sku: string; readonly is_off: boolean }[];
};

const COLUMNS = `c.product_id, p.name, c.due_at, c.problem, c.published_at, c.failed_at, c.gone_at,
   (select coalesce(json_agg(json_build_object('sku', v.sku, 'is_off', not v.active) order by v.ordinal), '[]')
    from product_variant v join blank_variant b on b.sku = v.sku
    where v.account_id = c.account_id and v.product_id = c.product_id and not (v.active and b.active)) as left_out`;
const NAMED = 'channel_product c join product p on p.account_id = c.account_id and p.id = c.product_id';

const LIST = statement<ChannelProductRow>(
  'channels_products',
  `select ${COLUMNS} from ${NAMED}
   where c.account_id = $1 and c.channel_id = $2 and c.product_id < $3 order by c.product_id desc limit $4`,
);

/** A page of the products in a shop, the newest product first, from before one. */
export async function listChannelProducts(
  db: Db,
  of: OfShop,
  page: { before: Uuid; limit: number },
): Promise<ChannelProductRow[]> {
  return db.all(LIST, [of.accountId, of.channelId, page.before, page.limit]);
}

const FIND = statement<ChannelProductRow>(
  'channels_product',
  `select ${COLUMNS} from ${NAMED} where c.account_id = $1 and c.channel_id = $2 and c.product_id = $3`,
);

/** A product in a shop. */
export async function findChannelProduct(db: Db, of: OfShop, productId: Uuid): Promise<ChannelProductRow | undefined> {
  return db.one(FIND, [of.accountId, of.channelId, productId]);
}

const COUNT = statement<{ products: number }>(
  'channels_count_products',
  `select count(*)::integer as products from (
     select from channel_product where account_id = $1 and channel_id = $2 limit $3) as c`,
);

/** How many products are in a shop, up to `max`. */
export async function countChannelProducts(tx: Db, of: OfShop, max: number): Promise<number> {
  return (await tx.one(COUNT, [of.accountId, of.channelId, max]))?.products ?? 0;
}

// What the shop has deleted is made anew.
const REQUEST = statement<never>(
  'channels_request_product',
  `insert into channel_product as c (account_id, channel_id, product_id, requested_at, due_at)
   values ($1, $2, $3, $4, $4)
   on conflict (account_id, channel_id, product_id) do update set requested_at = $4, due_at = $4,
     revision = c.revision + 1, failures = 0, problem = null, failing_since = null, failed_at = null, gone_at = null,
     digest = case when c.gone_at is null then c.digest end,
     shop_product = case when c.gone_at is null then c.shop_product end,
     published_at = case when c.gone_at is null then c.published_at end`,
);

/** Has a product written to a shop, under the lock of its channel. */
export async function requestProduct(tx: Db, of: OfShop, productId: Uuid, now: Date): Promise<void> {
  await tx.all(REQUEST, [of.accountId, of.channelId, productId, now]);
}

const DROP = statement<{ product_id: Uuid }>(
  'channels_drop_product',
  'delete from channel_product where account_id = $1 and channel_id = $2 and product_id = $3 returning product_id',
);

/** Forgets that a product is in a shop; false if it was not known. */
export async function dropProduct(tx: Db, of: OfShop, productId: Uuid): Promise<boolean> {
  return (await tx.one(DROP, [of.accountId, of.channelId, productId])) !== undefined;
}

// The sync -------------------------------------------------------------------------------------------------------

export type DueProduct = {
  product_id: Uuid;
  revision: number;
  failures: number;
  shop_product: ShopProduct | null;
};

const DUE = statement<DueProduct>(
  'channels_due_products',
  `select product_id, revision, failures, shop_product from channel_product
   where account_id = $1 and channel_id = $2 and due_at <= $3 order by due_at, product_id limit $4`,
);

/** Products that are to be written to a shop, those that wait longest first. */
export async function listDueProducts(db: Db, of: OfShop, now: Date, limit: number): Promise<DueProduct[]> {
  return db.all(DUE, [of.accountId, of.channelId, now, limit]);
}

export type KeptProduct = {
  product_id: Uuid;
  status: ProductStatus;
  shop_product: ShopProduct | null;
  digest: Buffer;
};

// The inner limit is a constant for the planner.
const KEPT = statement<KeptProduct & KeptState>(
  'channels_kept_products',
  `select c.product_id, p.status, c.shop_product, c.digest,
     c.digest is not null and c.due_at is null and c.failed_at is null and c.gone_at is null as is_settled,
     c.published_at is not null and c.failed_at <= $4 and c.gone_at is null as is_to_try
   from ${NAMED}
   where c.account_id = $1 and c.channel_id = $2 and c.product_id > $3 order by c.product_id limit 100`,
);

/** Rows that a look compares at once. */
export const KEPT_PAGE = 100;

/** One is settled that waits for nothing, and to be tried that is in the shop and failed before a time. */
export type KeptState = { is_settled: boolean; is_to_try: boolean };

/** The products in a shop by their ids, from after one. */
export async function listKeptProducts(
  db: Db,
  of: OfShop,
  { after, failedBefore }: { readonly after: Uuid; readonly failedBefore: Date },
): Promise<(KeptProduct & KeptState)[]> {
  return db.all(KEPT, [of.accountId, of.channelId, after, failedBefore]);
}

const CHANGED = statement<never>(
  'channels_note_changed_products',
  `update channel_product set due_at = $4, revision = revision + 1, failures = 0
   where account_id = $1 and channel_id = $2 and product_id = any($3::uuid[])
     and due_at is null and failed_at is null and gone_at is null`,
);

/** Has products written to a shop that have changed here. */
export async function noteChangedProducts(db: Db, of: OfShop, products: readonly Uuid[], now: Date): Promise<void> {
  await db.all(CHANGED, [of.accountId, of.channelId, products, now]);
}

// It has had its tries: another refusal makes it fail again.
const TRY_FAILED = statement<never>(
  'channels_try_failed_products',
  `update channel_product set due_at = $4, revision = revision + 1, failed_at = null
   where account_id = $1 and channel_id = $2 and product_id = any($3::uuid[])
     and due_at is null and failed_at is not null and gone_at is null`,
);

/** Has products written to a shop once more that it has refused. */
export async function tryFailedProducts(db: Db, of: OfShop, products: readonly Uuid[], now: Date): Promise<void> {
  await db.all(TRY_FAILED, [of.accountId, of.channelId, products, now]);
}

const KEEP_LOOK = statement<never>(
  'channels_keep_look',
  `update channel_link set products_after = $3, products_at = coalesce($4, products_at)
   where account_id = $1 and channel_id = $2`,
);

/** Notes how far the products in a shop were compared, and that these are all of them if they are. */
export async function keepLook(db: Db, of: OfShop, after: Uuid | null, endedAt: Date | null): Promise<void> {
  await db.all(KEEP_LOOK, [of.accountId, of.channelId, after, endedAt]);
}

const END = statement<{ product_id: Uuid }>(
  'channels_end_product',
  `update channel_product set shop_product = $5, digest = $6, published_at = $7, failures = 0, problem = null,
     failing_since = null, failed_at = null, gone_at = null, due_at = case when revision = $4 then null else $7::timestamptz end
   where account_id = $1 and channel_id = $2 and product_id = $3 returning product_id`,
);

/** Notes what was written to a shop; false when its people have stopped it meanwhile. */
export async function endProduct(
  tx: Db,
  of: OfShop,
  row: Pick<DueProduct, 'product_id' | 'revision'>,
  written: { shopProduct: ShopProduct; digest: Buffer; now: Date },
): Promise<boolean> {
  const { shopProduct, digest, now } = written;
  const values = [of.accountId, of.channelId, row.product_id, row.revision, JSON.stringify(shopProduct), digest, now];
  return (await tx.one(END, values)) !== undefined;
}

const GONE = statement<never>(
  'channels_product_gone',
  `update channel_product set gone_at = $5, due_at = null, failures = 0, problem = null, failing_since = null
   where account_id = $1 and channel_id = $2 and product_id = $3 and revision = $4`,
);

/** Notes that the shop has deleted a product. */
export async function noteGone(
  db: Db,
  of: OfShop,
  row: Pick<DueProduct, 'product_id' | 'revision'>,
  now: Date,
): Promise<void> {
  await db.all(GONE, [of.accountId, of.channelId, row.product_id, row.revision, now]);
}

const PUT_OFF = statement<never>(
  'channels_put_off_product',
  `update channel_product set failures = failures + 1, problem = $5, due_at = $6, failed_at = $7,
     failing_since = coalesce(failing_since, $8)
   where account_id = $1 and channel_id = $2 and product_id = $3 and revision = $4`,
);

/** Notes why a product could not be written, which is tried again at a time, or not any more. */
export async function putOffProduct(
  db: Db,
  of: OfShop,
  row: Pick<DueProduct, 'product_id' | 'revision'>,
  refusal: { problem: string; again: Date | null; now: Date },
): Promise<void> {
  const { problem, again, now } = refusal;
  const failedAt = again === null ? now : null;
  await db.all(PUT_OFF, [of.accountId, of.channelId, row.product_id, row.revision, problem, again, failedAt, now]);
}

// An account that is suspended publishes nothing, and is asked for nothing.
const FAILING_LONGEST = statement<{ since: Date }>(
  'channels_failing_longest',
  `select c.failing_since as since from channel_product c join account a on a.id = c.account_id
   where c.failing_since is not null and a.suspended_at is null order by c.failing_since limit 1`,
);

/** Since when the product of any shop that fails longest does, tried again by itself or not. */
export async function findFailingLongest(db: Db): Promise<Date | undefined> {
  return (await db.one(FAILING_LONGEST, []))?.since;
}
