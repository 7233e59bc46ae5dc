-- Entries of the books beside those of orders: corrections, balances that are paid out, what is written off, and what the
-- statements of the bank, the payment provider, HMRC and the carriers show. Kept as long as the postings.

create table book_entry (
  id uuid primary key,
  kind text not null,
  -- Above a limit an entry is proposed first, and another person posts or refuses it. A proposal that nobody decides
  -- expires by its age; its row stays.
  state text not null check (state in ('proposed', 'posted', 'refused')),
  amount_pence bigint not null check (amount_pence > 0),
  -- The day on the statement. What is posted is always of today: a closed day never changes.
  value_day date not null,
  reference text not null default '',
  -- The reference while it is in use: null once the entry is refused or wholly corrected.
  held_reference text,
  reason text not null,
  -- The customer and the order that it is about, if any.
  customer_id uuid,
  order_id uuid,
  -- What is posted: [{ account_id, order_id, kind, debit, credit, pence, corrects, reference }].
  plan jsonb not null,
  -- What becomes of the part of a debit that a balance does not cover.
  shortfall text not null check (shortfall in ('refuse', 'receivable')),
  proposed_by uuid references operator,
  proposed_by_name text not null,
  proposed_at timestamptz not null,
  decided_by uuid references operator,
  decided_by_name text,
  decided_at timestamptz,
  decision_reason text not null default '',
  -- Approved by the one who proposed it, which only a shop of one may.
  own_approval boolean not null default false,
  check ((state = 'proposed') = (decided_at is null)),
  check ((decided_at is null) = (decided_by_name is null))
);
create unique index book_entry_reference on book_entry
  (kind, coalesce(customer_id, '00000000-0000-0000-0000-000000000000'), held_reference) where held_reference is not null;
create index book_entry_proposed on book_entry (id) where state = 'proposed';
create index book_entry_customer on book_entry (customer_id, id) where customer_id is not null;

create function book_entry_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    -- Only the hold on its reference ends.
    if old.state = 'proposed' or (to_jsonb(new) - 'held_reference') = (to_jsonb(old) - 'held_reference') then
      return new;
    end if;
  end if;
  raise exception 'entries of the books are never changed or deleted: post a correction';
end
$$;
create trigger book_entry_is_final before update or delete on book_entry
  for each row execute function book_entry_is_final();
create trigger book_entry_stays before truncate on book_entry
  for each statement execute function book_entry_is_final();

-- The entry that a posting belongs to, and the posting that it takes back a part of. Null for postings of orders and for
-- top-ups. The corrected posting is of the same account.
alter table posting
  add column book_entry_id uuid,
  add column corrects_id uuid;

-- Days of the seller that were handed over to the accounting system, each in one journal. A journal is computed from
-- the postings, which never change.
create table book_journal (
  until_day date primary key,
  from_day date not null unique,
  made_by text not null,
  made_at timestamptz not null,
  check (from_day <= until_day)
);
