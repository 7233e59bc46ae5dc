-- What every other file builds on: two functions, and the table of background jobs.
--
-- True of all tables:
-- * Money is whole pence. Hashes are SHA-256 in bytea.
-- * Times are handed in by the service (the database's time, read once a use case), so no column has a default of
--   now().
-- * A row that a customer owns has `account_id`. Primary keys, unique constraints and the foreign keys between such
--   rows contain it, so that the tables can be distributed by account. docs/decisions/0016 lists the few exceptions.
-- * `account_id` leads in a primary key, and a table whose rows are also looked up by their id alone has an index
--   `…_id`. It stands at the end where nothing reads by account: then one index serves both.
-- * Rows that placing an order writes in bulk have no foreign key to rows that are never deleted (account,
--   print_file): it would cost a look-up and a lock for each row and guard against nothing.

-- Ends the statement that calls it, and undoes all that the statement has written, when a condition no longer holds.
-- The SQLSTATE says which condition.
create function refuse_unless(condition boolean, state text) returns boolean
language plpgsql volatile as $$
begin
  if condition is not true then
    raise exception 'refused: %', state using errcode = state;
  end if;
  return true;
end
$$;

-- A UUIDv7 (RFC 9562) of a given time, 48 bits of milliseconds before random ones: rows that a statement makes by
-- itself then sort by time, as those do whose ids the service makes. PostgreSQL has its own function from 18 on only.
create function uuid_v7(at timestamptz) returns uuid
language sql volatile as $$
  select encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    placing substring(int8send(floor(extract(epoch from at) * 1000)::bigint) from 3) from 1 for 6), 52, 1), 53, 1), 'hex')::uuid
$$;

create table job (
  id uuid primary key,
  kind text not null,
  -- At most one job of a kind and key waits at a time.
  key text not null,
  payload jsonb not null,
  -- When the job may start; while it runs, when its lease runs out.
  run_at timestamptz not null,
  attempts integer not null default 0,
  lease_token uuid,
  last_error text,
  failed_at timestamptz,
  created_at timestamptz not null,
  unique (kind, key)
);
create index job_due on job (kind, run_at) where failed_at is null;
