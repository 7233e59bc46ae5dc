import type { VatBreakdownRow } from '../../billing/postings.ts';
import { type Db, statement } from '../../lib/db.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import type { StoredSetup } from '../../orders/order-columns.ts';

// The rights of setups, as orders buy them, share them and give them up. A right is a row of the account, the design
// and the method; it belongs to the paid order that it names.

export type SetupKey = { readonly design_hash: string; readonly method: string };

type Of = { readonly accountId: Uuid; readonly orderId: Uuid };

const KEYS = `(
    select decode(k.design_hash, 'hex') as design_hash, k.method, max(k.amount_pence) as amount_pence
    from json_to_recordset($2::json) as k(design_hash text, method text, amount_pence bigint)
    group by 1, 2 order by 1, 2
  )`;

const CLAIM = statement<never>(
  'payments_claim_setups',
  `insert into setup_right (account_id, design_hash, method, paid_by_order, amount_pence, created_at)
   select $1, k.design_hash, k.method, $3, k.amount_pence, $4::timestamptz from ${KEYS} as k
   on conflict do nothing`,
);

/** Inserts the free rights for an order. Waits for others that are inserting or deleting the same. */
export async function claimFreeRights(
  tx: Db,
  { accountId, orderId }: Of,
  setups: readonly StoredSetup[],
  now: Date,
): Promise<void> {
  await tx.all(CLAIM, [accountId, JSON.stringify(setups), orderId, now]);
}

// Row by row through the index, in the order of the keys: every party locks rights in this order.
const LOCK = statement<{ method: string }>(
  'payments_lock_setups',
  `select r.method from ${KEYS} as k
   cross join lateral (
     select method from setup_right where account_id = $1 and design_hash = k.design_hash and method = k.method for update
   ) as r`,
);

/** Locks the rights to some setups; what they are must be read by a statement after it. */
export async function lockRights(tx: Db, accountId: Uuid, keys: readonly SetupKey[]): Promise<void> {
  await tx.all(LOCK, [accountId, JSON.stringify(keys)]);
}

const HELD = statement<SetupKey & { is_own: boolean }>(
  'payments_setups_held',
  `select encode(r.design_hash, 'hex') as design_hash, r.method, r.paid_by_order = $3 as is_own
   from ${KEYS} as k join setup_right r on r.account_id = $1 and r.design_hash = k.design_hash and r.method = k.method`,
);

/** Reads whether this order or another holds the rights to some setups. A free right is left out. */
export async function readHeld(
  tx: Db,
  { accountId, orderId }: Of,
  keys: readonly SetupKey[],
): Promise<(SetupKey & { is_own: boolean })[]> {
  return tx.all(HELD, [accountId, JSON.stringify(keys), orderId]);
}

// Before a right came with a payment, an order that waited held it too. It counts for no other order.
const DROP_UNPAID = statement<never>(
  'payments_drop_unpaid_setups',
  `delete from setup_right r using ${KEYS} as k, orders o
   where r.account_id = $1 and r.design_hash = k.design_hash and r.method = k.method
     and o.account_id = r.account_id and o.id = r.paid_by_order and o.paid_at is null and o.id is distinct from $3::uuid`,
);

const HELD_UNPAID = statement<{ method: string }>(
  'payments_setups_held_unpaid',
  `select r.method from ${KEYS} as k
   join setup_right r on r.account_id = $1 and r.design_hash = k.design_hash and r.method = k.method
   join orders o on o.account_id = r.account_id and o.id = r.paid_by_order and o.paid_at is null`,
);

/** Whether an unpaid order holds one of these rights. */
export async function areHeldUnpaid(db: Db, accountId: Uuid, keys: readonly SetupKey[]): Promise<boolean> {
  return (await db.all(HELD_UNPAID, [accountId, JSON.stringify(keys)])).length > 0;
}

/** Deletes the rights, locked by the caller, that other orders hold without having been paid. */
export async function dropUnpaidRights(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid | null },
  keys: readonly SetupKey[],
): Promise<void> {
  await tx.all(DROP_UNPAID, [of.accountId, JSON.stringify(keys), of.orderId]);
}

