-- Shops whose orders come in by themselves, what became of each order, and which of their items are products of ours.

create table channel (
  account_id uuid not null references account,
  id uuid not null,
  platform text not null check (platform in ('signed')),
  name text not null,
  state text not null check (state in ('active', 'paused', 'disconnected')),
  -- Whether a person looks at each order before it is placed.
  needs_approval boolean not null default false,
  delay_minutes integer not null default 0 check (delay_minutes between 0 and 10080),
  -- Which service of ours stands for which of the shop's.
  services jsonb not null default '[]',
  connected_at timestamptz not null,
  ended_at timestamptz,
  last_order_at timestamptz,
  -- Requests with a wrong signature.
  refused bigint not null default 0,
  last_refused_at timestamptz,
  primary key (account_id, id),
  check ((state = 'disconnected') = (ended_at is not null))
);
create index channel_id on channel (id);

-- What requests of a shop are signed with. After a rotation the secret of before is taken for a day.
create table channel_secret (
  account_id uuid not null,
  id uuid not null,
  channel_id uuid not null,
  sealed bytea not null,
  sealed_with text,
  valid_until timestamptz,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channel
);
create index channel_secret_id on channel_secret (id);
create index channel_secret_of_channel on channel_secret (channel_id, id);
create index channel_secret_sealed_with on channel_secret (sealed_with, id);
create index channel_secret_ends on channel_secret (valid_until) where valid_until is not null;

create table channel_order (
  account_id uuid not null,
  id uuid not null,
  channel_id uuid not null,
  shop_order_id text collate "C" not null,
  shop_number text not null,
  -- The shop's own time of what it sent: what is older changes nothing.
  changed_at timestamptz not null,
  state text not null check (state in ('new', 'waiting', 'placed', 'ignored', 'failed')),
  reason text not null default '',
  problems jsonb not null default '[]',
  -- What the shop sent, until the order is placed or ignored.
  content jsonb,
  -- What tells whether the shop sent the same again.
  digest bytea not null,
  -- The items without what belongs to a recipient.
  items jsonb not null,
  -- The keys of the items that are neither mapped nor marked as others'.
  missing text[] not null default '{}',
  -- What it counts as among those that have not ended: one for each 16 KiB that the shop sent.
  weight integer not null default 1,
  -- Grows with each change that must be looked at.
  revision integer not null default 1,
  is_approved boolean not null default false,
  -- When it is looked at again by itself.
  look_at timestamptz,
  ordered_at timestamptz not null,
  received_at timestamptz not null,
  ended_at timestamptz,
  order_id uuid,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channel,
  foreign key (account_id, order_id) references orders,
  check ((state = 'placed') = (order_id is not null)),
  check ((state in ('placed', 'ignored')) = (ended_at is not null)),
  check ((state in ('placed', 'ignored')) = (content is null))
);
create unique index channel_order_of_shop on channel_order (account_id, channel_id, shop_order_id);
create index channel_order_id on channel_order (id);
create index channel_order_of_all_by_state on channel_order (state, id);
create index channel_order_by_state on channel_order (account_id, state, id);
create index channel_order_of_channel on channel_order (account_id, channel_id, id);
create index channel_order_of_channel_by_state on channel_order (account_id, channel_id, state, id);
create index channel_order_by_reason on channel_order (account_id, channel_id, reason, id)
  where state in ('waiting', 'failed');
create index channel_order_look on channel_order (look_at, id) where look_at is not null;
create unique index channel_order_of_order on channel_order (order_id, account_id) where order_id is not null;
create index channel_order_ended on channel_order (ended_at, id) where ended_at is not null;
-- An erasure looks through those of an account that are not placed.
create index channel_order_unplaced on channel_order (account_id, id) where content is not null;
create index channel_order_of_channel_open on channel_order (account_id, channel_id) include (weight)
  where ended_at is null;
create index channel_order_open on channel_order (received_at, id) where ended_at is null;

create table channel_item (
  account_id uuid not null,
  channel_id uuid not null,
  -- The shop's id of a variant, or else its SKU or title.
  key text collate "C" not null,
  title text not null,
  -- Null for what others make.
  product_id uuid,
  variant_sku text,
  set_at timestamptz not null,
  primary key (account_id, channel_id, key),
  foreign key (account_id, channel_id) references channel,
  check ((product_id is null) = (variant_sku is null))
);
