-- runs in steps
-- Personal data is erased on request (docs/decisions/0031).

-- What belongs to a recipient stands in the row of the order. Once it is erased, the country of its addresses is left,
-- and the territory by which its VAT was decided.
alter table orders
  add column if not exists erased_at timestamptz,
  add column if not exists vat_territory text;

-- What is to be erased, and what came of it: kept as evidence, without personal data.
create table if not exists erasure (
  account_id uuid not null,
  id uuid not null,
  scope text not null check (scope in ('order', 'recipient', 'account')),
  -- A keyed hash of what was named, as in the ledger of erasures.
  subject bytea not null,
  -- `listing` until its ledger has it: then it is carried out, whatever happens.
  state text not null check (state in ('listing', 'erasing', 'done')),
  -- How far the orders of a whole account are listed; null for the other scopes.
  listed_through uuid,
  orders_erased integer not null default 0,
  files_removed integer not null default 0,
  requested_at timestamptz not null,
  done_at timestamptz,
  primary key (account_id, id),
  check ((state = 'done') = (done_at is not null))
);
create index if not exists erasure_subject on erasure (subject, id);
create index if not exists erasure_id on erasure (id);
create index if not exists erasure_open on erasure (id) where state <> 'done';

-- The orders that are still to be erased: at once, or when they have ended. Rows go as they are done.
create table if not exists erasure_order (
  account_id uuid not null,
  erasure_id uuid not null,
  order_id uuid not null,
  -- The order leads: the queue is in the order of orders.
  primary key (order_id, erasure_id, account_id),
  foreign key (account_id, erasure_id) references erasure
);
create index if not exists erasure_order_of on erasure_order (erasure_id, order_id);

-- Stored files that only erased orders had. Rows go as they are done.
create table if not exists erasure_file (
  account_id uuid not null,
  erasure_id uuid not null,
  hash bytea not null,
  -- When the erased order itself used it last: if nothing did since, it can go at once.
  used_at timestamptz,
  primary key (hash, erasure_id, account_id),
  foreign key (account_id, erasure_id) references erasure
);
create index if not exists erasure_file_of on erasure_file (erasure_id, hash);

-- The ledger of erasures, as the file has it: append-only, kept for as long as there are backups to restore.
create table if not exists erasure_ledger (
  position bigint primary key,
  at timestamptz not null,
  scope text not null,
  erasure_id uuid not null,
  hash bytea not null,
  mac bytea not null,
  -- False for an entry that this database did not know and that is still to be carried out in it.
  is_replayed boolean not null
);
create index if not exists erasure_ledger_hash on erasure_ledger (hash);
create index if not exists erasure_ledger_to_replay on erasure_ledger (position) where not is_replayed;

create or replace function erasure_ledger_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.position, new.at, new.scope, new.erasure_id, new.hash, new.mac)
    is not distinct from (old.position, old.at, old.scope, old.erasure_id, old.hash, old.mac) then
    return new;
  end if;
  raise exception 'the ledger of erasures is never changed or deleted';
end
$$;
create or replace trigger erasure_ledger_is_final before update or delete on erasure_ledger
  for each row execute function erasure_ledger_is_final();

-- How far the entries of the ledger up to a position are carried out in a restored database. Its lock orders those who append.
create table if not exists erasure_replay (
  singleton boolean primary key default true check (singleton),
  up_to_position bigint not null default 0,
  orders_through uuid not null default '00000000-0000-0000-0000-000000000000',
  accounts_through uuid not null default '00000000-0000-0000-0000-000000000000'
);
insert into erasure_replay (singleton) values (true) on conflict do nothing;

-- Documents and movements of stock stay as they are, but for the person that they name: a transaction that erases says so.
create or replace function is_erasing() returns boolean
language sql stable as $$
  select coalesce(current_setting('platen.erasing', true), '') = 'on'
$$;

create or replace function invoice_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_erasing() then
    return null;
  end if;
  raise exception 'invoices are never changed or deleted: issue a credit note';
end
$$;

-- Numbers, dates, lines and amounts stay to the penny. The line of a goodwill repeated its reason in earlier versions.
create or replace function lines_without_words(document json) returns jsonb language sql immutable as $$
  select jsonb_agg(line - 'description') from jsonb_array_elements(document::jsonb -> 'lines') as line
$$;
create or replace function only_the_person_is_erased() returns trigger language plpgsql as $$
begin
  if (to_jsonb(new) - 'document') is distinct from (to_jsonb(old) - 'document')
    or (new.document::jsonb - 'customer' - 'deliver_to' - 'reason' - 'lines')
      is distinct from (old.document::jsonb - 'customer' - 'deliver_to' - 'reason' - 'lines')
    or lines_without_words(new.document) is distinct from lines_without_words(old.document) then
    raise exception 'an erasure takes the person out of a document and nothing else';
  end if;
  return new;
end
$$;
create or replace trigger invoice_only_the_person before update on invoice
  for each row execute function only_the_person_is_erased();
create or replace trigger credit_note_only_the_person before update on credit_note
  for each row execute function only_the_person_is_erased();

create or replace function stock_movement_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and is_erasing() then
    return null;
  end if;
  raise exception 'stock movements are never changed or deleted: record a count';
end
$$;
create or replace function only_the_reason_is_erased() returns trigger language plpgsql as $$
begin
  if (to_jsonb(new) - 'reason') is distinct from (to_jsonb(old) - 'reason') or new.reason <> '' then
    raise exception 'an erasure empties the reason of a movement and nothing else';
  end if;
  return new;
end
$$;
create or replace trigger stock_movement_only_the_reason before update on stock_movement
  for each row execute function only_the_reason_is_erased();

-- What an erasure looks up by its order, or by the print file that orders share.
create index concurrently if not exists print_job_file on print_job (print_file_key, order_id);
create index concurrently if not exists operator_action_subject on operator_action (subject_id) where subject_id is not null;
create index concurrently if not exists ops_task_of_order on ops_task (order_id) where order_id is not null;
create index concurrently if not exists stock_movement_order on stock_movement (order_id) where order_id is not null and reason <> '';

-- Recipients are found by phone and e-mail, too. Orders up to `contacts_until` are made findable so by the worker: those
-- of before, and those of a day in which the version before may still run.
alter table order_search drop constraint order_search_kind_check,
  add constraint order_search_kind_check
    check (kind in ('recipient', 'postcode', 'external_reference', 'amount', 'phone', 'email', 'other_postcode')) not valid;
alter table order_search validate constraint order_search_kind_check;
alter table order_search_progress
  add column if not exists contacts_through uuid not null default '00000000-0000-0000-0000-000000000000',
  add column if not exists contacts_until uuid not null default '00000000-0000-0000-0000-000000000000';
update order_search_progress set contacts_until = uuid_v7(now() + interval '1 day')
where contacts_until = '00000000-0000-0000-0000-000000000000';
