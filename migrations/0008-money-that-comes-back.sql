-- Payments that came back and were collected, top-ups beside settled orders, and entries in the order of their times.

-- Top-ups ------------------------------------------------------------------------------------------------------------------

-- What is recorded as received for an order carries that order's reference. It takes none away from top-ups, whose own are unique
-- among themselves. A command of the version before that adds money fails until its checkout is replaced, and can be repeated.
drop index posting_credit_reference;
create unique index posting_credit_reference on posting (account_id, reference)
  where kind = 'top_up' and reference <> '' and order_id is null;

-- Statements ---------------------------------------------------------------------------------------------------------------

-- The time of the latest entry. It stands beside the number of entries, under the lock of the balance, so that the next entry is no
-- earlier: whoever has waited for the lock knows a time that is older than what was posted meanwhile.
alter table account_balance add column last_entry_at timestamptz not null default '-infinity';
update account_balance b set last_entry_at = coalesce((
  select max(p.created_at) from posting p where p.account_id = b.account_id and p.entry is not null), '-infinity');

-- Payments -----------------------------------------------------------------------------------------------------------------

alter table payment_attempt
  -- When the money of a payment that came back was collected after all, or a dispute of it was won. Of a dispute that was won before
  -- its beginning was told of, `returned_at` stays null: that payment never counted as returned.
  add column recovered_at timestamptz,
  -- When a dispute was won, which may be after the customer has paid by bank.
  add column won_at timestamptz,
  -- Set when an attempt has failed, until the balance was tried for its order: a top-up that came meanwhile passed the order by.
  add column try_balance_at timestamptz,
  add check (recovered_at is null or state = 'succeeded'),
  add check (won_at is null or recovered_at is not null),
  add check (try_balance_at is null or state = 'failed');
create index payment_attempt_try_balance on payment_attempt (try_balance_at) where try_balance_at is not null;

-- Accounts -----------------------------------------------------------------------------------------------------------------

-- Operators list accounts by the beginning of the name, in any case.
create index account_name on account (lower(name) collate "C", id);
