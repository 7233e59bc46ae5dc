import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { CustomsDeclaration } from './customs.ts';
import { ORDER_ARTWORK } from './line-artwork/artwork-sql.ts';
import { LINE_PARTS, type LineParts } from './ops-lines/ops-lines-sql.ts';
import type { OpsLines } from './ops-lines/put-together.ts';
import type { StoredAddress } from './order-columns.ts';
import { HEAD_COLUMNS, type OrderRow } from './read-sql.ts';
import type { OrderState } from './status.ts';

// What operators read: the orders of all accounts. Nothing here serves a customer.

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

export type OpsOrderRow = OrderRow &
  OpsLines & {
    account: { id: Uuid; name: string };
    billing_address: StoredAddress;
    replaced_by: { id: Uuid; reference: string }[];
    attempts: ListedAttemptRow[];
    /** By shipment; only of those that left the customs territory. */
    customs: Record<Uuid, CustomsDeclaration>;
    history: HistoryRow[];
    tasks: { id: Uuid; kind: string; note: string; opened_at: string }[];
  };

/** An `OpsOrderRow` before its lines are put together. */
export type OpsOrderParts = Omit<OpsOrderRow, keyof OpsLines> & LineParts;

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

/** SQL of the columns of `OpsOrderParts` without artwork, of an order `o`. */
export const OPS_COLUMNS = `${HEAD_COLUMNS}, ${OPS_ONLY}, ${LINE_PARTS}`;

const OPS_ORDER = statement<OpsOrderParts>(
  'orders_ops_by_id',
  `select ${OPS_COLUMNS}, ${ORDER_ARTWORK} from orders o where o.id = $1`,
);

/** An order of any account, as operators see it, with the artwork of its lines. */
export async function findOpsOrder(db: Db, id: Uuid): Promise<OpsOrderParts | undefined> {
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
