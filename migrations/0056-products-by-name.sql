-- runs in steps
-- A file of orders names products by their names, or by a variant alone.
create index concurrently if not exists product_named on product (account_id, name) where status <> 'archived';
create index concurrently if not exists product_variant_offering on product_variant (account_id, sku);
