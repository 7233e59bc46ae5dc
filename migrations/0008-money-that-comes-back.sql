-- Payments that came back and were collected, and entries in the order of their times.

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
  -- How much of it came back; null for all of it, or nothing, as `returned_at` says.
  add column returned_pence bigint,
  -- The dispute that took it back or was won, where there was one: the same told again changes nothing, another is news.
  add column dispute_id text,
  -- A bank may take a dispute back and begin another of the right amount: those that were won before this one, and what they took.
  add column past_disputes text[] not null default '{}',
  add column returned_before_pence bigint not null default 0 check (returned_before_pence >= 0),
  add check (returned_pence is null or (returned_at is not null and returned_pence between 1 and amount_pence)),
  add check (recovered_at is null or state = 'succeeded'),
  add check (won_at is null or recovered_at is not null),
  add check (try_balance_at is null or state = 'failed');
create index payment_attempt_try_balance on payment_attempt (try_balance_at) where try_balance_at is not null;
-- Of a payment that came back in part, what was owed of the rest is paid out like any other, and was not set off.
alter table refund add column is_paid_out boolean not null default false;

-- Accounts -----------------------------------------------------------------------------------------------------------------

-- Operators list accounts by the beginning of the name, in any case.
create index account_name on account (lower(name) collate "C", id);
