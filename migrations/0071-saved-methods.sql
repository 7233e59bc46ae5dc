-- A card or direct debit that people of an account save on a page of the payment provider. As with top-ups, a row is written before
-- the provider is asked, its id is the idempotency key there, and nobody has the address of a page whose id is not stored yet.
create table method_saving (
  id uuid not null,
  account_id uuid not null references account,
  -- Who began it: the audit log names them when the method is saved, whoever learns of it.
  user_id uuid not null,
  -- Chosen by whoever asked: the same request again is the same saving.
  request_key text not null,
  kind text not null check (kind in ('card', 'direct_debit')),
  state text not null check (state in ('open', 'saved', 'ended')),
  -- The provider names it in its callbacks, without the account.
  page_id text unique,
  created_at timestamptz not null,
  -- The page saves nothing after this.
  ends_at timestamptz not null,
  -- When the sweep looks at it again; null once nothing is left to do. After a saved one, waiting orders are still to be charged.
  look_at timestamptz,
  ended_at timestamptz,
  primary key (id, account_id),
  unique (account_id, request_key),
  check ((state = 'open') = (ended_at is null)),
  check (state <> 'open' or look_at is not null),
  check (state <> 'saved' or page_id is not null)
);
create index method_saving_open on method_saving (account_id) where state = 'open';
create index method_saving_saved on method_saving (account_id, id) where state = 'saved';
create index method_saving_due on method_saving (look_at) where look_at is not null;
create index method_saving_ended on method_saving (ended_at, id) where ended_at is not null;

-- How the provider describes the method, as "Visa ending in 4242", and the last day on which a card is good.
alter table payment_method add column label text not null default '', add column expires_on date;
