-- People who want an account. Until the address is confirmed a row is kept for less than a day, and one that waits for an operator
-- for a month. An account that is opened has the id of its sign-up.
create table sign_up (
  id uuid primary key,
  email text not null,
  name text not null,
  company text not null,
  country_code text not null,
  -- Of the token in the mail; null until that is made, and once it was used.
  token_hash bytea unique,
  created_at timestamptz not null,
  ends_at timestamptz not null,
  confirmed_at timestamptz,
  password_hash text,
  check ((confirmed_at is null) = (password_hash is null))
);
create index sign_up_ends on sign_up (ends_at, id);
create index sign_up_email on sign_up (email);
create index sign_up_waiting on sign_up (id) where confirmed_at is not null;
