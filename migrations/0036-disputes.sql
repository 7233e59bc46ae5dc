-- runs in steps
-- Disputes of payments, a row each (docs/decisions/0036). Kept as long as the payment: they explain its postings.
create table if not exists payment_dispute (
  account_id uuid not null,
  order_id uuid not null,
  attempt_id uuid not null,
  -- The provider's id. It is unique within the payment: a callback names both.
  dispute_id text not null,
  state text not null check (state in ('open', 'lost', 'won')),
  -- What it took and gave back in all, as the provider reported it. Reports may come in any order: each has the sums
  -- until then, and the largest count.
  withdrawn_pence bigint not null check (withdrawn_pence >= 0),
  reinstated_pence bigint not null check (reinstated_pence >= 0),
  -- Whether the provider listed these amounts; otherwise they are what the dispute is about.
  is_listed boolean not null,
  -- What of it is posted. Less than was reported while the payment is not booked, or where it would be more than it.
  booked_withdrawn_pence bigint not null check (booked_withdrawn_pence >= 0),
  booked_reinstated_pence bigint not null check (booked_reinstated_pence between 0 and booked_withdrawn_pence),
  opened_at timestamptz not null,
  updated_at timestamptz not null,
  -- The order leads the attempt: all of an order is read at once, under its lock.
  primary key (account_id, order_id, attempt_id, dispute_id),
  foreign key (account_id, order_id) references orders,
  foreign key (attempt_id, account_id) references payment_attempt
);
-- The disputes that the row of their payment has named alone until now. Those before the latest were all won: what they
-- took is known as one sum, which stands in the first.
-- in batches
with page as (
  select id, account_id, order_id, amount_pence, created_at, returned_at, returned_pence, returned_before_pence, won_at,
    dispute_id, past_disputes
  from payment_attempt
  where id > coalesce($1::uuid, '00000000-0000-0000-0000-000000000000') order by id limit $2
), won_before as (
  select p.account_id, p.order_id, p.id as attempt_id, past.dispute_id, 'won' as state,
    case when past.place = 1 then p.returned_before_pence else 0 end as withdrawn, p.created_at as opened_at
  from page p cross join lateral unnest(p.past_disputes) with ordinality as past(dispute_id, place)
), latest as (
  select p.account_id, p.order_id, p.id as attempt_id, p.dispute_id, case when p.won_at is null then 'open' else 'won' end as state,
    case when p.returned_at is null then 0 else coalesce(p.returned_pence, p.amount_pence) end as withdrawn,
    coalesce(p.returned_at, p.won_at, p.created_at) as opened_at
  -- `several` is no name: what it stands for has rows already.
  from page p where p.dispute_id is not null and p.dispute_id <> 'several'
), carried as (
  insert into payment_dispute (account_id, order_id, attempt_id, dispute_id, state, withdrawn_pence, reinstated_pence, is_listed,
    booked_withdrawn_pence, booked_reinstated_pence, opened_at, updated_at)
  select account_id, order_id, attempt_id, dispute_id, state, withdrawn, case when state = 'won' then withdrawn else 0 end, false,
    withdrawn, case when state = 'won' then withdrawn else 0 end, opened_at, opened_at
  from (select * from won_before union all select * from latest) as known
  on conflict do nothing
)
select (select id::text from page order by id desc limit 1) as next, count(*) as rows from page;
