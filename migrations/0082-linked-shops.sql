-- Shops of platforms that are read from and written to: how each is reached, which of their orders are to be read, and
-- what is to be reported to each.

alter table channel drop constraint channel_platform_check;
alter table channel add constraint channel_platform_check
  check (platform in ('signed', 'woocommerce', 'shopify', 'medusa')) not valid;

create table channel_link (
  account_id uuid not null,
  channel_id uuid not null,
  -- Where the shop is: scheme, host and the path that its pages begin with.
  address text not null,
  -- What it lets us in with, as JSON.
  sealed bytea not null,
  sealed_with text,
  -- The time of connecting by the shop's own clock: nothing that was ordered before is placed by itself.
  since timestamptz not null,
  -- What is known of the shop: its version, which of its features are on, the ids of what we have set up there.
  facts jsonb not null default '{}',
  -- Where the next page of changed orders begins. Opaque to all but the platform's own code.
  place jsonb not null default '{}',
  -- When all that had changed until then was read for the last time.
  synced_at timestamptz,
  set_up_at timestamptz,
  -- Nothing is asked of a shop before its time.
  next_sync_at timestamptz not null,
  -- Failed syncs in a row, and until when the shop is left alone after them.
  failures integer not null default 0,
  retry_at timestamptz,
  -- What is wrong, in words for its people.
  fault text,
  fault_kind text,
  fault_since timestamptz,
  -- Orders that could not be read, and what was wrong with the last.
  unreadable bigint not null default 0,
  last_unreadable text,
  primary key (account_id, channel_id),
  foreign key (account_id, channel_id) references channel,
  check ((fault is null) = (fault_since is null) and (fault is null) = (fault_kind is null))
);
-- A hash has no order: a look for values of an earlier key would take it for one.
create index channel_link_of_channel on channel_link using hash (channel_id);
create index channel_link_due on channel_link (next_sync_at, channel_id);
create index channel_link_sealed_with on channel_link (sealed_with, channel_id);

-- Orders of which a shop has said that they changed.
create table channel_hint (
  account_id uuid not null,
  channel_id uuid not null,
  shop_order_id text collate "C" not null,
  noted_at timestamptz not null,
  primary key (account_id, channel_id, shop_order_id),
  foreign key (account_id, channel_id) references channel_link on delete cascade
);

-- Placed orders of linked shops, and what of them was reported to their shops.
create table channel_report (
  account_id uuid not null,
  shop_order_id uuid not null,
  channel_id uuid not null,
  -- Grows with each move of the order here.
  revision integer not null default 1,
  -- When a report is due; null once the shop knows all.
  due_at timestamptz,
  -- What it knows: a digest of each parcel by its id, and what else was said.
  reported jsonb not null default '{}',
  reported_at timestamptz,
  failures integer not null default 0,
  -- It is not reported any more: the shop refuses it, and a person has a task.
  failed_at timestamptz,
  problem text,
  primary key (account_id, shop_order_id),
  foreign key (account_id, shop_order_id) references channel_order on delete cascade,
  foreign key (account_id, channel_id) references channel_link on delete cascade,
  check (failed_at is null or due_at is null)
);
create index channel_report_due on channel_report (account_id, channel_id, due_at) where due_at is not null;
create index channel_report_due_channels on channel_report (channel_id, due_at) where due_at is not null;
create index channel_report_of_link on channel_report (account_id, channel_id);
create index channel_report_failed on channel_report (failed_at, shop_order_id) where failed_at is not null;

-- Connections that were begun here and wait for the shop's consent.
create table channel_invitation (
  account_id uuid not null references account,
  id uuid not null,
  platform text not null,
  address text not null,
  name text not null,
  -- The channel whose access is renewed; null for a new one.
  channel_id uuid,
  -- Of the secret that the shop sends back.
  state_digest bytea not null unique,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (account_id, id),
  foreign key (account_id, channel_id) references channel
);
create index channel_invitation_of_channel on channel_invitation (account_id, channel_id);
create index channel_invitation_expires on channel_invitation (expires_at);
