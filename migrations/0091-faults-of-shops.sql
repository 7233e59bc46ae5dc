-- runs in steps
-- Operators look for the linked shops that cannot be read or written.
create index concurrently if not exists channel_link_fault on channel_link (channel_id) where fault is not null;
