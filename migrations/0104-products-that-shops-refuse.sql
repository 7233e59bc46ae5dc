-- runs in steps
-- Since when a shop has refused a product, or answers it badly; null while it does not. One that is in the shop is tried
-- each hour, and failed_at begins anew with each try.
alter table channel_product add column if not exists failing_since timestamptz;
-- in batches
with page as (
  select account_id, id from channel
  where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000')
  order by id limit $2
), noted as (
  update channel_product p set failing_since = p.failed_at from page
  where p.account_id = page.account_id and p.channel_id = page.id and p.failed_at is not null and p.failing_since is null
)
select (select id::text from page order by id desc limit 1) as next, count(*) as rows from page;
create index concurrently if not exists channel_product_failing on channel_product (failing_since) where failing_since is not null;
create index concurrently if not exists channel_product_failing_of_channel on channel_product (channel_id)
  where failing_since is not null;
