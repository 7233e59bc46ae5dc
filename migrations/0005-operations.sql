-- The day of a print shop: operators and what they did, payment by a provider, stock by line, stations, shipments' corrections,
-- credit notes.

-- Operators ----------------------------------------------------------------------------------------------------------------

create table operator (
  id uuid primary key,
  -- In lower case, so that it is unique in any case.
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

-- The audit log: every action of an operator, written in the transaction of its effect. The key makes a repeat harmless, the
-- hash of the request tells a repeat from another request under the same key, and the subject is what a repeat is answered with.
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

-- Something that a person has to look at: a direct debit that came back, a cancel after a start.
create table ops_task (
  id uuid primary key,
  account_id uuid not null,
  order_id uuid,
  kind text not null,
  note text not null,
  opened_at timestamptz not null,
  closed_at timestamptz
);
create index ops_task_open on ops_task (id) where closed_at is null;
create index ops_task_order on ops_task (order_id) where closed_at is null and order_id is not null;

-- Payment ------------------------------------------------------------------------------------------------------------------

-- What is charged once the balance is used up; the provider's own name of it.
create table payment_method (
  account_id uuid primary key references account,
  kind text not null check (kind in ('card', 'direct_debit')),
  provider_reference text not null,
  -- Whom the provider knows as its owner; empty until it was asked.
  provider_customer text not null default '',
  updated_at timestamptz not null
);

-- Written before the provider is asked. Its id is the idempotency key there and, once paid, the id of the payment.
create table payment_attempt (
  id uuid primary key,
  order_id uuid not null references orders,
  account_id uuid not null,
  method text not null check (method in ('card', 'direct_debit')),
  provider_reference text not null,
  amount_pence bigint not null check (amount_pence > 0),
  state text not null check (state in ('open', 'unknown', 'succeeded', 'failed')),
  intent_id text unique,
  reason text not null default '',
  created_at timestamptz not null,
  -- When the sweep looks at it again.
  look_at timestamptz not null,
  settled_at timestamptz,
  -- When the provider took back what had counted as paid.
  returned_at timestamptz,
  check ((state in ('succeeded', 'failed')) = (settled_at is not null)),
  check (returned_at is null or state = 'succeeded')
);
-- One at a time: while an order has one, nothing else may pay it.
create unique index payment_attempt_under_way on payment_attempt (order_id) where state in ('open', 'unknown');
create index payment_attempt_order on payment_attempt (order_id, id);
create index payment_attempt_due on payment_attempt (look_at) where state in ('open', 'unknown');

alter table orders
  -- The attempt that is under way: nothing else pays the order, and it is not cancelled, before its end is known.
  add column attempt_id uuid,
  -- What came for the order when it no longer wanted it, cancelled or paid otherwise: owed to the customer.
  add column unwanted_pence bigint not null default 0 check (unwanted_pence >= 0),
  drop constraint orders_refund_owed,
  -- The first schema's check of refunded_pence alone.
  drop constraint orders_check2,
  add constraint orders_refund_owed check (refunded_pence >= 0 and refund_owed_pence >= 0
    and refunded_pence + refund_owed_pence <= balance_paid_pence + method_paid_pence + unwanted_pence),
  add constraint orders_attempt check (attempt_id is null or state = 'awaiting_payment');

-- Credits ------------------------------------------------------------------------------------------------------------------

-- What is taken back of a sale: the money of a cancelled piece, of a whole order, a goodwill. The refunds say which way the money
-- went, this says what it was for, by rate of VAT; all but `noted_at` is written once.
create table order_credit (
  order_id uuid not null references orders,
  id uuid not null,
  account_id uuid not null,
  kind text not null check (kind in ('cancellation', 'goodwill')),
  reason text not null default '',
  actor text not null,
  -- [{ description, variant_sku, quantity, unit_pence, net_pence }], as the credit note shows it.
  lines jsonb not null,
  -- [{ rate_bp, net_pence, vat_pence }]
  vat_breakdown jsonb not null,
  net_pence bigint not null check (net_pence >= 0),
  vat_pence bigint not null check (vat_pence >= 0),
  duty_pence bigint not null check (duty_pence >= 0),
  total_pence bigint not null check (total_pence > 0),
  created_at timestamptz not null,
  noted_at timestamptz,
  primary key (order_id, id),
  check (total_pence = net_pence + vat_pence + duty_pence)
);
create index order_credit_to_note on order_credit (id) where noted_at is null;

-- Null where nothing had been sold: what an order had paid that was never paid in full.
alter table refund add column credit_id uuid;

-- VAT is owed by its rate from here on, and what was owed before is moved there. An order that was cancelled owes none.
insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, reference, created_at)
select p.account_id, uuid_v7(p.created_at), p.order_id, 'sale', 'vat_owed', 'vat:' || (rate->>'rate_bp'),
       (rate->>'vat_pence')::bigint, p.reference, p.created_at
