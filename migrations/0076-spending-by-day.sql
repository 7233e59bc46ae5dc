-- What an account was invoiced and credited, by the day of the tax point: sums of documents, which never change. A help for reading, and
-- kept as long as the documents are.
create table spending_day (
  account_id uuid not null,
  day date not null,
  products_pence bigint not null,
  setup_pence bigint not null,
  shipping_pence bigint not null,
  vat_pence bigint not null,
  duty_pence bigint not null,
  -- Of credit notes, VAT and duty included.
  refunded_pence bigint not null,
  invoices integer not null,
  credit_notes integer not null,
  primary key (account_id, day)
);

-- The last document that is summed. Numbers have no gaps and are given under one lock, so no document with a lower number comes later.
create table spending_progress (
  singleton boolean primary key default true check (singleton),
  counted_through bigint not null
);
insert into spending_progress (counted_through) values (0);
