-- runs in steps
create index concurrently if not exists channel_order_supplements on channel_order (account_id, channel_id, supplement_of, id)
  where supplement_of is not null;
-- An erasure looks through what came after orders were placed, too.
create index concurrently if not exists channel_order_changed on channel_order (account_id, id) where later is not null;
