-- Top-ups by card: on a page of the payment provider, or by the saved card. A row is written before the provider is asked: its id is
-- the idempotency key there. Nobody has the address of a page whose id is not stored yet, and no charge is confirmed before its id is.
create table card_top_up (
  id uuid not null,
  account_id uuid not null references account,
  -- The public form of the id: the reference of its postings.
  reference text not null,
  -- Chosen by whoever asked: the same request again is the same top-up.
  request_key text not null,
  amount_pence bigint not null check (amount_pence > 0),
  origin text not null check (origin in ('page', 'automatic')),
  state text not null check (state in ('open', 'paid', 'expired', 'failed')),
  -- The provider's id of the saved card that is charged; null for a page.
  method_reference text,
  -- The provider names it in its callbacks, without the account.
  page_id text unique,
  -- The payment, once it was made; disputes name it.
  intent_id text unique,
  created_at timestamptz not null,
  -- The page takes no money after this.
  ends_at timestamptz not null,
  -- When the sweep looks at it again; null once nothing is left to do. Of a paid one, orders are still to be settled.
  look_at timestamptz,
  settled_at timestamptz,
  -- By the name of a dispute, or "refunds": what it took, what it gave back, and whether it was won.
  taken_back jsonb not null default '{}',
  -- What of it the books have as taken back, and how much of that the balance did not cover.
  returned_pence bigint not null default 0,
  owed_pence bigint not null default 0,
  primary key (id, account_id),
  unique (account_id, request_key),
  check ((state = 'open') = (settled_at is null)),
  check ((origin = 'automatic') = (method_reference is not null)),
  check (state <> 'paid' or page_id is not null or (origin = 'automatic' and intent_id is not null)),
  check (returned_pence between 0 and amount_pence),
  check (owed_pence between 0 and returned_pence),
  check (returned_pence = 0 or state = 'paid')
);
create index card_top_up_account on card_top_up (account_id, id);
create index card_top_up_open on card_top_up (account_id) where state = 'open';
-- What is topped up by itself within a day is bounded.
create index card_top_up_automatic on card_top_up (account_id, created_at) where origin = 'automatic' and state in ('open', 'paid');
create index card_top_up_due on card_top_up (look_at) where look_at is not null;
create index card_top_up_unpaid on card_top_up (settled_at, id) where state in ('expired', 'failed');
