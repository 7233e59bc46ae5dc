-- How far the deletion of what has reached the end of its time has come (docs/decisions/0032).

-- One row for each walk over something that ends. A worker locks the row for the length of a batch, so that one batch of
-- a walk runs at a time however many nodes there are, and saves the place in the batch's own transaction: a process that
-- dies has either done the batch or not begun it. The rows stay as long as the walk exists.
create table retention_walk (
  name text primary key,
  opened_at timestamptz not null,
  -- Where the pass that is under way goes on; null: the next pass begins at the beginning.
  place text,
  -- When the last pass reached its end.
  completed_at timestamptz,
  -- Rows deleted or emptied in all, and how many of them the daily line of the log has reported.
  dropped bigint not null default 0,
  reported bigint not null default 0,
  -- What is older than this may be gone. `platen verify` asks for nothing older.
  ended_through timestamptz not null default '-infinity'
);

-- When the line of the day was logged last, by whichever node.
create table retention_report (
  is_only_row boolean primary key default true check (is_only_row),
  logged_at timestamptz not null
);
insert into retention_report (logged_at) values ('epoch');

-- Orders that a walk has passed although they keep what they have: a task about them is open, or money is disputed. They
-- are looked at again in each pass, and leave the table when they are done.
create table retention_waiting (
  walk text not null,
  order_id uuid not null,
  account_id uuid not null,
  -- The order leads: the walks know no account.
  primary key (walk, order_id, account_id)
);

-- Orders that were zero-rated because they leave the country, from their payment until the evidence of it is complete.
-- A worker looks at each every few minutes and notes what it lacks.
create table export_watch (
  order_id uuid not null,
  account_id uuid not null,
  -- By when the evidence must be there: three months after the tax point.
  due_at timestamptz not null,
  lacks_dispatch boolean not null,
  lacks_tracking_number boolean not null,
  lacks_declaration boolean not null,
  lacks_invoice boolean not null,
  -- The order leads: it is a list of the orders of all accounts.
  primary key (order_id, account_id)
);
create index export_watch_dispatch on export_watch (order_id) where lacks_dispatch;
create index export_watch_tracking_number on export_watch (order_id) where lacks_tracking_number;
create index export_watch_declaration on export_watch (order_id) where lacks_declaration;
create index export_watch_invoice on export_watch (order_id) where lacks_invoice;

-- Rows of these go every hour, the oldest first. The default, a fifth of the table, would leave a week of them to one
-- long vacuum; this makes it a few short ones a week.
alter table event set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
alter table webhook_delivery set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 10000);
