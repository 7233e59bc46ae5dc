import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { pageOfAccount } from '../erase/find-orders-sql.ts';

/** The most that a page has, as a constant for the planner. */
const PAGE_MAX = 500;

// All that is held of an order, and of an account, as it is stored. Keyed hashes and secrets are left out: they say
// nothing.

const rows = (what: string): string => `coalesce((select json_agg(x) from (${what}) as x), '[]')`;
const of = (table: string): string =>
  rows(`select t.* from ${table} t where t.account_id = o.account_id and t.order_id = o.id`);

const ORDER = statement<{ held: unknown; files: string[] }>(
  'privacy_held_of_order',
  `select json_build_object(
     'order', to_jsonb(o) - 'fingerprint' - 'changed_by',
     'lines', ${of('order_line')},
     'prints', ${rows(`select j.*, f.recipe, f.state, f.failure, encode(f.output_hash, 'hex') as file, encode(f.preview_hash, 'hex') as preview
       from print_job j left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = o.account_id and j.order_id = o.id`)},
     'parcels', ${of('shipment')},
     'parcel_items', ${of('shipment_item')},
     'history', ${of('order_history')},
     'events', ${rows('select id, event, data, sequence, created_at from event e where e.order_id = o.id and e.account_id = o.account_id')},
     'search', ${of('order_search')},
     'of_files', ${of('order_file_order')},
     'of_shops', ${rows('select s.* from channel_order s where s.order_id = o.id and s.account_id = o.account_id')},
     'pauses', ${of('line_pause')},
     'tasks', ${rows('select * from ops_task t where t.order_id = o.id and t.account_id = o.account_id')},
     'acts_of_operators', ${rows('select id, action, detail, created_at from operator_action a where a.order_id = o.id')},
     'charges', ${of('payment_attempt')},
     'disputes', ${of('payment_dispute')},
     'payments', ${of('payment')},
     'refunds', ${of('refund')},
     'credits', ${of('order_credit')},
     'invoices', ${of('invoice')},
     'credit_notes', ${of('credit_note')},
     'problems', ${of('problem')},
     'cancellation_requests', ${of('cancellation_request')},
     'problem_lines', ${of('problem_line')},
     'problem_photos', ${rows("select encode(f.hash, 'hex') as file, f.problem_id, f.created_at from problem_photo f where f.account_id = o.account_id and f.order_id = o.id")},
     'stock_movements', ${rows(`select * from stock_movement m where m.order_id = o.id and m.reason <> ''`)}
   ) as held,
   array(
     select distinct encode(hash, 'hex') from (
       select f.output_hash as hash from print_job j join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = o.account_id and j.order_id = o.id
       union all select f.preview_hash from print_job j join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = o.account_id and j.order_id = o.id
       union all select decode(f.recipe ->> 'designHash', 'hex') from print_job j
         join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = o.account_id and j.order_id = o.id
       union all select decode(jsonb_array_elements_text(jsonb_path_query_array(f.recipe, '$.drawings[*].designHash')), 'hex')
         from print_job j join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
       where j.account_id = o.account_id and j.order_id = o.id
       union all select j.sold_design_hash from print_job j where j.account_id = o.account_id and j.order_id = o.id
       union all select l.mock_hash from order_line l where l.account_id = o.account_id and l.order_id = o.id
       union all select f.hash from problem_photo f where f.account_id = o.account_id and f.order_id = o.id
     ) as used where hash is not null
   ) as files
   from orders o where o.account_id = $1 and o.id = $2`,
);

/** What is held of an order, and its stored files (hex); undefined when there is none. */
export async function readHeldOfOrder(
  db: Db,
  accountId: Uuid,
  orderId: Uuid,
): Promise<{ held: unknown; files: string[] } | undefined> {
  return db.one(ORDER, [accountId, orderId]);
}

