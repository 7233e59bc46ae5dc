import type { Invariant } from './invariant.ts';

/** What `platen verify` checks of orders of connected shops. */
export const CHANNELS_INVARIANTS: readonly Invariant[] = [
  {
    name: 'a placed order of a shop is one order here, which came from a shop and has its number',
    query: `select 'shop order ' || s.id || ' is placed as ' || s.order_id || ', whose reference is '
             || coalesce(o.external_reference, '-') || ' and whose source is ' || coalesce(o.source, '-')
      from channel_order s left join orders o on o.account_id = s.account_id and o.id = s.order_id
      where s.state = 'placed' and (o.id is null or o.source <> 'channel'
        or right(o.external_reference, length(s.shop_order_id) + 1) <> ':' || s.shop_order_id)`,
  },
];
