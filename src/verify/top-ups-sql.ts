import type { Invariant } from './invariant.ts';

/** What `platen verify` checks of top-ups by card. */
export const TOP_UPS_INVARIANTS: readonly Invariant[] = [
  {
    name: 'a top-up by card is on the balance once it is paid, and only then',
    query: `select 'top-up ' || t.reference || ' is ' || t.state || ' over ' || t.amount_pence || ' and has '
             || coalesce(p.amount_pence, 0) || ' posted'
      from card_top_up t
      left join posting p on p.account_id = t.account_id and p.reference = t.reference and p.kind = 'top_up'
      where (t.state = 'paid' and coalesce(p.amount_pence, 0) <> t.amount_pence)
        or (t.state <> 'paid' and p.debit_account = 'card_clearing')`,
  },
  {
    name: 'what was taken back of a top-up by card is posted so',
    query: `select 'top-up ' || coalesce(t.reference, p.reference) || ' has ' || coalesce(t.returned_pence, 0) || ' taken back and '
             || coalesce(p.taken, 0) || ' posted'
      from (select account_id, reference, returned_pence from card_top_up where returned_pence > 0) t
      full join (
        select account_id, reference,
          sum(case kind when 'charge_returned' then amount_pence else -amount_pence end) as taken
        from posting where order_id is null and kind in ('charge_returned', 'charge_recovered') group by account_id, reference
      ) p on p.account_id = t.account_id and p.reference = t.reference
      where coalesce(t.returned_pence, 0) <> coalesce(p.taken, 0)`,
  },
];
