-- Small pictures of print files for the shop's papers, and the collection of stored bytes that nothing uses any more.

alter table print_file add column preview_hash bytea;

-- The collection walks from the longest unused on, and finishes what was begun.
create index blob_last_used on blob (last_used_at, hash);
create index blob_deleting on blob (hash) where deleting;

-- Where bytes may be in use, each found by their hash: the collection looks at them all, and so do foreign keys before a row goes.
-- print_file has a row for each way in which something is printed, not for each order, and is looked at in place of print_job.
create index design_hash on design (hash);
create index product_mockup on product (mockup_hash) where mockup_hash is not null;
create index product_area_design on product_area (design_hash);
create index product_personalisation_designs on product
  using gin (jsonb_path_query_array(personalisation, '$.layers[*].options[*].design')) where personalisation is not null;
create index print_file_design on print_file ((recipe ->> 'designHash')) where recipe ->> 'designHash' is not null;
create index print_file_drawings on print_file
  using gin (jsonb_path_query_array(recipe, '$.drawings[*].designHash')) where recipe ->> 'kind' = 'personalised';
create index print_file_output on print_file (output_hash) where output_hash is not null;
create index print_file_preview on print_file (preview_hash) where preview_hash is not null;
create index order_line_mock on order_line (mock_hash) where mock_hash is not null;
