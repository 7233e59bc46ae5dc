-- The books: balances, postings and closed days.

-- Apart from the account, because it is the one row of an account that is written often. The check stands behind the
-- guard of the placing statement.
create table account_balance (
  account_id uuid primary key references account,
  balance_pence bigint not null default 0 check (balance_pence >= 0),
  -- How many entries the account's statement has, and the time of the latest. Both change under the lock of this row,
  -- so the next entry is never earlier: a transaction that waited for the lock may hold an older time.
  entries bigint not null default 0,
  last_entry_at timestamptz not null default '-infinity'
) with (fillfactor = 50);

-- Double entry, one row a posting, so the books balance by construction. `account_id` says whose customer balance is
-- meant where one of the two sides is 'customer_balance', and which customer the rest concerns.
create table posting (
  account_id uuid not null,
  id uuid not null,
  order_id uuid,
  kind text not null,
  debit_account text not null,
  credit_account text not null,
  amount_pence bigint not null check (amount_pence > 0),
  reference text not null default '',
  -- Postings that touch a customer's balance are numbered in the order in which they took its lock, and keep what it
  -- was afterwards: a statement is read off an index, and so is the balance of any time.
  entry bigint,
  balance_after_pence bigint,
  created_at timestamptz not null,
  primary key (account_id, id),
  check (debit_account <> credit_account),
  constraint posting_entry check (
    ('customer_balance' in (debit_account, credit_account)) = (entry is not null)
    and (entry is null) = (balance_after_pence is null)
    and coalesce(balance_after_pence, 0) >= 0)
);
create index posting_order on posting (order_id) where order_id is not null;
create unique index posting_statement on posting (account_id, entry) where entry is not null;
-- A top-up with the same reference is posted once.
create unique index posting_credit_reference on posting (account_id, reference) where kind = 'top_up' and reference <> '';
-- The statement of an account of the ledger is read off these two, a side each, in the order of time; so is what was
-- posted since the last closed day. The amount is included, so that a sum does not read the postings themselves.
create index posting_debit on posting (debit_account, created_at, id) include (amount_pence);
create index posting_credit on posting (credit_account, created_at, id) include (amount_pence);

create function posting_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'postings are never changed or deleted: post a correction';
end
$$;
create trigger posting_is_final before update or delete or truncate on posting
  for each statement execute function posting_is_final();

-- What was debited and credited to an account of the ledger from the first posting on until a midnight (UTC): a row
-- for each day with postings. Postings never change, so a day that is over keeps its totals. A help for reading, no
-- part of the books.
create table ledger_day (
  account text not null,
  until timestamptz not null,
  debit_pence bigint not null,
  credit_pence bigint not null,
  primary key (account, until)
);

-- Every day that ended by then is closed.
create table ledger_closing (
  singleton boolean primary key default true check (singleton),
  closed_until timestamptz not null
);
insert into ledger_closing (closed_until) values ('epoch');
