-- The days of the books follow the seller's time zone. The version before goes on closing days of UTC in `ledger_day`
-- and would count an hour twice over days of another length, so the new days have tables of their own. Both are sums of
-- postings, which never change.

-- From when on days are those of the seller, and until when they are closed. Before `begins_at`, the end of the last
-- day that was closed when this was added, days are those of UTC, and stay so.
create table seller_day (
  singleton boolean primary key default true check (singleton),
  begins_at timestamptz not null,
  -- Recorded by the first start; null until then.
  time_zone text,
  closed_until timestamptz not null
);
insert into seller_day (begins_at, closed_until) select closed_until, closed_until from ledger_closing;

-- As `ledger_day`: what was debited and credited to an account of the ledger from the first posting on until the end of
-- a day, a row for each day with postings. A help for reading, no part of the books, and kept as long as they are.
create table closed_day (
  account text not null,
  until timestamptz not null,
  debit_pence bigint not null,
  credit_pence bigint not null,
  primary key (account, until)
);
