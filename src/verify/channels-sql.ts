import type { Invariant } from './invariant.ts';

// The public id of a channel (`src/lib/ids.ts`), once for each: two bits of nothing, then five bits a letter.
const NAMED_CHANNELS = `select c.account_id, c.id, 'chan_' || (
         select string_agg(substr('0123456789abcdefghjkmnpqrstvwxyz', substring(b'00' || c.bits from 5 * n + 1 for 5)::integer + 1, 1), '' order by n)
         from generate_series(0, 25) as n) as name
       from (select account_id, id, ('x' || replace(id::text, '-', ''))::bit(128) as bits from channel) as c`;

/** What `platen verify` checks of orders of connected shops. */
export const CHANNELS_INVARIANTS: readonly Invariant[] = [
  {
    name: 'a placed order of a shop is one order here, which came from a shop and has its number',
    query: `select 'shop order ' || s.id || ' is placed as ' || s.order_id || ', whose reference is '
             || coalesce(o.external_reference, '-') || ' and whose source is ' || coalesce(o.source, '-')
      from channel_order s left join orders o on o.account_id = s.account_id and o.id = s.order_id
        left join (${NAMED_CHANNELS}) as c on c.account_id = s.account_id and c.id = s.channel_id
      where s.state = 'placed' and (o.id is null or o.source <> 'channel'
        or o.external_reference is distinct from c.name || ':' || s.shop_order_id)
      union all
      select 'an item of shop order ' || s.id || ' is line ' || (i.item ->> 'line') || ' of order ' || s.order_id
             || ', which has no such line, or is another item besides'
      from channel_order s cross join lateral jsonb_array_elements(s.items) with ordinality as i(item, n)
      where s.state = 'placed' and i.item ? 'line' and (
        not exists (select from order_line l where l.account_id = s.account_id and l.order_id = s.order_id
          and l.ordinal = (i.item ->> 'line')::integer)
        or exists (select from jsonb_array_elements(s.items) with ordinality as j(item, n)
          where j.item ->> 'line' = i.item ->> 'line' and j.n <> i.n))`,
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
