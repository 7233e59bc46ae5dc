-- Orders, their lines, print jobs and history, and the rights of setups.

-- The only arbiter of idempotency: unique across the platform, compared byte by byte, written in the order's own
-- transaction.
create table order_reference (
  external_reference text collate "C" primary key,
  account_id uuid not null,
  order_id uuid not null
);

create table orders (
  account_id uuid not null,
  id uuid not null,
  reference text collate "C" not null unique,
  external_reference text,
  type text not null check (type in ('sample', 'bulk')),
  source text not null check (source in ('api', 'portal', 'channel', 'replacement')),
  -- The order of the same account that this one makes good for.
  replaces uuid,
  state text not null check (state in
    ('awaiting_payment', 'placed', 'on_hold', 'released', 'in_production', 'dispatched', 'delivered', 'cancelled')),
  -- Why and since when operators hold the order: code, reason, opened_at.
  hold jsonb,
  notes text not null default '',
  metadata jsonb not null default '{}',
  shipping_address jsonb not null,
  billing_address jsonb not null,
  shipping jsonb not null,
  warnings jsonb not null default '[]',
  -- How many lines it has: a page of orders ends where its lines become too many.
  line_count integer not null,
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
  -- What has been given back, and what is still to be paid out by hand.
  refunded_pence bigint not null default 0,
  refund_owed_pence bigint not null default 0,
  -- What arrived for the order when it no longer needed it, cancelled or paid otherwise: owed to the customer.
  unwanted_pence bigint not null default 0 check (unwanted_pence >= 0),
  -- The charge that is under way: until its end is known nothing else pays the order, and it is not cancelled.
  attempt_id uuid,
  catalogue_version bigint not null,
  price_book_version bigint not null,
  -- Grows by one with each event of the order.
  version bigint not null default 1,
  last_event_at timestamptz not null,
  -- The transaction of the last change. A list by `updated_since` leaves out what an older transaction, still
  -- running, might yet precede.
  changed_by xid8 not null default pg_current_xact_id(),
  placed_at timestamptz not null,
  -- When the whole total was there; the tax point of the invoice.
  paid_at timestamptz,
  cancellable_until timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, replaces) references orders,
  check (total_pence = subtotal_pence + setup_pence + shipping_pence + vat_pence + duty_pence),
  check (balance_paid_pence >= 0 and method_paid_pence >= 0 and balance_paid_pence + method_paid_pence <= total_pence),
  check (state in ('awaiting_payment', 'cancelled') or balance_paid_pence + method_paid_pence = total_pence),
  constraint orders_refund_owed check (refunded_pence >= 0 and refund_owed_pence >= 0
    and refunded_pence + refund_owed_pence <= balance_paid_pence + method_paid_pence + unwanted_pence),
  constraint orders_attempt check (attempt_id is null or state = 'awaiting_payment')
);

-- The lists of one account. Those without a filter are read off the primary key. One index for a state, a type and
-- both: each is a few ranges of it.
create index orders_by_state_and_type on orders (account_id, state, type, id);
-- Orders that a top-up may settle, oldest first.
create index orders_waiting on orders (account_id, id) where state = 'awaiting_payment';
-- Few orders change later than a week after they were placed. A list by `updated_since` finds those here, and the
-- others among the orders of that week.
create index orders_changed_late on orders (account_id, updated_at) where updated_at - created_at > interval '168 hours';

-- What operators and the workers read, of all accounts.
create index orders_id on orders (id);
-- The state is an expression, so that the lists of one account, whose order also begins with it, are not read off
-- this index.
create index orders_of_state on orders ((state || ''), id);
create index orders_to_promote on orders (cancellable_until, id) where state = 'placed';
create index orders_paid_later on orders (paid_at, id) where paid_at > placed_at;
create index orders_owing on orders (id) where refund_owed_pence > 0;
create index orders_replacing on orders (replaces) where replaces is not null;
-- In capitals and without blanks, as operators search for it.
create index orders_postcode on orders (
  (upper(regexp_replace(shipping_address ->> 'postcode', '\s', '', 'g') collate "C")), id);

create table order_line (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  ordinal integer not null,
  product_id uuid not null,
  sku text not null,
  quantity integer not null check (quantity between 1 and 10000),
  quantity_cancelled integer not null default 0,
  quantity_shipped integer not null default 0,
  quantity_spoiled integer not null default 0 check (quantity_spoiled >= 0),
  -- On a replacement order: the line whose pieces this one makes again.
  replaces_line uuid,
  name text not null,
  colour text not null default '',
  size text not null default '',
  unit_price_pence bigint not null,
  line_price_pence bigint not null,
  vat_class text not null,
  mock_hash bytea,
  started_at timestamptz,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders,
  check (line_price_pence = unit_price_pence * quantity),
  check (quantity_cancelled >= 0 and quantity_shipped >= 0 and quantity_cancelled + quantity_shipped <= quantity)
);
-- A scanned barcode is the id of a line, and nothing else.
create index order_line_id on order_line (id);
-- For the collection of stored bytes, as in 0006-artwork.sql.
create index order_line_mock on order_line (mock_hash) where mock_hash is not null;

-- A snapshot of the artwork: a later edit of the product changes no placed order.
create table print_job (
  account_id uuid not null,
  order_id uuid not null,
  line_id uuid not null,
  ordinal integer not null,
  print_area text not null,
  method text not null,
  design_hash bytea,
  print_file_key bytea not null,
  unit_price_pence bigint not null,
  -- Both null until the order is promoted.
  station text,
  promoted_at timestamptz,
  -- Promoted, and perhaps still to be made: false again once all is done, or the order is dispatched or cancelled.
  is_open boolean not null default false,
  quantity_done integer not null default 0,
  quantity_spoiled integer not null default 0,
  primary key (account_id, order_id, line_id, ordinal),
  foreign key (account_id, order_id, line_id) references order_line
);
-- What is next, at one station or at all, those of the oldest promotion first.
create index print_job_of_station on print_job (station, promoted_at, order_id, line_id, ordinal) where is_open;
create index print_job_open on print_job (promoted_at, order_id, line_id, ordinal) where is_open;

-- Every move of an order, with who and why: it is the audit log too. Its only unique constraint contains the id, a
-- UUIDv7, so it can be partitioned by ranges of it, as events can.
create table order_history (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  action text not null,
  from_state text,
  to_state text not null,
  actor text not null,
  reason text not null default '',
  created_at timestamptz not null,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders
);

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
