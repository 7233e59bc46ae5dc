-- Where a linked shop is. It outlives the link: what a platform asks for its buyers is found by it.
alter table channel add column address text;
