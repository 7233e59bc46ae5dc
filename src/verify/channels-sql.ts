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
  {
    name: 'every placed order of a linked shop is reported to it, and what was reported are parcels of that order',
    query: `select 'shop order ' || s.id || ' has no report'
      from channel_order s join channel_link l on l.account_id = s.account_id and l.channel_id = s.channel_id
      where s.state = 'placed' and not exists (
        select from channel_report r where r.account_id = s.account_id and r.shop_order_id = s.id)
      union all
      select 'the report of shop order ' || r.shop_order_id || ' names parcel ' || t.parcel || ', which its order does not have'
      from channel_report r
        join channel_order s on s.account_id = r.account_id and s.id = r.shop_order_id
        cross join lateral jsonb_object_keys(coalesce(r.reported -> 'parcels', '{}')) as t(parcel)
      where not exists (
        select from shipment p where p.account_id = s.account_id and p.order_id = s.order_id
          and p.id::text = t.parcel)
      union all
      select 'the shop of order ' || r.shop_order_id || ' knows ' || (
               select count(*) from jsonb_object_keys(coalesce(r.reported -> 'parcels', '{}')))
             || ' parcels, its order has ' || count(p.id) || ', and nothing is due'
      from channel_report r
        join channel_order s on s.account_id = r.account_id and s.id = r.shop_order_id
        join shipment p on p.account_id = s.account_id and p.order_id = s.order_id
      where r.due_at is null and r.failed_at is null
      group by r.account_id, r.shop_order_id, r.reported
      having count(p.id) <> (select count(*) from jsonb_object_keys(coalesce(r.reported -> 'parcels', '{}')))`,
  },
];