const ACCOUNT = statement<{ held: unknown }>(
  'privacy_held_of_account',
  `select json_build_object(
     'account', to_jsonb(a),
     'mails', ${rows('select id, kind, recipient, created_at, ended_at, outcome, last_answer from mail m where m.account_id = a.id limit 10000')},
     'people', ${rows('select id, email, name, role, created_at, disabled_at from account_user u where u.account_id = a.id limit 10000')},
     'tokens', ${rows('select id, name, scopes, created_at, expires_at, revoked_at, last_used_at from access_token t where t.account_id = a.id and t.client_id is null limit 10000')},
     'sessions', ${rows(`select id, user_id, created_at, nullif(expires_at, '-infinity') as expires_at from oauth_record r where r.account_id = a.id and r.kind = 'session' limit 10000`)},
     'portal_sessions', ${rows(`select id, user_id, created_at, last_seen_at, nullif(ends_at, '-infinity') as ends_at, user_agent from portal_session s where s.account_id = a.id limit 10000`)},
     'sign_ins', ${rows('select user_id, kind, at, ip, user_agent, times from sign_in_log l where l.account_id = a.id limit 10000')},
     'links', ${rows(`select id, kind, email, role, name, created_at, nullif(ends_at, '-infinity') as ends_at from account_link l where l.account_id = a.id limit 10000`)},
     'second_factors', ${rows('select user_id, created_at, confirmed_at from second_factor f where f.account_id = a.id limit 10000')},
     'apps', ${rows('select id, name, redirect_uris, scopes, created_at, removed_at from oauth_client c where c.account_id = a.id limit 10000')},
     'grants', ${rows('select id, user_id, client_id, scopes, created_at, revoked_at from oauth_grant g where g.account_id = a.id limit 10000')},
     'webhooks', ${rows('select id, url, events, description, active, created_at from webhook_subscription s where s.account_id = a.id limit 10000')},
     'requests', ${rows('select id, at, method, path, status from request_log q where q.account_id = a.id limit 10000')},
     'payment_method', ${rows('select * from payment_method m where m.account_id = a.id')},
     'auto_top_up', ${rows('select * from auto_top_up t where t.account_id = a.id')},
     'low_balance_mail', ${rows('select * from low_balance_mail m where m.account_id = a.id')},
     'automatic_top_ups', ${rows("select reference, method_reference from card_top_up t where t.account_id = a.id and t.origin = 'automatic' limit 10000")},
     'products', ${rows('select p.*, (select json_agg(pa) from product_area pa where pa.account_id = p.account_id and pa.product_id = p.id) as areas from product p where p.account_id = a.id limit 10000')},
     'mail_choices', ${rows('select user_id, kind, is_wanted from mail_choice c where c.account_id = a.id limit 10000')},
     'saved_views', ${rows('select id, user_id, page, name, filters, columns, created_at from saved_view w where w.account_id = a.id limit 10000')},
     'vat_proposal', ${rows('select * from vat_proposal v where v.account_id = a.id')},
     'brands', ${rows(`select b.*, (select json_agg(to_jsonb(r) || jsonb_build_object('logo_hash', encode(r.logo_hash, 'hex')) order by r.id)
       from brand_revision r where r.account_id = b.account_id and r.brand_id = b.id) as revisions from brand b where b.account_id = a.id limit 10000`)},
     'saved_addresses', ${rows('select * from saved_address d where d.account_id = a.id limit 10000')},
     'order_files', ${rows('select f.*, (select json_agg(e) from order_file_order e where e.account_id = f.account_id and e.file_id = f.id) as orders from order_file f where f.account_id = a.id limit 10000')},
     'shops', ${rows('select * from channel c where c.account_id = a.id limit 1000')},
     'shop_orders', ${rows('select * from channel_order s where s.account_id = a.id and (s.content is not null or s.later is not null) limit 10000')},
     'shop_links', ${rows(`select channel_id, address, since, facts, synced_at, fault, unreadable, last_unreadable
       from channel_link l where l.account_id = a.id limit 1000`)},
     'shop_products', ${rows('select channel_id, product_id, shop_product, requested_at, published_at, problem from channel_product c where c.account_id = a.id limit 10000')},
     'shop_items', ${rows('select * from channel_item i where i.account_id = a.id limit 10000')},
     'items_of_files', ${rows('select * from order_file_item i where i.account_id = a.id limit 10000')},
     'order_file_memory', ${rows('select * from order_file_memory m where m.account_id = a.id')},
     'shipping_preference', ${rows('select * from shipping_preference s where s.account_id = a.id')},
     'billing', ${rows('select * from account_billing b where b.account_id = a.id')},
     'balance', ${rows('select * from account_balance b where b.account_id = a.id')},
     'acts_of_operators', ${rows('select id, action, detail, created_at from operator_action x where x.subject_id = a.id limit 10000')}
   ) as held from account a where a.id = $1`,
);

/** What is held of an account beside its orders; undefined when there is none. */
export async function readHeldOfAccount(db: Db, accountId: Uuid): Promise<{ held: unknown } | undefined> {
  return db.one(ACCOUNT, [accountId]);
}

const POSTINGS = statement<{ id: Uuid; posting: unknown }>(
  'privacy_held_postings',
  `select id, to_jsonb(p) as posting from ${pageOfAccount('posting', 'id', '$2::uuid', PAGE_MAX)} as p order by id limit $3`,
);

/** A page of the postings of an account. */
export async function listHeldPostings(
  db: Db,
  accountId: Uuid,
  after: Uuid,
  limit: number,
): Promise<{ id: Uuid; posting: unknown }[]> {
  return db.all(POSTINGS, [accountId, after, limit]);
}

const DESIGNS = statement<{ hash: string; created_at: Date }>(
  'privacy_held_designs',
  `select encode(hash, 'hex') as hash, created_at from ${pageOfAccount('design', 'hash', "decode($2, 'hex')", PAGE_MAX)} as d
   order by hash limit $3`,
);

/** A page of the pictures of an account. */
export async function listHeldDesigns(
  db: Db,
  accountId: Uuid,
  after: string,
  limit: number,
): Promise<{ hash: string; created_at: Date }[]> {
  return db.all(DESIGNS, [accountId, after, limit]);
}
