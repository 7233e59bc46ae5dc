-- The shop's own data: blanks, prices, stations and stock.

-- One row. The placing statement compares both versions with those that its prices were computed from.
create table catalogue_state (
  singleton boolean primary key default true check (singleton),
  catalogue_version bigint not null,
  price_book_version bigint not null,
  methods jsonb not null default '[]'
);
insert into catalogue_state (catalogue_version, price_book_version) values (0, 0);

-- `document` is the base product as imported (print areas, variants, customs data). The columns beside it are what
-- other tables refer to, and what identifies the product when it is imported again.
create table base_product (
  id uuid primary key,
  master_sku text not null unique,
  active boolean not null default true,
  document jsonb not null
);

create table blank_variant (
  id uuid primary key,
  base_product_id uuid not null references base_product,
  sku text not null unique,
  active boolean not null default true
);
create index blank_variant_base_product on blank_variant (base_product_id);

create table price_book (
  version bigint generated always as identity primary key,
  valid_from timestamptz not null,
  document jsonb not null,
  imported_at timestamptz not null
);

-- Where print jobs are worked, by method.
create table station (
  id text primary key,
  title text not null,
  methods text[] not null
);

-- Sums of the movements below. Available is on hand less allocated, never below zero.
create table stock (
  sku text primary key references blank_variant (sku),
  on_hand integer not null default 0 check (on_hand >= 0),
  allocated integer not null default 0 check (allocated >= 0),
  updated_at timestamptz not null
) with (fillfactor = 80);

create table stock_movement (
  id bigint generated always as identity primary key,
  sku text not null references stock,
  kind text not null check (kind in ('receipt', 'count', 'allocate', 'release', 'consume', 'spoil')),
  quantity integer not null,
  order_id uuid,
  line_id uuid,
  reason text not null default '',
  -- What it was for: the delivery note of a receipt, the count sheet.
  reference text not null default '',
  actor text not null,
  created_at timestamptz not null
);
create index stock_movement_sku on stock_movement (sku, id);

create function stock_movement_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'stock movements are never changed or deleted: record a count';
end
$$;
create trigger stock_movement_is_final before update or delete or truncate on stock_movement
  for each statement execute function stock_movement_is_final();
