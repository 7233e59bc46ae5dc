-- runs in steps
-- Work of an account stands in lines of its own where it comes from several sources, such as its shops: they take turns, so
-- that a backlog of one delays no other. Zeros are the line of all other work, and of what the version before records.
alter table job add column if not exists line uuid not null default '00000000-0000-0000-0000-000000000000';
-- In place of the index without the line (job_in_turn), which goes with a later version: the version before claims by it.
create index concurrently if not exists job_in_line on job (kind, tier, account_id, line, ranked_at, id)
  where failed_at is null and lease_token is null and not parked;
-- Whether a person has said that what buyers enter for an item does not matter. Of none that is known by now: each is asked
-- for once, since what was entered was dropped without a word.
alter table channel_item add column if not exists ignores_entries boolean not null default false;
