-- What lies outside of the database and must be the one that belongs to it: the ledger of erasures, the stored files, the backups.

-- Set while a lost ledger is begun anew (platen erasures begin-ledger): nothing starts until that has ended.
alter table erasure_replay add column begun_anew_at timestamptz;

-- The entries of a ledger that is lost with its key mean nothing any more: only the command that begins it anew removes them, and
-- a database that was restored from before.
create or replace function erasure_ledger_is_final() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.position, new.at, new.scope, new.erasure_id, new.hash, new.mac)
    is not distinct from (old.position, old.at, old.scope, old.erasure_id, old.hash, old.mac) then
    return new;
  end if;
  if tg_op = 'DELETE' and coalesce(current_setting('platen.ledger_anew', true), '') = 'on' then
    return old;
  end if;
  raise exception 'the ledger of erasures is never changed or deleted';
end
$$;

-- Which store the files of this database are in: the id that its marker file has. No row before the first start with a store.
create table blob_store (
  is_only_row boolean primary key default true check (is_only_row),
  id uuid not null,
  began_at timestamptz not null
);

-- The last backup that was taken whole, for the metric of its age. No row before the first.
create table backup_taken (
  is_only_row boolean primary key default true check (is_only_row),
  taken_at timestamptz not null
);
