-- People who sign in to the portal: what each may do, and where they are signed in.

-- Whoever could sign in before owns the account: there was nobody else who could have been asked. The check need not look
-- at their rows, which have the default.
alter table account_user add column role text not null default 'owner';
alter table account_user add constraint account_user_role_check
  check (role in ('owner', 'manager', 'orders', 'reader')) not valid;
alter table account_user add column name text not null default '';

-- A session is over at `ends_at`, or when it was not used for twelve hours. Ending it earlier sets `ends_at`.
create table portal_session (
  account_id uuid not null references account,
  id uuid not null,
  user_id uuid not null,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  ends_at timestamptz not null,
  -- When the password was last given.
  proven_at timestamptz not null,
  user_agent text not null,
  primary key (account_id, id),
  foreign key (account_id, user_id) references account_user
);
create index portal_session_id on portal_session (id);
create index portal_session_user on portal_session (account_id, user_id);
create index portal_session_ends on portal_session (ends_at, id);

-- The app that shows a person codes for signing in (RFC 6238). It counts from `confirmed_at` on.
create table second_factor (
  account_id uuid not null references account,
  user_id uuid not null,
  secret_sealed bytea not null,
  sealed_with text not null,
  created_at timestamptz not null,
  confirmed_at timestamptz,
  -- The step of the last code that was taken: a code counts once.
  last_step bigint not null default 0,
  -- Keyed hashes of the recovery codes that are left.
  recovery_hashes bytea[] not null default '{}',
  primary key (account_id, user_id),
  foreign key (account_id, user_id) references account_user
);
create index second_factor_user on second_factor (user_id);
create index second_factor_sealed on second_factor (sealed_with, user_id);

-- A link that works once, within an hour: its token stands in the link alone.
create table account_link (
  account_id uuid not null references account,
  id uuid not null,
  kind text not null check (kind in ('invitation', 'reset')),
  token_hash bytea not null unique,
  email text not null,
  -- What the person will be; null for a reset.
  role text check (role in ('owner', 'manager', 'orders', 'reader')),
  name text not null,
  created_at timestamptz not null,
  -- Using or withdrawing it sets the end to that time.
  ends_at timestamptz not null,
  primary key (account_id, id),
  check ((kind = 'invitation') = (role is not null))
);
create index account_link_id on account_link (id);
create index account_link_ends on account_link (ends_at, id);
