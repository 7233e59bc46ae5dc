-- Counts the changes of a channel's rules and items, so that an order that was looked at meanwhile is looked at again.
alter table channel add column rules_revision bigint not null default 0;
