-- What happened to the sign-in of people, for themselves and the owners of their account. Kept for 90 days.

create table sign_in_log (
  account_id uuid not null references account,
  id uuid not null,
  user_id uuid not null,
  kind text not null check (kind in ('signed_in', 'refused', 'code_refused', 'signed_out', 'session_ended', 'password_changed',
    'password_reset', 'joined', 'factor_added', 'factor_removed')),
  at timestamptz not null,
  -- The address of the network and the browser; of refusals those of the last.
  ip text not null,
  user_agent text not null,
  -- What is alike within an hour is one row.
  hour timestamptz not null,
  alike text not null,
  times integer not null default 1,
  primary key (account_id, id)
);
create unique index sign_in_log_alike on sign_in_log (account_id, user_id, kind, hour, alike);
create index sign_in_log_of_user on sign_in_log (account_id, user_id, id);
create index sign_in_log_id on sign_in_log (id);
create index sign_in_log_at on sign_in_log (at, id);
