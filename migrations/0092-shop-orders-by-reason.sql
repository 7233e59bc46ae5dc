-- runs in steps
-- Lists of shops' orders are narrowed to a reason; most orders have none.
create index concurrently if not exists channel_order_of_reason on channel_order (account_id, reason, id) where reason <> '';
create index concurrently if not exists channel_order_of_channel_and_reason on channel_order (account_id, channel_id, reason, id)
  where reason <> '';
create index concurrently if not exists channel_order_of_all_by_reason on channel_order (reason, id) where reason <> '';
