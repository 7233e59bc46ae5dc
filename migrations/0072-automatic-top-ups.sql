-- Top-ups by the saved card that begin by themselves once the balance is below a threshold.
create table auto_top_up (
  account_id uuid primary key references account,
  threshold_pence bigint not null check (threshold_pence > 0),
  amount_pence bigint not null check (amount_pence > 0),
  -- The most that is topped up by itself within 24 hours.
  daily_cap_pence bigint not null,
  -- on; or stopped by itself, after two failures or because there is no card any more. Off is no row.
  state text not null check (state in ('on', 'stopped')),
  -- Failures in a row.
  failures integer not null default 0 check (failures >= 0),
  -- Why the last one failed, in the provider's words, or why it was stopped.
  reason text not null default '',
  -- None begins before this: one is under way, one has just failed, or the cap is reached.
  not_before timestamptz not null,
  updated_at timestamptz not null,
  check (daily_cap_pence >= amount_pence)
);
create index auto_top_up_on on auto_top_up (account_id) where state = 'on';
