-- What a shop sent of an order after it was placed, until that is done here; and digests of the parts of what was sent
-- before, which say what of it is another.
alter table channel_order add column later jsonb;
alter table channel_order add column parts jsonb;
-- The shop's own id of the order that this one adds pieces to; its own id is that with a number after it.
alter table channel_order add column supplement_of text collate "C";
