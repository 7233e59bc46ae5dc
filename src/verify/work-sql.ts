import { LOG_BEGINS } from './ended-sql.ts';
import type { Invariant } from './invariant.ts';

/**
 * What `platen verify` checks of the work: print files, stock, lines and parcels.
 * Each statement reads everything and returns a line of text for each violation.
 */
export const WORK_INVARIANTS: readonly Invariant[] = [
  {
    // An order that has ended keeps its files for a time only, and a replacement is refused once they are gone.
    name: 'every print job that is still to be made has its print file, and every waiting print file its job',
    query: `select 'print job of order ' || j.order_id || ' has no print file' from print_job j
      join orders o on o.account_id = j.account_id and o.id = j.order_id and o.state in ('placed', 'on_hold', 'released', 'in_production')
      left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id where f.key is null
      union all
      select 'print file ' || encode(f.key, 'hex') || ' is pending and nobody makes it' from print_file f
      where f.state = 'pending' and not exists (
        select from job where kind = 'normalise_artwork' and key = encode(f.key, 'hex') and failed_at is null)`,
  },
  {
    name: 'what print files are made of and have become is stored',
    query: `select 'print file ' || encode(f.key, 'hex') || ' needs bytes that are not stored: ' || used.hash
      from print_file f cross join lateral (
        select f.recipe ->> 'designHash' as hash
        union all select encode(f.output_hash, 'hex')
        union all select encode(f.preview_hash, 'hex')
        union all select jsonb_array_elements_text(jsonb_path_query_array(f.recipe, '$.drawings[*].designHash'))
      ) as used
      where used.hash is not null
        and not exists (select from blob b where b.hash = decode(used.hash, 'hex') and not b.deleting)`,
  },
  {
    name: 'stock equals its movements',
    query: `select 'stock of ' || s.sku || ' is ' || s.on_hand || ' with ' || s.allocated || ' allocated, and its movements sum to '
             || coalesce(m.on_hand, 0) || ' and ' || coalesce(m.allocated, 0)
      from stock s left join (
        select sku, sum(quantity) filter (where kind in ('receipt', 'count', 'consume', 'spoil')) as on_hand,
               sum(quantity) filter (where kind in ('allocate', 'release', 'consume')) as allocated
        from stock_movement group by sku
      ) m on m.sku = s.sku
      where s.on_hand <> coalesce(m.on_hand, 0) or s.allocated <> coalesce(m.allocated, 0)`,
  },
  {
    name: 'what is allocated of a variant is promised to lines',
    query: `select 'stock of ' || s.sku || ' has ' || s.allocated || ' allocated, and lines were promised ' || coalesce(a.left_over, 0)
      from stock s left join (
        select sku, sum(allocated - consumed - released) as left_over from allocation group by sku
      ) a on a.sku = s.sku
      where s.allocated <> coalesce(a.left_over, 0)`,
  },
  {
    name: 'what was moved for a line is what its allocation says',
    query: `select 'line ' || a.line_id || ' has ' || a.allocated || ' allocated, ' || a.consumed || ' consumed, ' || a.released
             || ' released, and other movements'
      from allocation a left join (
        select order_id, line_id, sum(quantity) filter (where kind = 'allocate') as allocated,
               -sum(quantity) filter (where kind = 'consume') as consumed,
               -sum(quantity) filter (where kind = 'release') as released
        from stock_movement where line_id is not null group by order_id, line_id
      ) m on m.order_id = a.order_id and m.line_id = a.line_id
      where a.allocated <> coalesce(m.allocated, 0) or a.consumed <> coalesce(m.consumed, 0)
        or a.released <> coalesce(m.released, 0)`,
  },
  {
    // Of a started line only pieces in place of spoiled ones are promised.
    name: 'a line of a promoted order holds its pieces until it starts, and only a started one has taken them',
    query: `select 'line ' || l.id || ' of order ' || o.reference || ' (' || o.state || ') has ' || coalesce(a.left_over, 0)
             || ' promised and ' || coalesce(a.consumed, 0) || ' taken'
      from orders o join order_line l on l.account_id = o.account_id and l.order_id = o.id left join (
        select order_id, line_id, allocated - consumed - released as left_over, consumed, for_spoiled from allocation
      ) a on a.order_id = l.order_id and a.line_id = l.id
      where (coalesce(a.consumed, 0) > 0 and l.started_at is null)
        or (coalesce(a.left_over, 0) > coalesce(a.for_spoiled, 0) and l.started_at is not null)
        or (coalesce(a.left_over, 0) > l.quantity - l.quantity_cancelled - l.quantity_shipped)
        or (coalesce(a.left_over, 0) > 0 and o.state not in ('released', 'in_production', 'on_hold'))
        or (o.state in ('released', 'in_production') and l.started_at is null
            and coalesce(a.left_over, 0) <> l.quantity - l.quantity_cancelled - l.quantity_shipped)`,
  },
  {
    name: 'no more pieces of a line are shipped and cancelled, or done, than there are, and each spoiled one was taken from stock or promised',
    query: `select 'line ' || l.id || ' of ' || l.quantity || ' has ' || l.quantity_cancelled || ' cancelled, ' || l.quantity_shipped
             || ' shipped, ' || l.quantity_spoiled || ' spoiled, ' || coalesce(m.spoiled, 0) || ' taken for these and '
             || coalesce(a.for_spoiled, 0) || ' promised'
      from order_line l left join (
        select order_id, line_id, -sum(quantity) as spoiled from stock_movement where kind = 'spoil' group by order_id, line_id
      ) m on m.order_id = l.order_id and m.line_id = l.id
      left join allocation a on a.account_id = l.account_id and a.order_id = l.order_id and a.line_id = l.id
      where l.quantity_cancelled + l.quantity_shipped > l.quantity
        or l.quantity_spoiled <> coalesce(m.spoiled, 0) + coalesce(a.for_spoiled, 0)
        or exists (select from print_job j
          where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id and j.quantity_done > l.quantity)`,
  },
  {
    // What a started line needs was taken and not spoiled, or it is allocated, or the line is short of it. Pieces
    // that were cancelled after their start may be left over.
    name: 'the pieces that a started line needs are taken, allocated or short, and no short line waits for blanks that are free',
    query: `select 'line ' || l.id || ' of order ' || o.reference || ' needs ' || l.quantity - l.quantity_cancelled || ' and has '
             || a.consumed + coalesce(m.spoiled, 0) - l.quantity_spoiled || ' taken, ' || a.left_over - a.short
             || ' allocated and ' || a.short || ' short'
      from order_line l
      join orders o on o.account_id = l.account_id and o.id = l.order_id and o.state = 'in_production'
      join (
        select account_id, order_id, line_id, consumed, short, short_since, allocated - consumed - released as left_over from allocation
      ) a on a.account_id = l.account_id and a.order_id = l.order_id and a.line_id = l.id
      left join (
        select order_id, line_id, -sum(quantity) as spoiled from stock_movement where kind = 'spoil' group by order_id, line_id
      ) m on m.order_id = l.order_id and m.line_id = l.id
      where l.started_at is not null and (a.short > a.left_over or (a.left_over > 0 and a.short_since is null)
        or a.consumed + coalesce(m.spoiled, 0) - l.quantity_spoiled + a.left_over < l.quantity - l.quantity_cancelled)
      union all
      select 'stock of ' || s.sku || ' has ' || s.on_hand - s.allocated + w.short || ' free, and lines are short of ' || w.short
      from stock s join (
        select sku, sum(least(short, allocated - consumed - released)) as short from allocation
        where short_since is not null group by sku
      ) w on w.sku = s.sku and w.short > 0
      where s.on_hand - s.allocated + w.short > 0`,
  },
  {
    name: 'the shipped pieces of a line are those in its parcels, and each parcel has one event',
    query: `select 'line ' || l.id || ' has ' || l.quantity_shipped || ' shipped and ' || coalesce(i.quantity, 0) || ' in parcels'
      from order_line l left join (
        select order_id, line_id, sum(quantity) as quantity from shipment_item group by order_id, line_id
      ) i on i.order_id = l.order_id and i.line_id = l.id
      where l.quantity_shipped <> coalesce(i.quantity, 0)
      union all
      select 'order ' || o.reference || ' has ' || coalesce(s.count, 0) || ' parcels and told of ' || coalesce(e.count, 0)
      from orders o
      left join (
        select order_id, count(*) as count, count(*) filter (where shipped_at >= ${LOG_BEGINS}) as recent from shipment group by order_id
      ) s on s.order_id = o.id
      left join (
        select order_id, count(*) as count from event where event = 'order.shipment_created' group by order_id
      ) e on e.order_id = o.id
      where coalesce(e.count, 0) > coalesce(s.count, 0) or coalesce(e.count, 0) < coalesce(s.recent, 0)`,
  },
  {
    name: 'no more pieces are made again than were shipped',
    query: `select 'line ' || l.id || ' has ' || l.quantity_shipped || ' shipped and ' || r.replaced || ' made again'
      from (
        select o.replaces, l.replaces_line, sum(l.quantity - l.quantity_cancelled) as replaced
        from orders o join order_line l on l.account_id = o.account_id and l.order_id = o.id where o.replaces is not null group by 1, 2
      ) r left join order_line l on l.order_id = r.replaces and l.id = r.replaces_line
      where l.id is null or r.replaced > l.quantity_shipped`,
  },
  {
    // What was changed since is added by the overview of stock itself.
    name: 'what waits for promotion is counted, by order and by variant',
    query: `select 'of ' || c.sku || ' ' || coalesce(c.counted, 0) || ' are counted of order ' || c.order_id || ', and '
             || coalesce(c.waiting, 0) || ' wait for its promotion'
      from (
        select order_id, sku, sum(waiting) as waiting, sum(counted) as counted from (
          select o.id as order_id, l.sku, l.quantity - l.quantity_cancelled - l.quantity_shipped as waiting, 0 as counted
          from orders o join order_line l on l.account_id = o.account_id and l.order_id = o.id
          where o.state in ('placed', 'on_hold')
            and not exists (select from allocation a where a.account_id = o.account_id and a.order_id = o.id)
          union all
          select w.order_id, counted.sku, 0, counted.pieces
          from stock_awaiting_order w, unnest(w.skus, w.pieces) as counted(sku, pieces)
        ) as both_sides group by order_id, sku
      ) c join orders o on o.id = c.order_id and o.changed_by < (select counted_before from stock_awaiting_progress)
      where c.waiting <> c.counted
      union all
      select 'of ' || sku || ' ' || sum(pieces) || ' wait for promotion, and ' || sum(counted) || ' are counted of the orders'
      from (
        select sku, pieces, 0 as counted from stock_awaiting
        union all
        select counted.sku, 0, counted.pieces from stock_awaiting_order w, unnest(w.skus, w.pieces) as counted(sku, pieces)
      ) as both_sides group by sku having sum(pieces) <> sum(counted)`,
  },
  {
    name: 'what is still to be printed is on the list of its station',
    query: `select 'print job ' || j.ordinal || ' of line ' || l.id || ' of order ' || o.reference || ' is on no list'
      from print_job j
      join orders o on o.account_id = j.account_id and o.id = j.order_id and o.state in ('released', 'in_production')
      join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
      where (not j.is_open or j.promoted_at is null or j.station is null)
        and l.quantity - l.quantity_cancelled > greatest(j.quantity_done, l.quantity_shipped)`,
  },
];
