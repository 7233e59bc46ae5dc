-- The first schema: accounts, catalogue, products, orders, ledger, artwork, events, jobs.
--
-- Money is integer pence. Hashes are SHA-256 in bytea. Times come from the service's clock (the database's time, handed in
-- as a value), so no column has a default of now(). Every row that a customer owns carries account_id. Rows that a placing
-- writes in bulk have no foreign key to rows that are never deleted (account, print_file): each would cost a look-up and a
-- lock a row and guard against nothing.

-- Ends the statement it stands in, with everything the statement has written, when a condition that a decision was taken
-- on no longer holds. The SQLSTATE tells the caller which one.
create function refuse_unless(condition boolean, state text) returns boolean
language plpgsql volatile as $$
begin
  if condition is not true then
    raise exception 'refused: %', state using errcode = state;
  end if;
  return true;
end
$$;

-- A UUIDv7 (RFC 9562) of a time: 48 bits of milliseconds in front of random ones, so that rows which a statement makes by itself
-- stand in the order of their time, as those do whose ids the service makes. PostgreSQL has one of its own from 18 on only.
create function uuid_v7(at timestamptz) returns uuid
language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Accounts ---------------------------------------------------------------------------------------------------------------

create table account (
  id uuid primary key,
  name text not null,
  vat_status text not null default 'standard' check (vat_status in ('standard', 'reverse_charge_eu')),
  suspended_at timestamptz,
  created_at timestamptz not null
);

-- Apart from the account: it is the one row of an account that is written often. The constraint stands behind the guard of
-- the placing statement.
create table account_balance (
  account_id uuid primary key references account,
  balance_pence bigint not null default 0 check (balance_pence >= 0)
) with (fillfactor = 50);

create table access_token (
  id uuid primary key,
  account_id uuid not null references account,
  name text not null default '',
  token_hash bytea not null unique,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz
);
create index access_token_account on access_token (account_id);

-- Webhooks and events ------------------------------------------------------------------------------------------------------

create table webhook_subscription (
  id uuid primary key,
  account_id uuid not null references account,
  url text not null,
  events text[] not null default '{}',
  description text not null default '',
  active boolean not null default true,
  -- Grows when the subscription is paused or disabled: a delivery of an earlier generation is never sent, so neither has to
  -- touch the deliveries themselves.
  generation integer not null default 1,
  secret_sealed bytea not null,
  failure_count integer not null default 0 check (failure_count >= 0),
  disabled_reason text,
  -- After three consecutive failures one attempt at a time goes out, not before this time.
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhook_subscription_account on webhook_subscription (account_id, id desc);

create table event (
  id uuid not null,
  account_id uuid not null,
  order_id uuid,
  sequence bigint not null,
  event text not null,
  -- json and not jsonb, which would reorder the members: every attempt and replay sends the same bytes.
  data json not null,
  created_at timestamptz not null,
  -- A transaction with an earlier id may commit later: a reader of the log orders by this and stops below the oldest
  -- transaction still running, so the log never skips.
  transaction_id xid8 not null default pg_current_xact_id(),
  primary key (account_id, id)
);
create index event_log on event (account_id, transaction_id, id);

-- The subscription is not a foreign key: its check would lock one row for every order of an account, and would fail an order
-- whose subscription is removed in the same moment. The worker cancels what has lost its subscription.
create table webhook_delivery (
  id uuid primary key,
  account_id uuid not null,
  subscription_id uuid not null,
  generation integer not null,
  event_id uuid not null,
  event text not null,
  state text not null check (state in ('pending', 'retrying', 'succeeded', 'abandoned', 'cancelled')),
  attempts integer not null default 0,
  -- When the next attempt may start; while one is under way, when its lease runs out.
  due_at timestamptz not null,
  -- Due, and waiting in its own subscription's line because that is paced or busy. Such a row is out of the way of all
  -- others.
  lined_up boolean not null default false,
  lease_token uuid,
  response_code integer,
  error text,
  attempted_at timestamptz,
  created_at timestamptz not null,
  check (not lined_up or state in ('pending', 'retrying'))
) with (fillfactor = 80);
create index webhook_delivery_due on webhook_delivery (due_at) where state in ('pending', 'retrying') and not lined_up;
create index webhook_delivery_line on webhook_delivery (subscription_id, generation, due_at) where lined_up;
create index webhook_delivery_recent on webhook_delivery (subscription_id, attempted_at desc) where attempted_at is not null;

-- Catalogue ----------------------------------------------------------------------------------------------------------------

-- One row: the placing statement compares both versions with those its prices were computed from.
create table catalogue_state (
  singleton boolean primary key default true check (singleton),
  catalogue_version bigint not null,
  price_book_version bigint not null,
  methods jsonb not null default '[]'
);
insert into catalogue_state (catalogue_version, price_book_version) values (0, 0);

-- `document` is the base product as imported (print areas, variants, customs data); the columns beside it are what other
-- tables refer to and what may not change its identity when it is imported again.
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
  actor text not null,
  created_at timestamptz not null
);
create index stock_movement_sku on stock_movement (sku, id);

