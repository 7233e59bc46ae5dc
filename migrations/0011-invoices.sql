-- Invoices and credit notes, of one series without gaps. Frozen when they are issued: each shows what it showed,
-- whatever becomes of the account or the price book.

-- The next number of the series. It is taken and used in one statement, so no number is ever missing.
create table invoice_series (
  singleton boolean primary key default true check (singleton),
  next_number bigint not null
);
insert into invoice_series (next_number) values (1);

create function invoice_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'invoices are never changed or deleted: issue a credit note';
end
$$;

create table invoice (
  account_id uuid not null,
  order_id uuid not null,
  number bigint not null unique,
  document json not null,
  issued_at timestamptz not null,
  primary key (account_id, order_id),
  foreign key (account_id, order_id) references orders
);
create trigger invoice_is_final before update or delete or truncate on invoice
  for each statement execute function invoice_is_final();

create table credit_note (
  account_id uuid not null,
  order_id uuid not null,
  credit_id uuid not null,
  number bigint not null unique,
  document json not null,
  issued_at timestamptz not null,
  primary key (account_id, order_id, credit_id),
  foreign key (account_id, order_id) references orders
);
create trigger credit_note_is_final before update or delete or truncate on credit_note
  for each statement execute function invoice_is_final();

-- How far invoices have been issued: orders that were paid when they were placed by their ids, the others by when
-- they were paid.
create table invoicing (
  singleton boolean primary key default true check (singleton),
  placed_through uuid not null,
  paid_through timestamptz not null
);
insert into invoicing (placed_through, paid_through)
values ('00000000-0000-0000-0000-000000000000', 'epoch');
