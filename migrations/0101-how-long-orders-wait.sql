-- runs in steps
-- From when on an order of a shop waits, where that is not since it came: since the shop has changed it, or since its
-- day has come. One that waits for too long is ended by this.
alter table channel_order add column if not exists waits_since timestamptz;
-- In place of the index by received_at alone (channel_order_open), which goes with a later version.
create index concurrently if not exists channel_order_waiting on channel_order (coalesce(waits_since, received_at), id)
  where ended_at is null;
