-- A mail says that the balance of an account has fallen below a threshold. Off is no row. A worker compares the rows with the
-- balances; placing knows nothing of them.
create table low_balance_mail (
  account_id uuid primary key references account,
  threshold_pence bigint not null check (threshold_pence > 0),
  -- armed: the next fall below the threshold is mailed. notified: it was, or was seen when the threshold was set; the balance must be above
  -- before the next.
  state text not null check (state in ('armed', 'notified')),
  -- How many entries the statement had when it was last looked at.
  seen_entries bigint not null,
  -- No mail before this: one a day.
  not_before timestamptz not null,
  updated_at timestamptz not null
);
