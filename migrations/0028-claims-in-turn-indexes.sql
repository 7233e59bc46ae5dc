-- runs in steps
-- The lines in which jobs wait, one for each account and tier.
create index concurrently if not exists job_in_turn on job (kind, tier, account_id, ranked_at, id)
  where failed_at is null and lease_token is null and not parked;
-- Those that stand in no line: they run, or are parked.
create index concurrently if not exists job_away on job (kind, run_at)
  where failed_at is null and (lease_token is not null or parked);
-- How many of an account run.
create index concurrently if not exists job_running on job (kind, account_id)
  where failed_at is null and lease_token is not null;
-- The age of what should not wait: the last tier may.
create index concurrently if not exists job_due_first on job (kind, run_at) where failed_at is null and tier < 2;
-- A print file that waited through the upgrade waits in the line of its account.
-- in batches
with page as (
  select id, key from job where kind = 'normalise_artwork' and id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  order by id limit $2
), done as (
  update job j set account_id = f.account_id from page p join print_file f on f.key = decode(p.key, 'hex')
  where j.id = p.id and j.account_id = '00000000-0000-0000-0000-000000000000'
)
select (select id::text from page order by id desc limit 1) as next, count(*) as rows from page;
