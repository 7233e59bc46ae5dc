-- runs in steps
-- The entries of a file that have the number of an order: an erasure of the order clears them, too.
create index concurrently if not exists order_file_order_reference on order_file_order (account_id, external_reference)
  where external_reference <> '';