from posting p
join orders o on o.id = p.order_id
cross join lateral jsonb_array_elements(o.vat_breakdown) as rate
where p.kind = 'sale' and p.credit_account = 'vat_owed' and (rate->>'vat_pence')::bigint > 0
  and not exists (select from posting r where r.order_id = p.order_id and r.kind = 'sale_reversed');

-- All that was refunded until now was all of an order.
insert into order_credit (order_id, id, account_id, kind, actor, lines, vat_breakdown, net_pence, vat_pence, duty_pence,
  total_pence, created_at)
select o.id, uuid_v7(r.created_at), o.account_id, 'cancellation', r.actor,
       jsonb_build_array(jsonb_build_object('description', 'Order ' || o.reference || ', cancelled', 'variant_sku', '',
         'quantity', 1, 'unit_pence', o.total_pence - o.vat_pence - o.duty_pence,
         'net_pence', o.total_pence - o.vat_pence - o.duty_pence)),
       o.vat_breakdown, o.total_pence - o.vat_pence - o.duty_pence, o.vat_pence, o.duty_pence, o.total_pence, r.created_at
from orders o
cross join lateral (select actor, created_at from refund where order_id = o.id order by id limit 1) as r
where o.paid_at is not null and o.total_pence > 0 and o.refunded_pence + o.refund_owed_pence = o.total_pence;
update refund r set credit_id = c.id from order_credit c where c.order_id = r.order_id;

-- Invoices and credit notes ------------------------------------------------------------------------------------------------

-- Of the same series as the invoices. Frozen.
create table credit_note (
  credit_id uuid primary key,
  order_id uuid not null references orders,
  account_id uuid not null,
  number bigint not null unique,
  document json not null,
  issued_at timestamptz not null
);
create index credit_note_order on credit_note (order_id, credit_id);
create trigger credit_note_is_final before update or delete or truncate on credit_note
  for each statement execute function invoice_is_final();

-- How far invoices have been issued: orders that were paid when they were placed by their ids, the others by when they were paid.
create table invoicing (
  singleton boolean primary key default true check (singleton),
  placed_through uuid not null,
  paid_through timestamptz not null
);
insert into invoicing (placed_through, paid_through)
values ('00000000-0000-0000-0000-000000000000', 'epoch');
create index orders_paid_later on orders (paid_at, id) where paid_at > placed_at;

-- Production ---------------------------------------------------------------------------------------------------------------

-- Where print jobs are worked, by method.
create table station (
  id text primary key,
  title text not null,
  methods text[] not null
);

-- Pieces of the shelf that are promised to a line. What was consumed cannot be released.
create table allocation (
  order_id uuid not null,
  line_id uuid not null,
  account_id uuid not null,
  sku text not null references stock,
  allocated integer not null check (allocated > 0),
  consumed integer not null default 0 check (consumed >= 0),
  released integer not null default 0 check (released >= 0),
  primary key (order_id, line_id),
  foreign key (order_id, line_id) references order_line,
  check (consumed + released <= allocated)
);
create index allocation_sku on allocation (sku) where consumed + released < allocated;

alter table order_line
  add column quantity_spoiled integer not null default 0 check (quantity_spoiled >= 0),
  -- On a replacement order: the line whose pieces this one makes again.
  add column replaces_line uuid;
alter table orders
  -- The order that this one makes good for.
  add column replaces uuid references orders,
  drop constraint orders_source_check,
  add constraint orders_source_check check (source in ('api', 'portal', 'channel', 'replacement'));
create index orders_replacing on orders (replaces) where replaces is not null;
-- Operators see the orders of all accounts, by state; automatic promotion takes the oldest whose window has closed.
-- The state is written as an expression, so that the lists of one account, whose order begins with it too, are not read off this.
create index orders_of_state on orders ((state || ''), id);
create index orders_to_promote on orders (cancellable_until, id) where state = 'placed';

-- What automatic promotion found an order short of. It is tried again once there is enough of each, and not before.
create table promotion_shortage (
  order_id uuid not null references orders,
  sku text not null,
  account_id uuid not null,
  created_at timestamptz not null,
  primary key (order_id, sku)
);

-- Movements say what they were for: the delivery note of a receipt, the count sheet. They are the history that stock is the sum of.
alter table stock_movement add column reference text not null default '';
create function stock_movement_is_final() returns trigger language plpgsql as $$
begin
  raise exception 'stock movements are never changed or deleted: record a count';
end
$$;
create trigger stock_movement_is_final before update or delete or truncate on stock_movement
  for each statement execute function stock_movement_is_final();

-- Shipping -----------------------------------------------------------------------------------------------------------------

-- What was declared for a parcel that left the customs territory, as it was then: goods, values, weights. Null for the others.
alter table shipment add column customs json;
