-- runs in steps
-- What the customer sells a variant for, where it is another price than that of the product; null is the product's.
alter table product_variant add column retail_price_pence bigint;
alter table product_variant add constraint product_variant_retail_price check (retail_price_pence >= 0) not valid;
alter table product_variant validate constraint product_variant_retail_price;
-- The products of one status in the gallery of the portal; the archived ones have no other index.
create index concurrently if not exists product_of_status on product (account_id, status, id desc);
