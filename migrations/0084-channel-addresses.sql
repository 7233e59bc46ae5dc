-- Where a linked shop is. It outlives the link: what a platform asks for its buyers is found by it.
alter table channel add column address text;
update channel c set address = l.address from channel_link l where l.account_id = c.account_id and l.channel_id = c.id;
create index channel_of_address on channel (address) where address is not null;
