-- The day of a print shop: operators and what they did, payment by a provider, stock by line, stations, shipments' corrections,
-- credit notes.

-- Operators ----------------------------------------------------------------------------------------------------------------

create table operator (
  id uuid primary key,
  -- In lower case, so that it is unique in any case.
  email text not null unique,
  password_hash text not null,
  role text not null check (role in ('viewer', 'production', 'finance', 'admin')),
  created_at timestamptz not null,
  disabled_at timestamptz
);

create table operator_token (
  id uuid primary key,
  operator_id uuid not null references operator,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index operator_token_operator on operator_token (operator_id);

-- The audit log: every action of an operator, written in the transaction of its effect. The key makes a repeat harmless, the
-- hash of the request tells a repeat from another request under the same key, and the subject is what a repeat is answered with.
create table operator_action (
  id uuid primary key,
  operator_id uuid not null references operator,
  action text not null,
  order_id uuid,
  subject_id uuid,
  detail json not null,
  idempotency_key text collate "C",
  request_hash bytea not null,
  created_at timestamptz not null
);
create unique index operator_action_key on operator_action (operator_id, idempotency_key) where idempotency_key is not null;
create index operator_action_order on operator_action (order_id, id) where order_id is not null;

-- Something that a person has to look at: a direct debit that came back, a cancel after a start.
create table ops_task (
  id uuid primary key,
  account_id uuid not null,
  order_id uuid,
  kind text not null,
  note text not null,
  opened_at timestamptz not null,
  closed_at timestamptz
);
create index ops_task_open on ops_task (id) where closed_at is null;

-- Payment ------------------------------------------------------------------------------------------------------------------

-- What is charged once the balance is used up; the provider's own name of it.
create table payment_method (
  account_id uuid primary key references account,
  kind text not null check (kind in ('card', 'direct_debit')),
  provider_reference text not null,
  updated_at timestamptz not null
);

-- Written before the provider is asked. Its id is the idempotency key there and, once paid, the id of the payment.
create table payment_attempt (
  id uuid primary key,
  order_id uuid not null references orders,
  account_id uuid not null,
  method text not null check (method in ('card', 'direct_debit')),
  provider_reference text not null,
  amount_pence bigint not null check (amount_pence > 0),
  state text not null check (state in ('open', 'unknown', 'succeeded', 'failed')),
  intent_id text unique,
  reason text not null default '',
  created_at timestamptz not null,
  -- When the sweep looks at it again.
  look_at timestamptz not null,
  settled_at timestamptz,
  check ((state in ('succeeded', 'failed')) = (settled_at is not null))
);
-- One at a time: while an order has one, nothing else may pay it.
create unique index payment_attempt_under_way on payment_attempt (order_id) where state in ('open', 'unknown');
create index payment_attempt_order on payment_attempt (order_id, id);
create index payment_attempt_due on payment_attempt (look_at) where state in ('open', 'unknown');

-- Callbacks of the provider that were acted on; each may come several times.
create table provider_event (
  id text collate "C" primary key,
  kind text not null,
  received_at timestamptz not null
);

-- What a refund gives back, by rate: the document of its credit note is made of it.
alter table refund
  add column goods_pence bigint not null default 0,
  add column shipping_pence bigint not null default 0,
  add column duty_pence bigint not null default 0,
  add column vat jsonb not null default '[]';

-- Of the same series as the invoices. Frozen.
create table credit_note (
  refund_id uuid primary key,
  order_id uuid not null references orders,
  account_id uuid not null,
  number bigint not null unique,
  document json not null,
  issued_at timestamptz not null
);
create index credit_note_order on credit_note (order_id, refund_id);
create trigger credit_note_is_final before update or delete or truncate on credit_note
  for each statement execute function invoice_is_final();

-- Production ---------------------------------------------------------------------------------------------------------------

-- Where print jobs are worked, by method.
create table station (
  id text primary key,
  title text not null,
  methods text[] not null
);

-- Pieces of the shelf that are promised to a line. What was consumed cannot be released.
create table allocation (
  order_id uuid not null,
  line_id uuid not null,
  account_id uuid not null,
  sku text not null references stock,
  allocated integer not null check (allocated > 0),
  consumed integer not null default 0 check (consumed >= 0),
  released integer not null default 0 check (released >= 0),
  primary key (order_id, line_id),
  foreign key (order_id, line_id) references order_line,
  check (consumed + released <= allocated)
);
create index allocation_sku on allocation (sku) where consumed + released < allocated;

alter table order_line add column quantity_spoiled integer not null default 0 check (quantity_spoiled >= 0);
alter table orders
  -- The order that this one makes good for.
  add column replaces uuid references orders,
  drop constraint orders_source_check,
  add constraint orders_source_check check (source in ('api', 'portal', 'channel', 'replacement'));
create index orders_replacing on orders (replaces) where replaces is not null;
-- Operators see the orders of all accounts, by state; automatic promotion takes the oldest whose window has closed.
create index orders_of_state on orders (state, id);
create index orders_to_promote on orders (cancellable_until, id) where state = 'placed';

-- Movements say what they were for: the delivery note of a receipt, the count sheet.
alter table stock_movement add column reference text not null default '';
