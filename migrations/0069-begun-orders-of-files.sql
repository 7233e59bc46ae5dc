alter table order_file_order
  -- When a worker first began to place it: an order of its number that is older came from elsewhere.
  add column begun_at timestamptz,
  -- Whether its order was not paid when it was placed.
  add column is_unpaid boolean not null default false;
