-- Stock that is promised to lines, and what keeps an order from being made.

-- Pieces of the shelf that are promised to a line. What was consumed cannot be released.
create table allocation (
  account_id uuid not null,
  order_id uuid not null,
  line_id uuid not null,
  sku text not null references stock,
  allocated integer not null check (allocated > 0),
  consumed integer not null default 0 check (consumed >= 0),
  released integer not null default 0 check (released >= 0),
  primary key (account_id, order_id, line_id),
  foreign key (account_id, order_id, line_id) references order_line,
  check (consumed + released <= allocated)
);
create index allocation_sku on allocation (sku) where consumed + released < allocated;

-- What automatic promotion found an order short of. It is tried again once there is enough of each, and not before.
create table promotion_shortage (
  order_id uuid not null,
  sku text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  -- The order leads, here and below: both are lists of the orders of all accounts that need something.
  primary key (order_id, sku, account_id),
  foreign key (account_id, order_id) references orders
);

-- An order whose print file was given up, and the task that reports it; gone once the file is made. The worker that
-- gives a file up has not locked the orders, so there is no foreign key, whose check would.
create table artwork_failure (
  order_id uuid not null,
  print_file_key bytea not null,
  account_id uuid not null,
  task_id uuid not null,
  created_at timestamptz not null,
  primary key (order_id, print_file_key, account_id)
);
create index artwork_failure_file on artwork_failure (print_file_key);
