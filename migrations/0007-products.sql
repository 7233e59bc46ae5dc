-- What a customer sells: a base product with stored designs.

create table product (
  account_id uuid not null references account,
  id uuid not null,
  base_product_id uuid not null references base_product,
  name text not null,
  description text not null default '',
  status text not null check (status in ('active', 'draft', 'archived')),
  tags text[] not null default '{}',
  retail_price_pence bigint,
  mockup_hash bytea references blob,
  -- The template of a personalised product; null for a fixed one.
  personalisation jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index product_listed on product (account_id, id desc) where status <> 'archived';
-- For the collection of stored bytes, as in 0006-artwork.sql.
create index product_mockup on product (mockup_hash) where mockup_hash is not null;
create index product_personalisation_designs on product
  using gin (jsonb_path_query_array(personalisation, '$.layers[*].options[*].design')) where personalisation is not null;

create table product_area (
  account_id uuid not null,
  product_id uuid not null,
  ordinal integer not null,
  print_area text not null,
  method text not null,
  design_hash bytea not null references blob,
  x double precision not null,
  y double precision not null,
  scale double precision not null,
  rotation double precision not null,
  primary key (account_id, product_id, print_area),
  foreign key (account_id, product_id) references product
);
create index product_area_design on product_area (design_hash);

create table product_variant (
  account_id uuid not null,
  id uuid not null,
  product_id uuid not null,
  ordinal integer not null,
  sku text not null references blank_variant (sku),
  active boolean not null default true,
  primary key (account_id, id),
  unique (account_id, product_id, sku),
  foreign key (account_id, product_id) references product
);
