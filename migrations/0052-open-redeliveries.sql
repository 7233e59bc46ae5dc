-- runs in steps
-- What was asked for again and is still to be sent: an event has one redelivery at a time for a subscription, and an event stays in
-- the log while one of these needs it.
create index concurrently if not exists webhook_delivery_again on webhook_delivery (account_id, event_id, subscription_id)
  where kind in ('redelivery', 'replay') and state in ('pending', 'retrying');
