import { AUDIT_BEGINS, LOG_BEGINS } from './ended-sql.ts';
import type { Invariant } from './invariant.ts';

/**
 * What `platen verify` checks of orders: their states, histories and events.
 * Each statement reads everything and returns a line of text for each violation.
 */
export const ORDERS_INVARIANTS: readonly Invariant[] = [
  {
    name: 'a cancelled order has its event, and nothing of it is left to make',
    query: `select 'order ' || o.reference || ' is cancelled and has no event of it, or pieces left' from orders o
      where o.state = 'cancelled' and (
        (not exists (select from event e where e.order_id = o.id and e.account_id = o.account_id
                    and e.event = 'order.cancelled') and exists (
          select from order_history h where h.account_id = o.account_id and h.order_id = o.id and h.to_state = 'cancelled'
            and h.from_state is distinct from 'cancelled' and h.created_at >= ${LOG_BEGINS}))
        or exists (select from order_line l where l.account_id = o.account_id and l.order_id = o.id
                   and l.quantity_cancelled + l.quantity_shipped <> l.quantity))`,
  },
  {
    // An order whose first charge is under way has no event yet, and the version 0.
    name: 'every order has as many events as its version says, and its history',
    query: `select 'order ' || o.reference || ' has version ' || o.version || ' and ' || coalesce(e.count, 0) || ' events'
      from orders o left join (
        select order_id, count(*) as count, min(sequence) as first, max(sequence) as last, count(distinct sequence) as distinct_count
        from event where order_id is not null and created_at >= ${LOG_BEGINS} group by order_id
      ) e on e.order_id = o.id
      where e.last <> o.version or e.count <> e.distinct_count or e.count <> e.last - e.first + 1
        or (o.version > 0 and e.count is null and o.last_event_at >= ${LOG_BEGINS})
        or (o.version > 0 and coalesce(e.first, 0) <> 1 and o.placed_at >= ${LOG_BEGINS})
        or not exists (select from order_history h where h.account_id = o.account_id and h.order_id = o.id)`,
  },
  {
    name: 'every order that is older than the search can be found in it',
    query: `select 'order ' || o.reference || ' cannot be found by its amount' from orders o
      where o.id <= (select filled_through from order_search_progress)
        and not exists (select from order_search s where s.account_id = o.account_id and s.order_id = o.id
                        and s.kind = 'amount' and s.term = o.total_pence::text)
      union all
      select 'the search finds order ' || s.order_id || ', which is not there' from order_search s
      where not exists (select from orders o where o.account_id = s.account_id and o.id = s.order_id)`,
  },
  {
    name: 'every paid order has announced that it was created',
    query: `select 'order ' || o.reference || ' is paid and has no order.created' from orders o
      where o.balance_paid_pence + o.method_paid_pence = o.total_pence and o.state <> 'awaiting_payment'
        and o.paid_at >= ${LOG_BEGINS}
        and not exists (select from event e where e.order_id = o.id and e.account_id = o.account_id
                        and e.event = 'order.created')`,
  },
  {
    name: 'every external reference leads to its order',
    query: `select 'reference ' || r.external_reference || ' leads to no order' from order_reference r
      left join orders o on o.id = r.order_id and o.account_id = r.account_id
        and o.external_reference = r.external_reference
      where o.id is null`,
  },
  {
    name: 'an order is dispatched when the last of its pieces has shipped, and then only, and says so once',
    query: `select 'order ' || o.reference || ' is ' || o.state || ' with ' || l.shipped || ' pieces shipped and ' || l.left_over
             || ' left, and told of ' || coalesce(e.count, 0) || ' dispatches'
      from orders o
      join (
        select order_id, sum(quantity_shipped) as shipped, sum(quantity - quantity_cancelled - quantity_shipped) as left_over
        from order_line group by order_id
      ) l on l.order_id = o.id
      left join (
        select order_id, count(*) as count from event where event = 'order.dispatched' group by order_id
      ) e on e.order_id = o.id
      where case when o.state in ('dispatched', 'delivered') then l.left_over > 0 or l.shipped = 0 or coalesce(e.count, 0) > 1
                   or (e.count is null and exists (
                     select from order_history h where h.account_id = o.account_id and h.order_id = o.id and h.to_state = 'dispatched'
                       and h.from_state is distinct from 'dispatched' and h.created_at >= ${LOG_BEGINS}))
                 when o.state = 'cancelled' then coalesce(e.count, 0) > 1
                 else l.left_over = 0 or coalesce(e.count, 0) > 0 end`,
  },
  {
    name: 'what an operator did to an order is in the audit log',
    query: `select 'order ' || o.reference || ': ' || h.action || ' by ' || h.actor || ' is not in the audit log'
      from order_history h join orders o on o.account_id = h.account_id and o.id = h.order_id
      left join (
        select a.order_id as id, 'operator ' || p.email as actor from operator_action a join operator p on p.id = a.operator_id
        union
        select a.subject_id, 'operator ' || p.email from operator_action a join operator p on p.id = a.operator_id
      ) done on done.id = h.order_id and done.actor = h.actor
      where h.actor like 'operator %' and done.id is null and h.created_at >= ${AUDIT_BEGINS}`,
  },
  {
    // A visible row belongs to a transaction that has begun, unless it came in a dump of another server.
    name: 'events and orders are of transactions of this server',
    query: `with next as (
        select ((pg_snapshot_xmax(pg_current_snapshot())::text::bigint + ahead)::text)::xid8 as number from transaction_numbering
      )
      select 'event ' || id || ' is of a transaction that is still to come' from event, next
      where transaction_id >= next.number
      union all
      select 'order ' || reference || ' was changed by a transaction that is still to come' from orders, next
      where changed_by >= next.number`,
  },
  {
    name: 'an order is in the state that its history says, and each move begins where the one before ended',
    query: `select 'order ' || o.reference || ' is ' || o.state || ', and its last move led to ' || coalesce(h.to_state, 'nothing')
      from orders o left join (
        select distinct on (order_id) order_id, to_state from order_history order by order_id, created_at desc, id desc
      ) h on h.order_id = o.id
      where o.state is distinct from h.to_state
      union all
      select 'order ' || o.reference || ': ' || m.action || ' is from ' || coalesce(m.from_state, 'nothing') || ', and the move before led to '
             || coalesce(m.before, 'nothing')
      from (
        select order_id, action, from_state, lag(to_state) over (partition by order_id order by created_at, id) as before
        from order_history
      ) m join orders o on o.id = m.order_id
      where m.from_state is distinct from m.before`,
  },
  {
    // A hold of an order that is held already emits an event with the new reason. A failed charge is a move of its own
    // only where it was tried after placing. An order that was placed unpaid emitted its event then, unless a charge
    // was under way. Moves from before the log may have lost theirs.
    name: 'every public move has its event, and every such event has its move',
    query: `select 'order ' || o.reference || ' has ' || t.moves || ' moves and ' || t.events || ' events of ' || t.event
      from (
        select order_id, event, sum(moves) as moves, sum(recent) as recent, sum(events) as events from (
          select order_id, told.event, case when told.event = 'order.in_production' then least(count(*), 1) else count(*) end as moves,
                 case when told.event = 'order.in_production' then (min(h.created_at) >= ${LOG_BEGINS})::integer
                      else count(*) filter (where h.created_at >= ${LOG_BEGINS}) end as recent,
                 0 as events
          from order_history h cross join lateral (
            select case
              when h.to_state = 'on_hold' and (h.from_state is distinct from 'on_hold' or h.action = 'hold') then 'order.on_hold'
              when h.action = 'payment_failed' then 'order.payment_failed'
              when h.from_state is not distinct from h.to_state then null
              when h.to_state in ('in_production', 'cancelled', 'dispatched') then 'order.' || h.to_state
            end as event
          ) told
          where told.event is not null group by order_id, told.event
          union all
          select h.order_id, 'order.payment_failed', 1, (h.created_at >= ${LOG_BEGINS})::integer, 0
          from order_history h
          where h.action = 'place' and h.to_state = 'awaiting_payment'
            and not exists (select from payment_attempt a where a.account_id = h.account_id and a.order_id = h.order_id and a.created_at <= h.created_at)
          union all
          select order_id, event, 0, 0, count(*) from event
          where event in ('order.on_hold', 'order.in_production', 'order.cancelled', 'order.dispatched', 'order.payment_failed')
          group by order_id, event
        ) as both_sides group by order_id, event
      ) t join orders o on o.id = t.order_id
      where t.events > t.moves or t.events < t.recent`,
  },
  {
    name: 'a paused line has pieces left, and its order is in production',
    query: `select 'line ' || p.line_id || ' of order ' || o.reference || ' (' || o.state || ') is paused with '
             || l.quantity - l.quantity_cancelled - l.quantity_shipped || ' pieces left'
      from line_pause p
      join orders o on o.account_id = p.account_id and o.id = p.order_id
      join order_line l on l.account_id = p.account_id and l.order_id = p.order_id and l.id = p.line_id
      where o.state <> 'in_production' or l.quantity_cancelled + l.quantity_shipped = l.quantity`,
  },
  {
    name: 'a request to cancel is open with its task, and no longer than its order goes on',
    query: `select 'the request ' || r.id || ' about order ' || o.reference || ' (' || o.state || ') is ' || r.state
             || case when t.closed_at is null then ' with an open task' else ' with a closed task' end
      from cancellation_request r
      join orders o on o.account_id = r.account_id and o.id = r.order_id
      left join ops_task t on t.id = r.task_id
      where (r.state = 'open' and (o.state in ('dispatched', 'delivered', 'cancelled') or t.id is null or t.closed_at is not null))
        or (r.state <> 'open' and t.id is not null and t.closed_at is null)`,
  },
  {
    name: 'an order in production has a line that has started, and none has before',
    query: `select 'order ' || o.reference || ' is ' || o.state || ' with ' || coalesce(l.count, 0) || ' lines started'
      from orders o left join (
        select order_id, count(*) as count from order_line where started_at is not null group by order_id
      ) l on l.order_id = o.id
      where (o.state = 'in_production' and l.count is null)
        or (o.state in ('awaiting_payment', 'placed', 'released') and l.count is not null)`,
  },
];
