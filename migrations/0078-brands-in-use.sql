-- runs in steps
alter table account validate constraint account_default_brand;
-- Which revisions orders were placed with, read in the order of the ids: where most orders have one brand, the planner
-- would look for it in the table itself. Orders without a brand are not in it.
create index concurrently if not exists orders_brand_revision on orders ((brand ->> 'revision_id'), account_id, id) where brand is not null;
