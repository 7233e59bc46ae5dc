import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { pageOfAccount } from './find-orders-sql.ts';

// What an erasure changes of an account itself. Each statement does a bounded piece, and returns whether there may be
// more.

export type UnsettledMoney = { balance_pence: number; owing_orders: number; charges: number; top_ups: number };

const UNSETTLED = statement<UnsettledMoney>(
  'privacy_unsettled_money',
  `select coalesce((select balance_pence from account_balance where account_id = $1), 0) as balance_pence,
     (select count(*)::integer from (select from orders where account_id = $1 and refund_owed_pence > 0 limit 1000) as o) as owing_orders,
     (select count(*)::integer from (
       select from payment_attempt where account_id = $1 and state in ('open', 'unknown') limit 1000) as p) as charges,
     (select count(*)::integer from (
       select from card_top_up where account_id = $1 and state = 'open' limit 1000) as t) as top_ups`,
);

/** What is still to be settled with an account. */
export async function readUnsettledMoney(db: Db, accountId: Uuid): Promise<UnsettledMoney> {
  const row = await db.one(UNSETTLED, [accountId]);
  if (row === undefined) throw new Error('a select without a row');
  return row;
}

type Piece = { is_full: boolean };

const BATCH = 1_000;

/**
 * SQL that runs `change` on a page of rows: `part` has their keys.
 * As an array, by which each is looked up: a join would leave the planner free to read a whole table in place.
 */
function piece(name: string, select: string, change: string) {
  return statement<Piece>(
    name,
    `with part as materialized (${select} limit ${BATCH}), changed as (${change})
     select count(*) = ${BATCH} as is_full from part`,
  );
}

// In this order: what refers to a row goes before it.
const ACCESS = [
  // An account that a restored backup has back was not suspended in it.
  piece(
    'privacy_erase_suspended',
    'select id from account where id = $1 and suspended_at is null',
    `update account a set suspended_at = $2, suspended_reason = 'erased' where a.id = any(array(select id from part))`,
  ),
  piece(
    'privacy_erase_oauth_records',
    'select key_hash from oauth_record where account_id = $1',
    'delete from oauth_record r where r.key_hash = any(array(select key_hash from part))',
  ),
  piece(
    'privacy_erase_tokens',
    'select id from access_token where account_id = $1 order by id',
    'delete from access_token t where t.account_id = $1 and t.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_grants',
    'select id from oauth_grant where account_id = $1 order by id',
    'delete from oauth_grant g where g.account_id = $1 and g.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_mail',
    'select id from mail where account_id = $1 order by id',
    'delete from mail m where m.account_id = $1 and m.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_portal_sessions',
    'select id from portal_session where account_id = $1 order by id',
    'delete from portal_session s where s.account_id = $1 and s.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_links',
    'select id from account_link where account_id = $1 order by id',
    'delete from account_link l where l.account_id = $1 and l.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_second_factors',
    'select user_id from second_factor where account_id = $1 order by user_id',
    'delete from second_factor f where f.account_id = $1 and f.user_id = any(array(select user_id from part))',
  ),
  piece(
    'privacy_erase_mail_choices',
    'select user_id from mail_choice where account_id = $1 order by user_id',
    'delete from mail_choice c where c.account_id = $1 and c.user_id = any(array(select user_id from part))',
  ),
  piece(
    'privacy_erase_saved_views',
    'select id from saved_view where account_id = $1 order by id',
    'delete from saved_view v where v.account_id = $1 and v.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_sign_ins',
    'select id from sign_in_log where account_id = $1 order by id',
    'delete from sign_in_log l where l.account_id = $1 and l.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_people',
    'select id from account_user where account_id = $1 order by id',
    'delete from account_user u where u.account_id = $1 and u.id = any(array(select id from part))',
  ),
  // The row of an app stays, since people of other accounts may have allowed it something; it answers as an unknown
  // one.
  piece(
    'privacy_erase_apps',
    `select id from oauth_client where account_id = $1 and name <> '' order by id`,
    `update oauth_client c set name = '', secret_hash = null, redirect_uris = '{https://erased.invalid/}',
       removed_at = coalesce(removed_at, $2) where c.id = any(array(select id from part))`,
  ),
  piece(
    'privacy_erase_requests',
    'select id from request_log where account_id = $1 order by id',
    'delete from request_log r where r.account_id = $1 and r.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_saved_addresses',
    'select id from saved_address where account_id = $1 order by id',
    'delete from saved_address d where d.account_id = $1 and d.id = any(array(select id from part))',
  ),
  // Its brands go with its orders: those that are being made still need them.
  piece(
    'privacy_erase_default_brand',
    'select id from account where id = $1 and default_brand_id is not null',
    'update account a set default_brand_id = null where a.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_order_files',
    'select id from order_file where account_id = $1 order by id',
    'delete from order_file f where f.account_id = $1 and f.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_items_of_files',
    'select ctid as id from order_file_item where account_id = $1',
    'delete from order_file_item i where i.ctid = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shop_invitations',
    'select id from channel_invitation where account_id = $1 order by id',
    'delete from channel_invitation i where i.account_id = $1 and i.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shop_orders',
    'select id from channel_order where account_id = $1 order by id',
    'delete from channel_order s where s.account_id = $1 and s.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shop_items',
    'select ctid as id from channel_item where account_id = $1',
    'delete from channel_item i where i.ctid = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shop_products',
    'select ctid as id from channel_product where account_id = $1',
    'delete from channel_product c where c.ctid = any(array(select id from part))',
  ),
  // After the orders of its shops, with which what was reported to them is gone.
  piece(
    'privacy_erase_shop_links',
    'select channel_id as id from channel_link where account_id = $1 order by channel_id',
    'delete from channel_link l where l.account_id = $1 and l.channel_id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shop_secrets',
    'select id from channel_secret where account_id = $1 order by id',
    'delete from channel_secret s where s.account_id = $1 and s.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_shops',
    `select id from channel where account_id = $1 and name <> '' order by id`,
    `update channel c set name = '', address = null, services = '[]', state = 'disconnected', ended_at = coalesce(ended_at, $2)
     where c.account_id = $1 and c.id = any(array(select id from part))`,
  ),
  piece(
    'privacy_erase_replays',
    'select id from webhook_replay where account_id = $1 order by id',
    'delete from webhook_replay r where r.account_id = $1 and r.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_next_secrets',
    'select subscription_id as id from webhook_next_secret where account_id = $1 order by subscription_id',
    'delete from webhook_next_secret n where n.account_id = $1 and n.subscription_id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_subscriptions',
    `select id from webhook_subscription where account_id = $1 and url <> 'https://erased.invalid/' order by id`,
    `update webhook_subscription s set url = 'https://erased.invalid/', description = '', secret_sealed = '', active = false,
       generation = generation + 1, updated_at = $2 where s.account_id = $1 and s.id = any(array(select id from part))`,
  ),
  piece(
    'privacy_erase_delivery_errors',
    'select id from webhook_delivery where account_id = $1 and error is not null order by id',
    'update webhook_delivery d set error = null, answer = null where d.account_id = $1 and d.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_payment_method',
    'select account_id from payment_method where account_id = $1 and $2::timestamptz is not null',
    'delete from payment_method m where m.account_id = any(array(select account_id from part))',
  ),
  piece(
    'privacy_erase_auto_top_up',
    'select account_id from auto_top_up where account_id = $1 and $2::timestamptz is not null',
    'delete from auto_top_up t where t.account_id = any(array(select account_id from part))',
  ),
  piece(
    'privacy_erase_low_balance_mail',
    'select account_id from low_balance_mail where account_id = $1 and $2::timestamptz is not null',
    'delete from low_balance_mail m where m.account_id = any(array(select account_id from part))',
  ),
  piece(
    'privacy_erase_method_savings',
    'select id from method_saving where account_id = $1 order by id',
    'delete from method_saving s where s.account_id = $1 and s.id = any(array(select id from part))',
  ),
  piece(
    'privacy_erase_top_up_methods',
    `select id from card_top_up where account_id = $1 and method_reference <> '' order by id`,
    `update card_top_up t set method_reference = '' where t.account_id = $1 and t.id = any(array(select id from part))`,
  ),
];