const RELEASE = statement<never>(
  'payments_release_setups',
  `with given_up as (
     delete from setup_right r using ${KEYS} as k
     where r.account_id = $1 and r.design_hash = k.design_hash and r.method = k.method and r.paid_by_order = $3
   )
   delete from setup_reliance r using ${KEYS} as k
   where r.account_id = $1 and r.design_hash = k.design_hash and r.method = k.method and r.order_id = $3
     and k.amount_pence > 0`,
);

/** Gives up what an order claimed without being paid. It still relies on what others have paid. */
export async function releaseRights(tx: Db, { accountId, orderId }: Of, setups: readonly StoredSetup[]): Promise<void> {
  await tx.all(RELEASE, [accountId, JSON.stringify(setups), orderId]);
}

const RELY = statement<never>(
  'payments_rely_on_setups',
  `insert into setup_reliance (account_id, design_hash, method, order_id)
   select $1, k.design_hash, k.method, $3 from ${KEYS} as k
   on conflict do nothing`,
);

/** Records that an order relies on the rights to some setups. */
export async function relyOn(tx: Db, { accountId, orderId }: Of, keys: readonly SetupKey[]): Promise<void> {
  await tx.all(RELY, [accountId, JSON.stringify(keys), orderId]);
}

export type OrderSetupRow = { readonly setup: StoredSetup; readonly vat_classes: string[] };

const SETUPS = statement<OrderSetupRow>(
  'payments_order_setups',
  `select s.setup, array(
     select distinct l.vat_class from print_job j
     join order_line l on l.account_id = j.account_id and l.order_id = j.order_id and l.id = j.line_id
     where j.account_id = o.account_id and j.order_id = o.id
       and j.design_hash = decode(s.setup->>'design_hash', 'hex') and j.method = s.setup->>'method'
   ) as vat_classes
   from orders o cross join jsonb_array_elements(o.setups) with ordinality as s(setup, place)
   where o.id = $1 and o.account_id = $2 order by s.place`,
);

/** Reads the setups of an order, each with the VAT classes of the lines that use it. */
export async function readOrderSetups(tx: Db, { accountId, orderId }: Of): Promise<OrderSetupRow[]> {
  return tx.all(SETUPS, [orderId, accountId]);
}

const TAKE_OFF = statement<never>(
  'payments_take_setups_off',
  `update orders set setups = $3::jsonb, setup_pence = $4, vat_pence = $5, vat_breakdown = $6::jsonb, total_pence = $7,
     balance_paid_pence = balance_paid_pence - $8::bigint
   where id = $1 and account_id = $2`,
);

/** Writes the amounts of a locked order without some of its setups, less what was paid too much. */
export async function takeSetupsOff(
  tx: Db,
  { accountId, orderId }: Of,
  left: {
    setups: readonly StoredSetup[];
    setupPence: number;
    vatPence: number;
    vatBreakdown: readonly VatBreakdownRow[];
    totalPence: number;
    returnedPence: number;
  },
): Promise<void> {
  await tx.all(TAKE_OFF, [
    orderId,
    accountId,
    JSON.stringify(left.setups),
    left.setupPence,
    left.vatPence,
    JSON.stringify(left.vatBreakdown),
    left.totalPence,
    left.returnedPence,
  ]);
}

const SHARING = statement<{ id: Uuid }>(
  'payments_orders_sharing_setups',
  `select o.id from orders o
   where o.account_id = $1 and o.state = 'awaiting_payment' and o.attempt_id is null and o.placed_at >= $2
     and o.id > coalesce($3::uuid, '${FIRST_ID}') and jsonb_array_length(o.setups) > 0 and exists (
       select from jsonb_to_recordset(o.setups) as s(design_hash text, method text, amount_pence bigint)
       join setup_right r on r.account_id = o.account_id and r.design_hash = decode(s.design_hash, 'hex') and r.method = s.method
       where s.amount_pence > 0 and r.paid_by_order <> o.id)
   order by o.id limit $4`,
);

/** Finds the waiting orders of an account that charge a setup which another has paid, oldest first. */
export async function findSharingOrders(
  db: Db,
  accountId: Uuid,
  which: { placedSince: Date; after: Uuid | null; limit: number },
): Promise<Uuid[]> {
  const rows = await db.all(SHARING, [accountId, which.placedSince, which.after, which.limit]);
  return rows.map(({ id }) => id);
}
