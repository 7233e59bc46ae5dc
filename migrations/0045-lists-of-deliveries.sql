-- runs in steps
-- The deliveries of a subscription, each kind of event and each state a range of its own, so that a rare one is found
-- without a walk over the frequent ones.
create index concurrently if not exists webhook_delivery_listed on webhook_delivery (subscription_id, event, state, id);
alter table webhook_delivery validate constraint webhook_delivery_kind_check;
