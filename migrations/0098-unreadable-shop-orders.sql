-- runs in steps
-- Orders that their shops do not give out, by how long they have waited.
create index concurrently if not exists channel_order_unreadable on channel_order (received_at, id)
  where reason = 'unreadable' and state = 'waiting';
