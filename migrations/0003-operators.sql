-- The people of the print shop, what they did, and what they have to look at.

create table operator (
  id uuid primary key,
  -- In lower case, which makes it unique in any case.
  email text not null unique,
  password_hash text not null,
  role text not null check (role in ('viewer', 'production', 'finance', 'admin')),
  created_at timestamptz not null,
  disabled_at timestamptz
);

create table operator_token (
  id uuid primary key,
  operator_id uuid not null references operator,
  token_hash bytea not null unique,
  created_at timestamptz not null,
  revoked_at timestamptz
);
create index operator_token_operator on operator_token (operator_id);

-- The audit log: every action of an operator, written in the transaction of its effect. The key makes a repeat
-- harmless, the hash of the request tells a repeat from another request with the same key, and the subject is what a
-- repeat is answered with.
create table operator_action (
  id uuid primary key,
  operator_id uuid not null references operator,
  action text not null,
  order_id uuid,
  subject_id uuid,
  detail json not null,
  idempotency_key text collate "C",
  request_hash bytea not null,
  created_at timestamptz not null
);
create unique index operator_action_key on operator_action (operator_id, idempotency_key) where idempotency_key is not null;
create index operator_action_order on operator_action (order_id, id) where order_id is not null;

-- Something that a person has to look at: a returned direct debit, a cancel after a start, artwork that cannot be
-- made.
create table ops_task (
  id uuid not null,
  account_id uuid not null,
  order_id uuid,
  kind text not null,
  note text not null,
  opened_at timestamptz not null,
  closed_at timestamptz,
  -- The id leads: tasks are read by id and by order, never by account.
  primary key (id, account_id)
);
create index ops_task_open on ops_task (id) where closed_at is null;
create index ops_task_order on ops_task (order_id) where closed_at is null and order_id is not null;
