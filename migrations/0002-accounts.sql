-- Customers: accounts, the people and apps that act for them, and their tokens. Tokens, codes, cookies and client
-- secrets are stored as SHA-256 only, passwords as Argon2id.

create table account (
  id uuid primary key,
  name text not null,
  vat_status text not null default 'standard' check (vat_status in ('standard', 'reverse_charge_eu')),
  -- On invoices from the moment it is set; an issued invoice keeps the number that it was issued with.
  vat_number text not null default '',
  suspended_at timestamptz,
  created_at timestamptz not null
);
-- Operators find accounts by the beginning of the name, in any case.
create index account_name on account (lower(name) collate "C", id);

-- A person who may sign in for one account. The address is in lower case, which makes it unique in any case.
create table account_user (
  account_id uuid not null references account,
  id uuid not null,
  email text not null unique,
  password_hash text not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create index account_user_id on account_user (id);

-- An app. `account_id` is the account that registered it, for which it acts by itself (client credentials); people of
-- any account may allow it to act for theirs, so rows of other accounts refer to it and its key is the id alone. An
-- app without a secret is public: only its redirects identify it.
create table oauth_client (
  id uuid primary key,
  account_id uuid not null references account,
  name text not null,
  secret_hash bytea,
  redirect_uris text[] not null,
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz not null,
  check (secret_hash is not null or cardinality(redirect_uris) > 0)
);
create index oauth_client_account on oauth_client (account_id);

-- What a person has allowed an app: one row each time the person is asked. All codes, refresh tokens and access
-- tokens that come from it are valid while this row is not revoked, so revoking a family of tokens is one write.
create table oauth_grant (
  account_id uuid not null references account,
  id uuid not null,
  user_id uuid not null,
  client_id uuid not null references oauth_client,
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz not null,
  revoked_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, user_id) references account_user
);
create index oauth_grant_id on oauth_grant (id);

-- A personal token has neither client nor grant; a token of an app that acts for itself has no grant.
create table access_token (
  account_id uuid not null references account,
  id uuid not null,
  name text not null default '',
  token_hash bytea not null unique,
  scopes text[] not null,
  client_id uuid references oauth_client,
  grant_id uuid,
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  primary key (account_id, id),
  foreign key (account_id, grant_id) references oauth_grant,
  check (grant_id is null or client_id is not null)
);
create index access_token_id on access_token (id);
create index access_token_grant on access_token (grant_id) where grant_id is not null;
create index access_token_expiry on access_token (expires_at) where client_id is not null;

-- What the OAuth library keeps between two requests, found by the hash of the code, token or cookie that its owner
-- presents. The content is sealed, because it holds such values itself. A used refresh token stays until it would
-- have expired, so that a second use is noticed.
create table oauth_record (
  key_hash bytea primary key,
  kind text not null check (kind in ('authorization_code', 'refresh_token', 'session', 'interaction')),
  uid_hash bytea,
  -- Null until the person has signed in.
  account_id uuid,
  user_id uuid,
  grant_id uuid,
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz,
  foreign key (account_id, user_id) references account_user,
  foreign key (account_id, grant_id) references oauth_grant,
  -- A reference of several columns is not checked while one of them is null.
  check (account_id is not null or (user_id is null and grant_id is null))
);
create index oauth_record_uid on oauth_record (uid_hash) where uid_hash is not null;
create index oauth_record_grant on oauth_record (grant_id) where grant_id is not null;
create index oauth_record_expiry on oauth_record (expires_at);

-- Attempts to sign in, counted in a window for the person's address and for the machine's, both as keyed hashes.
create table sign_in_attempt (
  subject text primary key,
  attempts integer not null,
  ends_at timestamptz not null
);
create index sign_in_attempt_end on sign_in_attempt (ends_at);
