-- runs in steps
-- For the collection of stored bytes: the pictures of drafts, as 0007-products.sql has those of templates.
create index concurrently if not exists product_draft_designs on product
  using gin (jsonb_path_query_array(template_draft, '$.layers[*].options[*].design')) where template_draft is not null;
create index concurrently if not exists product_personalised_listed on product (account_id, id desc)
  where personalisation is not null and status <> 'archived';