/**
 * Erases a piece of who may come in for an account.
 * Returns whether there may be more.
 */
export async function eraseAccountPiece(tx: Db, accountId: Uuid, now: Date): Promise<boolean> {
  for (const one of ACCESS) {
    const values = one.text.includes('$2') ? [accountId, now] : [accountId];
    if ((await tx.one(one, values))?.is_full === true) return true;
  }
  return false;
}

/** Products or pictures of one statement. */
const PAGE = 500;

// By their ids, since an account may have more than it would be good to pass again and again.
const PRODUCTS = statement<{ id: Uuid }>(
  'privacy_erase_products',
  `with part as materialized (
     select id, name, status from ${pageOfAccount('product', 'id', '$3::uuid', PAGE)} as p
   ),
   old as materialized (select id from part where name <> '' or status <> 'archived'),
   no_areas as (
     delete from product_area a where a.account_id = $1 and a.product_id = any(array(select id from old))
   ),
   emptied as (
     update product p set name = '', description = '', tags = '{}', mockup_hash = null, personalisation = null,
       template_draft = null, status = 'archived', updated_at = $2 where p.account_id = $1 and p.id = any(array(select id from old))
   )
   select id from part order by id`,
);

/** Erases the next products of an account; returns the last, undefined at the end. */
export async function eraseProducts(tx: Db, accountId: Uuid, now: Date, after: Uuid): Promise<Uuid | undefined> {
  const rows = await tx.all(PRODUCTS, [accountId, now, after]);
  return rows.length < PAGE ? undefined : rows.at(-1)?.id;
}

