-- Files of many orders: uploaded in the portal, checked and priced in the background, placed once they are confirmed.
create table order_file (
  account_id uuid not null references account,
  id uuid not null,
  -- The name and the text of the file, as it was uploaded; both are empty once an order of it was erased.
  name text not null,
  content text not null,
  -- Which column each part of an order is read from, by the number of the column.
  columns jsonb not null,
  -- Stands before each number of the shop, since numbers are unique over all accounts.
  prefix text not null,
  -- Grows when the orders are read anew: a confirmation names the plan that was shown.
  plan integer not null,
  row_count integer not null,
  state text not null check (state in ('unmapped', 'checking', 'ready', 'placing', 'placed')),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  confirmed_at timestamptz,
  -- Files wait for their turn: that of an account comes again once the others had theirs.
  turn_at timestamptz not null,
  lease_token uuid,
  leased_until timestamptz,
  primary key (account_id, id)
);
create index order_file_id on order_file (id);
create index order_file_due on order_file (turn_at, id) where state in ('checking', 'placing');
create index order_file_old on order_file (created_at, id);

create table order_file_order (
  account_id uuid not null,
  file_id uuid not null,
  place integer not null,
  external_reference text not null,
  -- The rows of the file that it is made of, as a spreadsheet numbers them.
  row_numbers integer[] not null,
  -- The request to place it; null where there is none, and once it was placed.
  body jsonb,
  state text not null check (state in ('waiting', 'ready', 'wrong', 'existing', 'placed', 'refused')),
  -- What the plan says, then what it was charged.
  total_pence bigint,
  problems jsonb not null default '[]',
  warnings jsonb not null default '[]',
  -- How often it could neither be checked nor refused.
  attempts integer not null default 0,
  order_id uuid,
  reference text,
  primary key (account_id, file_id, place),
  foreign key (account_id, file_id) references order_file on delete cascade
);
create index order_file_order_state on order_file_order (account_id, file_id, state, place);
create index order_file_order_placed on order_file_order (account_id, order_id) where order_id is not null;

-- The headings that an account last read each part of an order from, and what it put before its numbers.
create table order_file_memory (
  account_id uuid primary key references account,
  headings jsonb not null,
  prefix text not null
);
