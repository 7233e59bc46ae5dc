-- runs in steps
-- What the items of uploaded files are that a person has said something of: a variant of a product, or none of ours.
create table if not exists order_file_item (
  account_id uuid not null references account,
  -- The SKU or the title in the shop, with its options.
  key text collate "C" not null,
  title text not null,
  -- Null for what others make.
  product_id uuid,
  variant_sku text,
  set_at timestamptz not null,
  primary key (account_id, key),
  check ((product_id is null) = (variant_sku is null))
);

-- An order of a file whose items are all made by others is left to them.
alter table order_file_order drop constraint order_file_order_state_check,
  add constraint order_file_order_state_check
    check (state in ('waiting', 'ready', 'wrong', 'existing', 'placed', 'refused', 'others')) not valid;
alter table order_file_order validate constraint order_file_order_state_check;
