-- The books of the shop as operators read them, and who a customer is for VAT.

-- The books ----------------------------------------------------------------------------------------------------------------

-- A statement of a ledger account is read off these two, a side each, in the order of time; and so is what came to an account
-- since the last day that was closed. The amount is in the index, so that a sum does not look at the postings themselves.
create index posting_debit on posting (debit_account, created_at, id) include (amount_pence);
create index posting_credit on posting (credit_account, created_at, id) include (amount_pence);

-- What was debited and credited to an account before a midnight (UTC), from the first posting on: a row for each day on which it
-- moved. Postings are never changed, so a day that is over keeps its totals; they are a help for reading and no part of the books.
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

-- VAT ----------------------------------------------------------------------------------------------------------------------

-- Stands on invoices from then on; an issued invoice keeps the number that it was issued with.
alter table account add column vat_number text not null default '';
