-- runs in steps
-- Lines in making that are short of blanks: pieces were spoiled, and no blank was available to make them again
-- (docs/decisions/0037).
--
-- What a line is short of is promised to it: it is part of `allocated` here and in `stock`, so nothing that is received
-- can be sold before the line has it, by a node of the version before neither. That version reads none of these columns.
-- It releases promised pieces when it cancels and leaves `short` as it was, so a line lacks no more than
-- least(short, allocated - consumed - released). The columns stay as long as the order.
alter table allocation
  -- Pieces of `allocated` that stand for spoiled ones: they were promised when no blank was available.
  add column for_spoiled integer not null default 0,
  -- Of the pieces that are neither consumed nor released: for so many there is no blank yet.
  add column short integer not null default 0,
  -- Since when the line was short: its place in the queue for the next blanks. Null once nothing is left to start.
  add column short_since timestamptz,
  -- The task that was opened for the operators.
  add column short_task uuid;
alter table allocation add constraint allocation_short_check check (
  short >= 0 and short <= for_spoiled and for_spoiled <= allocated and (short = 0 or short_since is not null)) not valid;
alter table allocation validate constraint allocation_short_check;
-- Who is next, of all variants, of one, and of one account.
create index concurrently if not exists allocation_short on allocation (short_since, line_id) where short_since is not null;
create index concurrently if not exists allocation_short_of_sku on allocation (sku, short_since, line_id)
  where short_since is not null;
create index concurrently if not exists allocation_short_of_account on allocation (account_id, short_since, line_id)
  where short_since is not null;