const TAKE_DESIGNS = statement<{ hash: string }>(
  'privacy_take_designs',
  `with part as materialized (
     select hash, created_at from ${pageOfAccount('design', 'hash', "decode($3, 'hex')", PAGE)} as d
   ),
   noted as (
     insert into erasure_file (account_id, erasure_id, hash, used_at) select $1, $2, hash, created_at from part
     on conflict do nothing
   )
   select encode(hash, 'hex') as hash from part order by hash`,
);

/**
 * Notes a page of the pictures of an account as files to remove;
 * returns the last (hex), undefined at the end.
 */
export async function takeDesigns(
  db: Db,
  accountId: Uuid,
  erasureId: Uuid,
  after: string,
): Promise<string | undefined> {
  const rows = await db.all(TAKE_DESIGNS, [accountId, erasureId, after]);
  return rows.length < PAGE ? undefined : rows.at(-1)?.hash;
}

const REVISIONS = statement<{ id: Uuid }>(
  'privacy_erase_brand_revisions',
  `with part as materialized (
     select id, logo_hash, created_at from ${pageOfAccount('brand_revision', 'id', '$3::uuid', PAGE)} as r
   ),
   unused as materialized (
     select p.id, p.logo_hash, p.created_at from part p
     where (
       select true from orders o where o.brand is not null and o.brand ->> 'revision_id' = p.id::text and o.account_id = $1
       order by o.id limit 1) is null
   ),
   noted as (
     insert into erasure_file (account_id, erasure_id, hash, used_at)
     select $1, $2, u.logo_hash, max(u.created_at) from unused u where u.logo_hash is not null group by u.logo_hash
     on conflict do nothing
   ),
   gone as (
     delete from brand_revision r where r.account_id = $1 and r.id = any(array(select id from unused))
   )
   select id from part order by id`,
);

/**
 * Erases the next revisions of brands of an account, but for those that an order has.
 * Notes their logos as files to remove. Returns the last, undefined at the end.
 */
export async function eraseRevisions(tx: Db, accountId: Uuid, erasureId: Uuid, after: Uuid): Promise<Uuid | undefined> {
  const rows = await tx.all(REVISIONS, [accountId, erasureId, after]);
  return rows.length < PAGE ? undefined : rows.at(-1)?.id;
}

const BRANDS = statement<{ id: Uuid }>(
  'privacy_erase_brands',
  `with part as materialized (
     select id from ${pageOfAccount('brand', 'id', '$2::uuid', PAGE)} as b
   ),
   gone as (
     delete from brand b where b.account_id = $1 and b.id = any(array(
       select p.id from part p
       where (select true from brand_revision r where r.account_id = $1 and r.brand_id = p.id limit 1) is null))
   )
   select id from part order by id`,
);

/** Erases the next brands of an account without revisions; returns the last, undefined at the end. */
export async function eraseBrandRows(tx: Db, accountId: Uuid, after: Uuid): Promise<Uuid | undefined> {
  const rows = await tx.all(BRANDS, [accountId, after]);
  return rows.length < PAGE ? undefined : rows.at(-1)?.id;
}

const CLEAR_BRAND = statement<never>(
  'privacy_clear_brand',
  'update orders set brand = null where account_id = $1 and id = $2 and brand is not null',
);

/** Forgets under which name of its customer an order was sent. */
export async function clearBrand(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(CLEAR_BRAND, [accountId, orderId]);
}

const NAME_LINES = statement<never>(
  'privacy_name_lines',
  'update order_line set name = sku where account_id = $1 and order_id = $2 and name <> sku',
);

/**
 * Names the lines of an order by their SKU:
 * the names were the customer's. Its invoice keeps what was sold.
 */
export async function nameLinesBySku(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await tx.all(NAME_LINES, [accountId, orderId]);
}

const ERASE_ACCOUNT = statement<never>(
  'privacy_erase_account',
  `with tasks as (
     update ops_task set note = '', closed_at = coalesce(closed_at, $2)
     where account_id = $1 and order_id is null and (note <> '' or closed_at is null)
   ),
   acts as (
     update operator_action set detail = (detail::jsonb - $3::text[])::json, request_hash = ''
     where subject_id = $1
   ),
   billing as (
     delete from account_billing where account_id = $1
   ),
   files as (
     delete from order_file_memory where account_id = $1
   ),
   proposal as (
     delete from vat_proposal where account_id = $1
   )
   update account set name = 'erased', has_billing = false, vat_number = '', eori_number = '', ioss_number = '', suspended_reason = 'erased'
   where id = $1`,
);

/** What the audit log has of a customer beside ids: as operators typed it. */
const TYPED = ['reason', 'name', 'email', 'vat_number', 'eori_number', 'ioss_number'];

/**
 * Erases the name and numbers of an account, once none of its orders needs them.
 * Its open tasks end: they may quote what it has proposed, and there is nothing left to decide.
 */
export async function eraseAccountRow(tx: Db, accountId: Uuid, now: Date): Promise<void> {
  await tx.all(ERASE_ACCOUNT, [accountId, now, TYPED]);
}
