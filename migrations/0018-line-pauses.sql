-- Lines on which work is stopped. They are few at any time, so they have a table of their own: listing them reads no
-- other lines, and pausing one writes none.

create table line_pause (
  account_id uuid not null,
  order_id uuid not null,
  line_id uuid not null,
  code text not null,
  -- Shown to the owner of the order.
  reason text not null,
  opened_at timestamptz not null,
  primary key (account_id, order_id, line_id),
  foreign key (account_id, order_id, line_id) references order_line
);
-- For the list of the orders of all accounts.
create index line_pause_order on line_pause (order_id);
