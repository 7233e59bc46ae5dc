-- Cancelling with a refund, account statements, invoices, and what lists of orders are filtered by.

-- Statements ---------------------------------------------------------------------------------------------------------------

-- Postings that touch a customer's balance are numbered in the order in which they took the balance's lock, and say what it
-- was afterwards: a statement is read off an index, and so is the balance of any time. The balance row counts them.
alter table account_balance add column entries bigint not null default 0;
alter table posting add column entry bigint;
alter table posting add column balance_after_pence bigint;

alter table posting disable trigger posting_is_final;
with numbered as (
  select account_id, id,
         row_number() over (partition by account_id order by id) as entry,
         sum(case when credit_account = 'customer_balance' then amount_pence else -amount_pence end)
           over (partition by account_id order by id) as balance_after_pence
  from posting where 'customer_balance' in (debit_account, credit_account)
)
update posting p set entry = n.entry, balance_after_pence = n.balance_after_pence
from numbered n where p.account_id = n.account_id and p.id = n.id;
update account_balance b set entries = (
  select count(*) from posting p where p.account_id = b.account_id and p.entry is not null);
alter table posting enable trigger posting_is_final;

alter table posting add constraint posting_entry check (
  ('customer_balance' in (debit_account, credit_account)) = (entry is not null)
  and (entry is null) = (balance_after_pence is null)
  and coalesce(balance_after_pence, 0) >= 0);
create unique index posting_statement on posting (account_id, entry) where entry is not null;

-- Orders -------------------------------------------------------------------------------------------------------------------

alter table orders
  -- When the whole total was there; the tax point of the invoice.
  add column paid_at timestamptz,
  -- What of the refund is still to be paid out by hand; `refunded_pence` is what has been.
  add column refund_owed_pence bigint not null default 0,
  -- How many lines it has; a page of orders is cut where its lines become too many.
  add column line_count integer,
  -- Why and since when ops hold the order: code, reason, opened_at.
  add column hold jsonb,
  -- The transaction of the last change. A list by `updated_since` shows nothing that an older transaction, still running,
  -- might yet be missing from.
  add column changed_by xid8 not null default pg_current_xact_id(),
  add constraint orders_refund_owed check (
    refund_owed_pence >= 0 and refunded_pence + refund_owed_pence <= balance_paid_pence + method_paid_pence);
update orders o set line_count = (select count(*) from order_line l where l.order_id = o.id);
alter table orders alter column line_count set not null;
update orders set paid_at = placed_at where balance_paid_pence + method_paid_pence = total_pence and state <> 'awaiting_payment';

-- One index for a state, a type and both: each is a few ranges of it.
create index orders_by_state_and_type on orders (account_id, state, type, id);
drop index orders_by_state;
-- Few orders change later than a week after they were placed; a list by `updated_since` finds those here, and the others among
-- the orders of that week.
create index orders_changed_late on orders (account_id, updated_at) where updated_at - created_at > interval '168 hours';

-- What was charged to an account's card or direct debit. The balance's part stands on the order itself.
create table payment (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  method text not null check (method in ('card', 'direct_debit')),
  amount_pence bigint not null check (amount_pence > 0),
  -- The payment provider's name of it.
  provider_reference text not null,
  paid_at timestamptz not null,
  primary key (order_id, id)
);

-- What was given back, or is owed: the balance's part is done at once, the rest is paid by hand.
create table refund (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  method text not null check (method in ('balance', 'card', 'direct_debit')),
  payment_id uuid,
  amount_pence bigint not null check (amount_pence > 0),
  state text not null check (state in ('done', 'owed')),
  reason text not null default '',
  actor text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (order_id, id),
  check ((method = 'balance') = (payment_id is null)),
  check ((state = 'done') = (done_at is not null))
);

-- Invoices -----------------------------------------------------------------------------------------------------------------

-- The next number of the series. It is taken and used in one statement, so no number is ever missing.
create table invoice_series (
  singleton boolean primary key default true check (singleton),
  next_number bigint not null
);
insert into invoice_series (next_number) values (1);

-- Frozen when it is issued: an invoice shows what it showed, whatever becomes of the account or the price book.
create table invoice (
  order_id uuid primary key references orders,
  account_id uuid not null,
  number bigint not null unique,
  document json not null,
  issued_at timestamptz not null
);
create function invoice_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'invoices are never changed or deleted: issue a credit note';
end
$$;
create trigger invoice_is_final before update or delete or truncate on invoice
  for each statement execute function invoice_is_final();
