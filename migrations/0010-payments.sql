-- Charges by card and direct debit, and what is given back of an order.

-- What is charged once the balance is used up, by the payment provider's own name of it.
create table payment_method (
  account_id uuid primary key references account,
  kind text not null check (kind in ('card', 'direct_debit')),
  provider_reference text not null,
  -- The method's owner at the provider; empty until the provider was asked.
  provider_customer text not null default '',
  updated_at timestamptz not null
);

-- Written before the provider is asked. Its id is the idempotency key there and, once paid, the id of the payment.
create table payment_attempt (
  id uuid not null,
  account_id uuid not null,
  order_id uuid not null,
  method text not null check (method in ('card', 'direct_debit')),
  provider_reference text not null,
  amount_pence bigint not null check (amount_pence > 0),
  state text not null check (state in ('open', 'unknown', 'succeeded', 'failed')),
  -- The provider names it in its callbacks, without the account.
  intent_id text unique,
  reason text not null default '',
  created_at timestamptz not null,
  -- When the sweep looks at it again.
  look_at timestamptz not null,
  settled_at timestamptz,
  -- Set when it has failed, until the balance was tried for its order: a top-up in between passed the order by.
  try_balance_at timestamptz,
  -- When the provider took back what had counted as paid, and how much of it; null for all of it, or for nothing.
  returned_at timestamptz,
  returned_pence bigint,
  -- When returned money was collected after all, or a dispute of it was won. If a dispute is won before its beginning
  -- was reported, `returned_at` stays null: that payment never counted as returned.
  recovered_at timestamptz,
  -- When a dispute was won, which may be after the customer has paid by bank.
  won_at timestamptz,
  -- The dispute that took the money back or was won, if any: a second report of it changes nothing, another dispute
  -- does.
  dispute_id text,
  -- A bank may withdraw a dispute and open another of the right amount: those that were won before, and what they
  -- took.
  past_disputes text[] not null default '{}',
  returned_before_pence bigint not null default 0 check (returned_before_pence >= 0),
  -- The id leads: sweeps and callbacks know no account.
  primary key (id, account_id),
  foreign key (account_id, order_id) references orders,
  check ((state in ('succeeded', 'failed')) = (settled_at is not null)),
  check (try_balance_at is null or state = 'failed'),
  check (returned_at is null or state = 'succeeded'),
  check (returned_pence is null or (returned_at is not null and returned_pence between 1 and amount_pence)),
  check (recovered_at is null or state = 'succeeded'),
  check (won_at is null or recovered_at is not null)
);
-- One at a time: while an order has one under way, nothing else may pay it.
create unique index payment_attempt_under_way on payment_attempt (account_id, order_id) where state in ('open', 'unknown');
create index payment_attempt_order on payment_attempt (order_id, id);
create index payment_attempt_due on payment_attempt (look_at) where state in ('open', 'unknown');
create index payment_attempt_try_balance on payment_attempt (try_balance_at) where try_balance_at is not null;

-- What was charged to an account's card or direct debit. The balance's part stands on the order itself.
create table payment (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  method text not null check (method in ('card', 'direct_debit')),
  amount_pence bigint not null check (amount_pence > 0),
  -- The payment provider's name of it.
  provider_reference text not null,
  paid_at timestamptz not null,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders
);

-- What was given back, or is owed: the balance's part is done at once, the rest is paid by hand.
create table refund (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
  method text not null check (method in ('balance', 'card', 'direct_debit')),
  payment_id uuid,
  -- Null where nothing had been sold: what an order had paid that was never paid in full.
  credit_id uuid,
  amount_pence bigint not null check (amount_pence > 0),
  state text not null check (state in ('done', 'owed')),
  -- Of a payment that was returned in part, what was owed of the rest is paid out like any other, and was not set
  -- off.
  is_paid_out boolean not null default false,
  reason text not null default '',
  actor text not null,
  created_at timestamptz not null,
  done_at timestamptz,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders,
  check ((method = 'balance') = (payment_id is null)),
  check ((state = 'done') = (done_at is not null))
);

-- What is taken back of a sale: a cancelled piece, a whole order, a goodwill. The refunds say which way the money
-- went, this says what it was for, by rate of VAT. Written once, but for `noted_at`.
create table order_credit (
  account_id uuid not null,
  order_id uuid not null,
  id uuid not null,
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
  -- When its credit note was issued.
  noted_at timestamptz,
  primary key (account_id, order_id, id),
  foreign key (account_id, order_id) references orders,
  check (total_pence = net_pence + vat_pence + duty_pence)
);
create index order_credit_to_note on order_credit (id) where noted_at is null;
