-- Replays: events of a span of time that are sent to a subscription again, because its owner asks.
create table webhook_replay (
  account_id uuid not null references account,
  id uuid not null,
  subscription_id uuid not null,
  state text not null check (state in ('running', 'paused', 'completed', 'cancelled')),
  -- Why the service paused it; null when the owner did.
  paused_reason text,
  since timestamptz not null,
  until timestamptz not null,
  -- The subscription's events when it began; empty for all.
  names text[] not null,
  -- How many there are, counted when it began.
  events integer not null,
  -- The last event that has a delivery of it, and an id after that of any event of its span.
  place uuid not null,
  ceiling uuid not null,
  sent integer not null default 0,
  succeeded integer not null default 0,
  failed integer not null default 0,
  -- The few deliveries that are under way: the next ones are made as these end.
  open_deliveries uuid[] not null default '{}',
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, subscription_id) references webhook_subscription on delete cascade,
  check ((ended_at is null) = (state in ('running', 'paused')))
);
create index webhook_replay_id on webhook_replay (id);
create index webhook_replay_listed on webhook_replay (account_id, subscription_id, id);
-- A subscription has one at a time.
create unique index webhook_replay_unfinished on webhook_replay (account_id, subscription_id) where ended_at is null;
create index webhook_replay_running on webhook_replay (id) where state = 'running';
create index webhook_replay_ended on webhook_replay (ended_at, id) where ended_at is not null;
