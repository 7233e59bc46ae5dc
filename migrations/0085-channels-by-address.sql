-- runs in steps
create index concurrently if not exists channel_of_address on channel (address) where address is not null;
