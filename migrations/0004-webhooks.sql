-- Subscriptions, the log of events, and deliveries.

create table webhook_subscription (
  account_id uuid not null references account,
  id uuid not null,
  url text not null,
  events text[] not null default '{}',
  description text not null default '',
  active boolean not null default true,
  -- Grows when the subscription is paused or disabled. A delivery of an earlier generation is never sent, so a pause
  -- does not have to change any delivery.
  generation integer not null default 1,
  secret_sealed bytea not null,
  failure_count integer not null default 0 check (failure_count >= 0),
  disabled_reason text,
  -- After three consecutive failures one attempt at a time is made, not before this time.
  next_attempt_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (account_id, id)
);
create index webhook_subscription_id on webhook_subscription (id);

-- Every unique constraint of `event` and of `webhook_delivery` contains the id, a UUIDv7: both tables can be
-- partitioned by ranges of it, and a partition is a span of time that can be dropped.

create table event (
  account_id uuid not null,
  id uuid not null,
  order_id uuid,
  -- Counts the events of an order: `orders.version` after the change, which grows under the order's lock. It cannot
  -- be unique here without the id; `platen verify` checks it.
  sequence bigint not null,
  event text not null,
  -- json and not jsonb, which would reorder the members: every attempt and replay sends the same bytes.
  data json not null,
  created_at timestamptz not null,
  -- A transaction with an earlier id may commit later. Readers of the log order by this and stop below the oldest
  -- running transaction, so the log never skips.
  transaction_id xid8 not null default pg_current_xact_id(),
  primary key (account_id, id)
);
-- The log of an account, of one kind of event (each a range of its own, so that a rare one is found without a walk
-- over the frequent ones), and of one order.
create index event_log on event (account_id, transaction_id, id);
create index event_named on event (account_id, event, transaction_id, id);
create index event_order on event (order_id) where order_id is not null;

-- The event is found by (account_id, event_id). Neither it nor the subscription is a foreign key: the check on a
-- subscription would lock one row for every order of an account, and fail an order whose subscription is removed in
-- the same moment. The worker cancels a delivery that has lost either.
create table webhook_delivery (
  account_id uuid not null,
  id uuid not null,
  subscription_id uuid not null,
  generation integer not null,
  event_id uuid not null,
  event text not null,
  state text not null check (state in ('pending', 'retrying', 'succeeded', 'abandoned', 'cancelled')),
  attempts integer not null default 0,
  -- When the next attempt may start; while one is under way, when its lease runs out.
  due_at timestamptz not null,
  -- Due, and waiting in the queue of its own subscription, because that is paced or busy. Such a row delays no other.
  lined_up boolean not null default false,
  lease_token uuid,
  response_code integer,
  error text,
  attempted_at timestamptz,
  created_at timestamptz not null,
  primary key (account_id, id),
  check (not lined_up or state in ('pending', 'retrying'))
) with (fillfactor = 80);
create index webhook_delivery_due on webhook_delivery (due_at) where state in ('pending', 'retrying') and not lined_up;
create index webhook_delivery_line on webhook_delivery (subscription_id, generation, due_at) where lined_up;
create index webhook_delivery_recent on webhook_delivery (subscription_id, attempted_at desc) where attempted_at is not null;
