-- The delivery notes that were booked, so that none is booked twice.

create table stock_receipt (
  -- The reference in capitals and without blanks: a delivery note that is typed again may be typed otherwise.
  reference_key text primary key,
  reference text not null,
  -- What it booked: a list of `sku` and `quantity`.
  items jsonb not null,
  actor text not null,
  created_at timestamptz not null
);

-- Receipts that were booked before this table: of several with one reference the first.
insert into stock_receipt (reference_key, reference, items, actor, created_at)
select distinct on (reference_key) reference_key, reference, items, actor, created_at
from (
  select upper(regexp_replace(reference, '\s', '', 'g') collate "C") as reference_key, reference, actor, created_at,
    jsonb_agg(jsonb_build_object('sku', sku, 'quantity', quantity) order by id) as items
  from stock_movement where kind = 'receipt' group by reference, actor, created_at
) as booked
where reference_key <> ''
order by reference_key, created_at;
