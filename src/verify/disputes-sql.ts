import type { Invariant } from './invariant.ts';

// Payments of which money came back, with what their disputes have booked. `is_behind`: the version before this one has
// booked a dispute since, and only the row of the payment says so; its row of a dispute is made with the next report.
const PAYMENTS = `
  booked as (
    select attempt_id, account_id, sum(booked_withdrawn_pence) as taken, sum(booked_reinstated_pence) as back,
      sum(greatest(0, withdrawn_pence - case when state = 'won' and reinstated_pence = 0 then withdrawn_pence else reinstated_pence end))
        as reported,
      array_agg(dispute_id) filter (where booked_withdrawn_pence > booked_reinstated_pence) as open,
      array_agg(dispute_id) as known
    from payment_dispute group by attempt_id, account_id
  ),
  payments as (
    select a.id, a.order_id, a.state, a.amount_pence, coalesce(b.taken, 0) as taken, coalesce(b.back, 0) as back,
      coalesce(b.reported, 0) as reported, coalesce(a.returned_pence, 0) + a.returned_before_pence as returned,
      not array_remove(a.past_disputes || a.dispute_id, null) <@ array_append(coalesce(b.known, '{}'), 'several')
        or (a.past_disputes || case when a.won_at is null then '{}' else array[a.dispute_id] end) && coalesce(b.open, '{}') as is_behind
    from payment_attempt a left join booked b on b.attempt_id = a.id and b.account_id = a.account_id
    where a.returned_at is not null or a.returned_before_pence > 0 or b.attempt_id is not null
  )`;

/** What `platen verify` checks of disputes: their rows against payments and postings. */
export const DISPUTES_INVARIANTS: readonly Invariant[] = [
  {
    name: 'what the disputes of a payment have taken came back of it, and is what was reported, up to the payment',
    query: `with ${PAYMENTS}
      select 'payment ' || id || ' of ' || amount_pence || ' has ' || returned || ' come back, ' || taken || ' taken and ' || back
             || ' given back by its disputes, ' || reported || ' reported as taken'
      from payments
      -- What no dispute has taken came back with a failure, which leaves nothing of the payment.
      where not is_behind and (taken > returned or (taken < returned and returned - back <> amount_pence) or taken - back > amount_pence
        or (state <> 'succeeded' and taken > 0)
        or (state = 'succeeded' and taken = returned and taken - back <> least(reported, amount_pence)))`,
  },
  {
    name: 'what disputes have given back is posted so',
    query: `with ${PAYMENTS}
      select 'order ' || o.reference || ' has ' || p.back || ' given back by disputes and ' || coalesce(posted.sum, 0) || ' posted'
      from (select order_id, sum(back) as back, bool_or(is_behind) as is_behind from payments group by order_id) p
      join orders o on o.id = p.order_id
      left join (
        select order_id, sum(amount_pence) as sum from posting
        where kind in ('charge_recovered', 'top_up') and debit_account in ('card_clearing', 'direct_debit_clearing')
        group by order_id
      ) posted on posted.order_id = p.order_id
      where not p.is_behind and p.back <> coalesce(posted.sum, 0)`,
  },
];
