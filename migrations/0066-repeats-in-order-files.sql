-- runs in steps
-- By what an order of a file is known again when the file is read with another prefix or by another number.
alter table order_file
  -- SHA-256 of the text: null for files of before, and once an order of the file was erased.
  add column if not exists content_hash bytea,
  -- Whether the account has said that orders which were placed under another number are to be placed again.
  add column if not exists places_repeats boolean not null default false;
-- The number in the shop, without the prefix; null where the file gives none, and in files of before.
alter table order_file_order add column if not exists shop_number text;
create index concurrently if not exists order_file_order_shop_number on order_file_order (account_id, shop_number)
  where order_id is not null and shop_number is not null;
