-- What customers report about pieces that were sent to them, and what the print shop answered.

-- Until when something is to be done: a task of a promise that was made to a customer.
alter table ops_task add column due_at timestamptz;

create table problem (
  account_id uuid not null references account,
  id uuid not null,
  order_id uuid not null,
  kind text not null check (kind in ('damaged', 'wrong_item', 'print_fault', 'missing', 'late', 'lost', 'other')),
  status text not null check (status in ('open', 'replaced', 'refunded', 'refused', 'withdrawn')),
  text text not null,
  -- The caller's own name of the problem: a repeat with it reports nothing anew.
  external_reference text collate "C",
  task_id uuid not null,
  reported_at timestamptz not null,
  answer_due_at timestamptz not null,
  -- When it was answered or withdrawn.
  ended_at timestamptz,
  answer text not null default '',
  answered_by text,
  replacement_id uuid,
  refund_pence bigint check (refund_pence > 0),
  primary key (account_id, id),
  foreign key (account_id, order_id) references orders,
  foreign key (account_id, replacement_id) references orders,
  check ((status = 'open') = (ended_at is null)),
  check ((status = 'replaced') = (replacement_id is not null)),
  check ((status = 'refunded') = (refund_pence is not null)),
  check ((status in ('replaced', 'refunded', 'refused')) = (answered_by is not null))
);
create unique index problem_external_reference on problem (account_id, external_reference)
  where external_reference is not null;
create index problem_of_order on problem (order_id, account_id, id);
create index problem_by_status on problem (account_id, status, id);
create index problem_by_replacement on problem (replacement_id, account_id) where replacement_id is not null;
create index problem_id on problem (id);
create index problem_due on problem (status, answer_due_at, id);

create table problem_line (
  account_id uuid not null,
  problem_id uuid not null,
  order_id uuid not null,
  line_id uuid not null,
  quantity integer not null check (quantity > 0),
  primary key (account_id, problem_id, line_id),
  foreign key (account_id, problem_id) references problem
);
create index problem_line_of_order on problem_line (order_id, account_id);

create table problem_photo (
  account_id uuid not null,
  id uuid not null,
  problem_id uuid not null,
  order_id uuid not null,
  hash bytea not null references blob,
  created_at timestamptz not null,
  -- From when on its time runs; null while the problem is open.
  ended_at timestamptz,
  primary key (id, account_id),
  foreign key (account_id, problem_id) references problem
);
create index problem_photo_of_problem on problem_photo (problem_id, account_id, id);
create index problem_photo_of_order on problem_photo (order_id, account_id);
create index problem_photo_hash on problem_photo (hash, account_id);
create index problem_photo_ended on problem_photo (ended_at, id) where ended_at is not null;
