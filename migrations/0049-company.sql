-- What an account wants changed of its treatment for VAT, until an operator has decided. The latest proposal alone is kept;
-- it is open as long as its task is.
create table vat_proposal (
  account_id uuid primary key references account,
  -- Empty: that the account has none any more.
  vat_number text not null,
  task_id uuid not null,
  proposed_at timestamptz not null
);

-- The shipping service that an account's order form begins with.
create table shipping_preference (
  account_id uuid primary key references account,
  service text not null
);