-- Artwork ------------------------------------------------------------------------------------------------------------------

-- Stored bytes by content. Intake refreshes last_used_at even when the bytes exist; collection marks a row `deleting` under
-- its lock before it removes the file.
create table blob (
  hash bytea primary key,
  bytes bigint not null,
  mime text not null,
  width_px integer,
  height_px integer,
  report jsonb,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  deleting boolean not null default false
);

-- Which account has which design: deduplication never reaches over accounts, so nobody learns what another has.
create table design (
  account_id uuid not null,
  hash bytea not null references blob,
  created_at timestamptz not null,
  primary key (account_id, hash)
);

-- A print-ready file: a recipe (design, template, position) and, once made, its result. The key is the hash of the recipe
-- and the account, so equal work is done once.
create table print_file (
  key bytea primary key,
  account_id uuid not null,
  recipe jsonb not null,
  state text not null check (state in ('pending', 'ready', 'failed')),
  output_hash bytea,
  output_bytes bigint,
  failure text,
  created_at timestamptz not null,
  ready_at timestamptz,
  check ((state = 'ready') = (output_hash is not null))
);

-- Products -----------------------------------------------------------------------------------------------------------------

create table product (
  id uuid primary key,
  account_id uuid not null references account,
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
  updated_at timestamptz not null
);
create index product_listed on product (account_id, id desc) where status <> 'archived';

create table product_area (
  product_id uuid not null references product,
  account_id uuid not null,
  ordinal integer not null,
  print_area text not null,
  method text not null,
  design_hash bytea not null references blob,
  x double precision not null,
  y double precision not null,
  scale double precision not null,
  rotation double precision not null,
  primary key (product_id, print_area)
);

create table product_variant (
  id uuid primary key,
  product_id uuid not null references product,
  account_id uuid not null,
  ordinal integer not null,
  sku text not null references blank_variant (sku),
  active boolean not null default true,
  unique (product_id, sku)
);

-- Orders -------------------------------------------------------------------------------------------------------------------

-- The only arbiter of idempotency: unique across the platform, compared byte by byte, written in the order's own
-- transaction.
create table order_reference (
  external_reference text collate "C" primary key,
  account_id uuid not null,
  order_id uuid not null
);

create table orders (
  id uuid primary key,
  account_id uuid not null,
  reference text collate "C" not null unique,
  external_reference text,
  type text not null check (type in ('sample', 'bulk')),
  source text not null check (source in ('api', 'portal', 'channel')),
  state text not null check (state in
    ('awaiting_payment', 'placed', 'on_hold', 'released', 'in_production', 'dispatched', 'delivered', 'cancelled')),
  notes text not null default '',
  metadata jsonb not null default '{}',
  shipping_address jsonb not null,
  billing_address jsonb not null,
  shipping jsonb not null,
  warnings jsonb not null default '[]',
  subtotal_pence bigint not null check (subtotal_pence >= 0),
  setup_pence bigint not null check (setup_pence >= 0),
  shipping_pence bigint not null check (shipping_pence >= 0),
  vat_pence bigint not null check (vat_pence >= 0),
  duty_pence bigint not null check (duty_pence >= 0),
  total_pence bigint not null,
  vat_breakdown jsonb not null,
  setups jsonb not null default '[]',
  balance_paid_pence bigint not null default 0,
  method_paid_pence bigint not null default 0,
  refunded_pence bigint not null default 0,
  catalogue_version bigint not null,
  price_book_version bigint not null,
  -- Grows by one with each event of the order.
  version bigint not null default 1,
  last_event_at timestamptz not null,
  placed_at timestamptz not null,
  cancellable_until timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (total_pence = subtotal_pence + setup_pence + shipping_pence + vat_pence + duty_pence),
  check (balance_paid_pence >= 0 and method_paid_pence >= 0 and balance_paid_pence + method_paid_pence <= total_pence),
  check (refunded_pence >= 0 and refunded_pence <= balance_paid_pence + method_paid_pence),
  check (state in ('awaiting_payment', 'cancelled') or balance_paid_pence + method_paid_pence = total_pence)
);
create index orders_listed on orders (account_id, id desc);
create index orders_by_state on orders (account_id, state, id);
-- Orders that a top-up may settle, oldest first.
create index orders_waiting on orders (account_id, id) where state = 'awaiting_payment';

