-- The artwork of a print area of a placed order can be replaced where its print file could not be made.

alter table print_job
  -- The design that the print was priced as, and that its setup is charged for, where another is printed in its place.
  add column sold_design_hash bytea,
  add column replaced_at timestamptz;
