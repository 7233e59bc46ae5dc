-- runs in steps
-- What receivers answered about an order, which its erasure empties: by the events of the order.
create index concurrently if not exists webhook_delivery_answered on webhook_delivery (account_id, event_id) where answer is not null;
