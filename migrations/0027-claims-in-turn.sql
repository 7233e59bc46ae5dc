-- What workers claim goes in turn by account, and print files by how near their orders are to production.

-- A job of the version before, which knows none of these, waits in the line of the account of zeros and in the middle
-- tier: 0 is made first, 2 only when nothing better waits. Within a line the lowest `ranked_at` is next. A job that is
-- set back is parked until `run_at` and stands in no line meanwhile; `setbacks` counts the failures in a row that were
-- none of its own.
alter table job
  add column account_id uuid not null default '00000000-0000-0000-0000-000000000000',
  add column tier smallint not null default 1,
  add column ranked_at timestamptz not null default '1970-01-01T00:00:00Z',
  add column parked boolean not null default false,
  add column setbacks integer not null default 0;

-- When the last order that needed the file was cancelled before it was made: the state is `failed` then, so that the
-- version before makes it, too, when an order asks for it again.
alter table print_file
  add column dropped_at timestamptz,
  -- Whether `print_file_need` has every order that needs it: not for one that the version before recorded.
  add column tracks_needs boolean not null default false;

-- Which orders wait for a print file that is not made yet, with the tier and rank that each gives it. Rows go once the
-- file is made or the order ends, so the table is as large as what waits.
create table print_file_need (
  account_id uuid not null,
  order_id uuid not null,
  print_file_key bytea not null,
  tier smallint not null,
  ranked_at timestamptz not null,
  primary key (account_id, order_id, print_file_key)
);
create index print_file_need_best on print_file_need (print_file_key, account_id, tier, ranked_at);