create table order_line (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  ordinal integer not null,
  product_id uuid not null,
  sku text not null,
  quantity integer not null check (quantity between 1 and 10000),
  quantity_cancelled integer not null default 0,
  quantity_shipped integer not null default 0,
  name text not null,
  colour text not null default '',
  size text not null default '',
  unit_price_pence bigint not null,
  line_price_pence bigint not null,
  vat_class text not null,
  mock_hash bytea,
  started_at timestamptz,
  primary key (order_id, id),
  check (line_price_pence = unit_price_pence * quantity),
  check (quantity_cancelled >= 0 and quantity_shipped >= 0 and quantity_cancelled + quantity_shipped <= quantity)
);

-- The artwork stands here as a snapshot: a later edit of the product changes no placed order.
create table print_job (
  order_id uuid not null,
  line_id uuid not null,
  ordinal integer not null,
  account_id uuid not null,
  print_area text not null,
  method text not null,
  station text,
  design_hash bytea,
  print_file_key bytea not null,
  unit_price_pence bigint not null,
  quantity_done integer not null default 0,
  quantity_spoiled integer not null default 0,
  primary key (order_id, line_id, ordinal),
  foreign key (order_id, line_id) references order_line
);

-- Every move of an order, with who and why; it is the audit log too.
create table order_history (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  action text not null,
  from_state text,
  to_state text not null,
  actor text not null,
  reason text not null default '',
  created_at timestamptz not null,
  primary key (order_id, id)
);

create table shipment (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  carrier text not null,
  tracking_number text not null,
  tracking_url text,
  shipped_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (order_id, id)
);

create table shipment_item (
  order_id uuid not null,
  shipment_id uuid not null,
  line_id uuid not null,
  account_id uuid not null,
  quantity integer not null check (quantity > 0),
  primary key (order_id, shipment_id, line_id),
  foreign key (order_id, shipment_id) references shipment
);

-- Billing ------------------------------------------------------------------------------------------------------------------

-- Double entry, one row a posting: it sums to zero by construction. Nothing is updated or deleted. `account_id` says whose
-- customer balance is meant where one of the two sides is 'customer_balance', and whom the rest concerns.
create table posting (
  account_id uuid not null,
  id uuid not null,
  order_id uuid,
  kind text not null,
  debit_account text not null,
  credit_account text not null,
  amount_pence bigint not null check (amount_pence > 0),
  reference text not null default '',
  created_at timestamptz not null,
  primary key (account_id, id),
  check (debit_account <> credit_account)
);
create index posting_order on posting (order_id) where order_id is not null;
-- A top-up with the same reference is posted once.
create unique index posting_credit_reference on posting (account_id, reference) where kind = 'top_up' and reference <> '';

create function posting_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'postings are never changed or deleted: post a correction';
end
$$;
create trigger posting_is_final before update or delete or truncate on posting
  for each statement execute function posting_is_final();

-- The right to print a design by a method without paying its setup again.
create table setup_right (
  account_id uuid not null,
  design_hash bytea not null,
  method text not null,
  paid_by_order uuid not null,
  amount_pence bigint not null,
  created_at timestamptz not null,
  primary key (account_id, design_hash, method)
);

-- Which orders rely on a right, so that it can pass on when the order that paid for it is cancelled.
create table setup_reliance (
  account_id uuid not null,
  design_hash bytea not null,
  method text not null,
  order_id uuid not null,
  primary key (account_id, design_hash, method, order_id)
);
create index setup_reliance_order on setup_reliance (order_id);

-- Jobs ---------------------------------------------------------------------------------------------------------------------

create table job (
  id uuid primary key,
  kind text not null,
  -- At most one job of a kind and key waits at a time.
  key text not null,
  payload jsonb not null,
  -- When the job may start; while it runs, when its lease runs out.
  run_at timestamptz not null,
  attempts integer not null default 0,
  lease_token uuid,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null,
  unique (kind, key)
);
create index job_due on job (kind, run_at) where failed_at is null;
