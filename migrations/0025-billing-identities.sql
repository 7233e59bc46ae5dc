-- runs in steps
-- Whom an account's invoices are addressed to: its legal identity, and a person to write to about accounts, who is
-- personal data. A row is kept as long as its account, and is removed when the account is erased.
create table account_billing (
  account_id uuid primary key references account,
  legal_name text not null,
  line1 text not null,
  line2 text not null default '',
  city text not null,
  county text not null default '',
  postcode text not null,
  country_code text not null,
  company_number text not null default '',
  contact_name text not null default '',
  contact_email text not null default '',
  updated_at timestamptz not null,
  check ((contact_name = '') = (contact_email = ''))
);

-- Whether an account has such a row: operators list those that lack one.
alter table account add column has_billing boolean not null default false;
create index concurrently if not exists account_without_billing on account (lower(name) collate "C", id) where not has_billing;

-- The documents of a period for operators, of all accounts and of one.
create index concurrently if not exists invoice_issued on invoice (issued_at, number);
create index concurrently if not exists invoice_of_account on invoice (account_id, issued_at, number);
create index concurrently if not exists credit_note_issued on credit_note (issued_at, number);
create index concurrently if not exists credit_note_of_account on credit_note (account_id, issued_at, number);
