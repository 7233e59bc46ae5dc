import { SHORT } from '../catalogue/short/columns.ts';
import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { CustomsDeclaration } from './customs.ts';
import type { StoredAddress } from './order-columns.ts';
import { ORDER_COLUMNS, type OrderRow, SHOWN_COLUMNS } from './read-sql.ts';
import type { OrderState } from './status.ts';

// What operators read: the orders of all accounts. Nothing here serves a customer.

/** What operators see of a line beside what its owner sees. */
export type OpsLineRow = {
  id: Uuid;
  quantity_spoiled: number;
  started_at: string | null;
  allocation: { allocated: number; consumed: number; released: number; short: number } | null;
  print_jobs: {
    area: string;
    method: string;
    station: string | null;
    quantity_done: number;
    quantity_spoiled: number;
    artwork_state: 'pending' | 'ready' | 'failed' | 'expired';
    failure: string | null;
  }[];
};

export type ListedAttemptRow = {
  id: Uuid;
  method: 'card' | 'direct_debit';
  amount_pence: number;
  state: 'open' | 'unknown' | 'succeeded' | 'failed';
  reason: string;
  created_at: string;
  settled_at: string | null;
  returned_at: string | null;
  recovered_at: string | null;
  /** The oldest first. */
  disputes: ListedDisputeRow[];
};

/** A dispute of a payment, and what is booked of it. */
export type ListedDisputeRow = {
  id: string;
  state: 'open' | 'lost' | 'won';
  withdrawn_pence: number;
  reinstated_pence: number;
  opened_at: string;
  updated_at: string;
};

export type HistoryRow = {
  action: string;
  from_state: OrderState | null;
  to_state: OrderState;
  actor: string;
  reason: string;
  created_at: string;
};

export type OpsOrderRow = OrderRow & {
  account: { id: Uuid; name: string };
  billing_address: StoredAddress;
  replaced_by: { id: Uuid; reference: string }[];
  attempts: ListedAttemptRow[];
  ops_lines: OpsLineRow[];
  /** By shipment; only of those that left the customs territory. */
  customs: Record<Uuid, CustomsDeclaration>;
  history: HistoryRow[];
  tasks: { id: Uuid; kind: string; note: string; opened_at: string }[];
};

/** SQL of what an `OpsOrderRow` has beside an `OrderRow`, of an order `o`. */
const OPS_ONLY = `o.billing_address,
  (select json_build_object('id', a.id, 'name', a.name) from account a where a.id = o.account_id) as account,
  coalesce((
    select json_agg(json_build_object('id', r.id, 'reference', r.reference) order by r.id) from orders r
    where r.account_id = o.account_id and r.replaces = o.id
  ), '[]') as replaced_by,
  coalesce((
    select json_agg(json_build_object('id', p.id, 'method', p.method, 'amount_pence', p.amount_pence, 'state', p.state,
      'reason', p.reason, 'created_at', p.created_at, 'settled_at', p.settled_at,
      'returned_at', p.returned_at, 'recovered_at', p.recovered_at, 'disputes', coalesce((
        select json_agg(json_build_object('id', d.dispute_id, 'state', d.state, 'withdrawn_pence', d.booked_withdrawn_pence,
          'reinstated_pence', d.booked_reinstated_pence, 'opened_at', d.opened_at, 'updated_at', d.updated_at)
          order by d.opened_at, d.dispute_id)
        from payment_dispute d where d.account_id = p.account_id and d.order_id = p.order_id and d.attempt_id = p.id
      ), '[]')) order by p.id)
    from payment_attempt p where p.account_id = o.account_id and p.order_id = o.id
  ), '[]') as attempts,
  (
    select json_agg(json_build_object('id', l.id, 'quantity_spoiled', l.quantity_spoiled, 'started_at', l.started_at,
      'allocation', (
        select json_build_object('allocated', a.allocated, 'consumed', a.consumed, 'released', a.released,
          'short', ${SHORT})
        from allocation a where a.account_id = l.account_id and a.order_id = l.order_id and a.line_id = l.id),
      'print_jobs', coalesce((
        select json_agg(json_build_object('area', j.print_area, 'method', j.method, 'station', j.station,
          'quantity_done', j.quantity_done, 'quantity_spoiled', j.quantity_spoiled,
          'artwork_state', coalesce(f.state, 'expired'), 'failure', f.failure) order by j.ordinal)
        from print_job j left join print_file f on f.key = j.print_file_key and f.account_id = j.account_id
        where j.account_id = l.account_id and j.order_id = l.order_id and j.line_id = l.id
      ), '[]')) order by l.ordinal)
    from order_line l where l.account_id = o.account_id and l.order_id = o.id
  ) as ops_lines,
  coalesce((
    select json_object_agg(s.id, s.customs) from shipment s
    where s.account_id = o.account_id and s.order_id = o.id and s.customs is not null
  ), '{}') as customs,
  (
    select json_agg(json_build_object('action', h.action, 'from_state', h.from_state, 'to_state', h.to_state,
      'actor', h.actor, 'reason', h.reason, 'created_at', h.created_at) order by h.created_at, h.id)
    from order_history h where h.account_id = o.account_id and h.order_id = o.id
  ) as history,
  coalesce((
    select json_agg(json_build_object('id', t.id, 'kind', t.kind, 'note', t.note, 'opened_at', t.opened_at) order by t.id)
    from ops_task t where t.account_id = o.account_id and t.order_id = o.id and t.closed_at is null
  ), '[]') as tasks`;

/** SQL of the columns of an `OpsOrderRow`, of an order `o`. */
export const OPS_COLUMNS = `${ORDER_COLUMNS}, ${OPS_ONLY}`;

const OPS_ORDER = statement<OpsOrderRow>(
  'orders_ops_by_id',
  `select ${SHOWN_COLUMNS}, ${OPS_ONLY} from orders o where o.id = $1`,
);

/** An order of any account, as operators see it, with the artwork of its lines. */
export async function findOpsOrder(db: Db, id: Uuid): Promise<OpsOrderRow | undefined> {
  return db.one(OPS_ORDER, [id]);
}

const ID_BY_ID = statement<{ id: Uuid }>('orders_ops_id', 'select id from orders where id = $1');
const ID_BY_REFERENCE = statement<{ id: Uuid }>(
  'orders_ops_id_of_reference',
  'select id from orders where reference = $1',
);

/** The id again if any account has an order of this id. */
export async function findAnyOrderId(db: Db, id: Uuid): Promise<Uuid | undefined> {
  return (await db.one(ID_BY_ID, [id]))?.id;
}

/** The id of an order of any account by its reference in canonical form. */
export async function findAnyOrderIdByReference(db: Db, reference: string): Promise<Uuid | undefined> {
  return (await db.one(ID_BY_REFERENCE, [reference]))?.id;
}

const ORDER_OF_LINE = statement<{ order_id: Uuid }>(
  'orders_ops_of_line',
  'select order_id from order_line where id = $1 limit 1',
);

/** The id of a line's order, of any account. */
export async function findAnyOrderIdOfLine(db: Db, lineId: Uuid): Promise<Uuid | undefined> {
  return (await db.one(ORDER_OF_LINE, [lineId]))?.order_id;
}
