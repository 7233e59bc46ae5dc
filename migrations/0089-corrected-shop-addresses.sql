-- Whether a person has put the address right: what the shop sends with the address of before does not undo that.
alter table channel_order add column is_corrected boolean not null default false;
