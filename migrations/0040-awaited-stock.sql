-- runs in steps
-- What waits for promotion, by variant, so that the overview of stock reads a page and not every order that waits
-- (docs/decisions/0041).
--
-- A worker counts each order that was changed, by what it counted of it before. The overview adds the orders that were
-- changed since, so it is exact however far the worker is, and whichever version has written: every version notes the
-- number of the transaction that changed an order.

-- Pieces by variant, of the orders below: a row for each variant that was ever ordered.
create table stock_awaiting (
  sku text primary key,
  pieces bigint not null
) with (fillfactor = 50);

-- What was counted of an order, for as long as it waits. There is no foreign key, whose check would wait for the order.
create table stock_awaiting_order (
  account_id uuid not null,
  order_id uuid not null,
  skus text[] not null,
  pieces bigint[] not null,
  primary key (account_id, order_id)
);

-- Every change by a transaction of a lower number is counted.
create table stock_awaiting_progress (
  is_only_row boolean primary key default true check (is_only_row),
  counted_before xid8 not null
);
insert into stock_awaiting_progress (counted_before) values (oldest_running_transaction());
-- The condition holds for every order. It keeps the lists of one account, which compare the number too, off this index.
create index concurrently if not exists orders_changed on orders (changed_by) where line_count >= 0;
-- Orders that wait now. What changes of them meanwhile has a higher number, and is counted by what is written here.
-- in batches
with page as (
  select account_id, id from orders
  where state || '' = any('{placed,on_hold}') and id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  order by id limit $2
), waiting as (
  select p.account_id, p.id as order_id, array_agg(l.sku order by l.sku) as skus, array_agg(l.pieces order by l.sku) as pieces
  from page p cross join lateral (
    select sku, sum(quantity - quantity_cancelled - quantity_shipped) as pieces from order_line
    where account_id = p.account_id and order_id = p.id group by sku
  ) as l
  where l.pieces > 0 and not exists (select from allocation a where a.account_id = p.account_id and a.order_id = p.id)
  group by p.account_id, p.id
), counted as (
  insert into stock_awaiting_order (account_id, order_id, skus, pieces)
  select account_id, order_id, skus, pieces from waiting
  on conflict do nothing
  returning skus, pieces
), summed as (
  insert into stock_awaiting as s (sku, pieces)
  select c.sku, sum(c.pieces) from (select unnest(skus) as sku, unnest(pieces) as pieces from counted) as c group by c.sku
  on conflict (sku) do update set pieces = s.pieces + excluded.pieces
)
select (select id::text from page order by id desc limit 1) as next, count(*) as rows from page;
