-- Products that are published in shops of platforms, and what each shop calls them.

create table channel_product (
  account_id uuid not null,
  channel_id uuid not null,
  product_id uuid not null,
  requested_at timestamptz not null,
  -- Grows with each reason to write it to the shop.
  revision integer not null default 1,
  -- When it is written to the shop; null while the shop is up to date.
  due_at timestamptz,
  -- Of what is kept up to date, as it was last written.
  digest bytea,
  -- The shop's ids of it and of its variants.
  shop_product jsonb,
  published_at timestamptz,
  -- Refusals in a row, and why, in words for its people.
  failures integer not null default 0,
  problem text,
  -- It is not written any more until a person says so: the shop refuses it, or has deleted it.
  failed_at timestamptz,
  gone_at timestamptz,
  primary key (account_id, channel_id, product_id),
  foreign key (account_id, channel_id) references channel_link on delete cascade,
  foreign key (account_id, product_id) references product,
  check (due_at is null or (failed_at is null and gone_at is null)),
  check (published_at is null or (digest is not null and shop_product is not null))
);
create index channel_product_due on channel_product (account_id, channel_id, due_at) where due_at is not null;
create index channel_product_of_product on channel_product (account_id, product_id);

-- Where the look for products that have changed here goes on, and when one was last at its end.
alter table channel_link add column products_after uuid;
alter table channel_link add column products_at timestamptz;
