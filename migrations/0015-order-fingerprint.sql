-- What an order was placed with, so that a repeat of its external reference can say what differs.

-- Keyed digests of the parts that nothing else keeps as they were sent: addresses and what each line prints. Null for an
-- order without an external reference, a replacement, and an order that is older than this column. Digests of an
-- address are personal data: whoever erases the address of an order sets this to null.
alter table orders add column fingerprint bytea;
