-- What customers ask after their cancellation window: that an order is cancelled. And what the print shop answered.
create table cancellation_request (
  account_id uuid not null references account,
  id uuid not null,
  order_id uuid not null,
  -- lapsed: the order was cancelled or dispatched before there was an answer.
  state text not null check (state in ('open', 'accepted', 'refused', 'withdrawn', 'lapsed')),
  reason text not null check (reason in (
    'changed_mind', 'buyer_cancelled', 'ordered_twice', 'wrong_item', 'wrong_address', 'takes_too_long', 'other')),
  text text not null default '',
  task_id uuid not null,
  asked_at timestamptz not null,
  answer_due_at timestamptz not null,
  -- When it was answered, withdrawn or lapsed.
  ended_at timestamptz,
  answer text not null default '',
  answered_by text,
  primary key (account_id, id),
  foreign key (account_id, order_id) references orders,
  check ((state = 'open') = (ended_at is null)),
  check ((state in ('accepted', 'refused')) = (answered_by is not null))
);
create index cancellation_request_of_order on cancellation_request (order_id, account_id, id);
create unique index cancellation_request_open on cancellation_request (order_id, account_id) where state = 'open';
create index cancellation_request_id on cancellation_request (id);
create index cancellation_request_due on cancellation_request (state, answer_due_at, id);
