-- Signing in, and OAuth 2.0: the people of an account, the apps that are registered, what a person has allowed an app, and what
-- the protocol has to remember from one request to the next. Tokens, codes, cookies and client secrets stand here as SHA-256
-- only, passwords as Argon2id.

-- A person who may sign in; belongs to one account. The address is kept in lower case, so that it is unique in any case.
create table account_user (
  id uuid primary key,
  account_id uuid not null references account,
  email text not null unique,
  password_hash text not null,
  created_at timestamptz not null
);
create index account_user_account on account_user (account_id);

-- An app. It belongs to the account that registered it and acts for that one by itself (client credentials); people of any
-- account may allow it to act for theirs. One without a secret is public: it has nothing to prove itself by but its redirects.
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

-- What a person has allowed an app, once for each time that he was asked. Everything that follows from it, codes, refresh tokens
-- and access tokens, is good for as long as this row is not revoked: revoking a family is one write.
create table oauth_grant (
  id uuid primary key,
  account_id uuid not null references account,
  user_id uuid not null references account_user,
  client_id uuid not null references oauth_client,
  scopes text[] not null check (cardinality(scopes) > 0),
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index oauth_grant_account on oauth_grant (account_id);

-- A personal token has neither; one of an app that acts for itself has no grant.
alter table access_token
  add column client_id uuid references oauth_client,
  add column grant_id uuid references oauth_grant,
  add check (grant_id is null or client_id is not null);
create index access_token_grant on access_token (grant_id) where grant_id is not null;
create index access_token_expiry on access_token (expires_at) where client_id is not null;

-- What the protocol library keeps between two requests, found by the hash of the code, token or cookie that its owner shows. The
-- content is sealed, because it holds such values of its own. A refresh token that was used stays until it would have expired,
-- so that showing it again is noticed.
create table oauth_record (
  key_hash bytea primary key,
  kind text not null check (kind in ('authorization_code', 'refresh_token', 'session', 'interaction')),
  uid_hash bytea,
  user_id uuid references account_user,
  grant_id uuid references oauth_grant,
  sealed bytea not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  consumed_at timestamptz
);
create index oauth_record_uid on oauth_record (uid_hash) where uid_hash is not null;
create index oauth_record_grant on oauth_record (grant_id) where grant_id is not null;
create index oauth_record_expiry on oauth_record (expires_at);

-- Attempts to sign in, counted in a window for the address of the person and for that of the machine, both as keyed hashes.
create table sign_in_attempt (
  subject text primary key,
  attempts integer not null,
  ends_at timestamptz not null
);
create index sign_in_attempt_end on sign_in_attempt (ends_at);
