-- Addresses that an account keeps, to send to again.
create table saved_address (
  account_id uuid not null references account,
  id uuid not null,
  -- What a person calls it.
  label text not null,
  address jsonb not null,
  created_at timestamptz not null,
  primary key (account_id, id)
);
create unique index saved_address_once on saved_address (account_id, md5(address::text));
