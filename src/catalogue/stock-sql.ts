import { type Db, statement } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../lib/paging.ts';
import { PROMISED, SHORT } from './short/columns.ts';

// Stock and its movements. `stock` holds two sums of the movements: on hand (receipts, counts, spoiled and consumed
// pieces) and promised to lines (allocated, released and consumed pieces). Neither changes without a movement.

export type StockLevelRow = { sku: string; on_hand: number; allocated: number; updated_at: Date };

// Several rows are locked in this order, after the order's own row and before the balance.
const LOCK = statement<StockLevelRow>(
  'catalogue_lock_stock',
  `select sku, on_hand, allocated, updated_at from stock where sku = any($1::text[]) order by sku for no key update`,
);

/**
 * Locks the stock rows of some variants in the order of their SKUs, and reads them.
 * An unknown SKU has no row.
 */
export async function lockStockRows(tx: Db, skus: readonly string[]): Promise<StockLevelRow[]> {
  return tx.all(LOCK, [[...new Set(skus)]]);
}

const LEVELS = statement<StockLevelRow>(
  'catalogue_stock_levels',
  'select sku, on_hand, allocated, updated_at from stock where sku = any($1::text[]) order by sku',
);

/** The stock of some variants, read without a lock. */
export async function readStockLevels(db: Db, skus: readonly string[]): Promise<StockLevelRow[]> {
  return db.all(LEVELS, [skus]);
}

export type MovementKind = 'receipt' | 'count' | 'allocate' | 'release' | 'consume' | 'spoil';

export type NewMovement = {
  readonly sku: string;
  readonly kind: MovementKind;
  /** The pieces added; below zero when they are taken. */
  readonly quantity: number;
  readonly lineId?: Uuid;
};

const MOVE = statement<never>(
  'catalogue_move_stock',
  `with moved as materialized (
     select * from json_to_recordset($1::json) as m(sku text, kind text, quantity integer, line_id uuid)
   ),
   changed as (
     update stock s set on_hand = s.on_hand + c.on_hand, allocated = s.allocated + c.allocated, updated_at = $6
     from (
       select sku, coalesce(sum(quantity) filter (where kind in ('receipt', 'count', 'consume', 'spoil')), 0) as on_hand,
              coalesce(sum(quantity) filter (where kind in ('allocate', 'release', 'consume')), 0) as allocated
       from moved group by sku
     ) as c
     where s.sku = c.sku
   )
   insert into stock_movement (sku, kind, quantity, order_id, line_id, reason, reference, actor, created_at)
   select sku, kind, quantity, $2::uuid, line_id, $3, $4, $5, $6 from moved`,
);

/** Records movements of stock whose rows are locked, and changes the sums with them. */
export async function recordMovements(
  tx: Db,
  moves: {
    movements: readonly NewMovement[];
    orderId: Uuid | null;
    reason: string;
    reference: string;
    actor: string;
    now: Date;
  },
): Promise<void> {
  const movements = moves.movements.map(({ lineId, ...movement }) => ({ ...movement, line_id: lineId }));
  const { orderId, reason, reference, actor, now } = moves;
  await tx.all(MOVE, [JSON.stringify(movements), orderId, reason, reference, actor, now]);
}

// Receipts --------------------------------------------------------------------------------------------------------

/** What a delivery note has booked. */
export type ReceiptRow = {
  reference: string;
  items: { sku: string; quantity: number }[];
  actor: string;
  created_at: Date;
};

const NOTE_RECEIPT = statement<{ reference_key: string }>(
  'catalogue_note_receipt',
  `insert into stock_receipt (reference_key, reference, items, actor, created_at) values ($1, $2, $3::jsonb, $4, $5)
   on conflict (reference_key) do nothing returning reference_key`,
);

// A statement of its own: one that waited for another receipt does not see its row in its own snapshot.
const NOTED_RECEIPT = statement<ReceiptRow>(
  'catalogue_noted_receipt',
  'select reference, items, actor, created_at from stock_receipt where reference_key = $1',
);

/**
 * Notes a delivery note as booked, unless it was before, and returns the receipt that booked it first.
 * Of two at once the second waits for the first. A blank reference is not noted.
 */
export async function noteReceipt(
  tx: Db,
  receipt: Omit<ReceiptRow, 'created_at'> & { now: Date },
): Promise<ReceiptRow | undefined> {
  const { reference, items, actor, now } = receipt;
  const key = receiptKey(reference);
  if (key === '') return undefined;
  const noted = await tx.one(NOTE_RECEIPT, [key, reference, JSON.stringify(items), actor, now]);
  return noted === undefined ? tx.one(NOTED_RECEIPT, [key]) : undefined;
}

/**
 * A reference in capitals and without blanks.
 * Made here, since what the database takes for letters and blanks depends on its locale.
 */
function receiptKey(reference: string): string {
  return reference.replaceAll(/\s/gu, '').toUpperCase();
}

// Allocations -----------------------------------------------------------------------------------------------------

const ALLOCATE = statement<never>(
  'catalogue_allocate',
  `insert into allocation (order_id, line_id, account_id, sku, allocated)
   select $1, a.line_id, $2, a.sku, a.quantity
   from json_to_recordset($3::json) as a(line_id uuid, sku text, quantity integer)
   on conflict (account_id, order_id, line_id) do update set allocated = allocation.allocated + excluded.allocated`,
);

/** Writes the allocations of the lines of a locked order. */
export async function insertAllocations(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; lines: readonly { lineId: Uuid; sku: string; quantity: number }[] },
): Promise<void> {
  const lines = of.lines.map(({ lineId, sku, quantity }) => ({ line_id: lineId, sku, quantity }));
  await tx.all(ALLOCATE, [of.orderId, of.accountId, JSON.stringify(lines)]);
}

export type AllocationRow = {
  line_id: Uuid;
  sku: string;
  /** Promised and not taken, with the pieces that the line is short of. */
  left: number;
  short: number;
  short_task: Uuid | null;
  consumed: number;
};

const ALLOCATIONS = statement<AllocationRow>(
  'catalogue_allocations',
  `select line_id, sku, ${PROMISED} as left, ${SHORT} as short, short_task, consumed from allocation
   where order_id = $1 and account_id = $2 and line_id = any($3::uuid[]) order by line_id`,
);

/**
 * The allocations of some lines of a locked order, and what is left of them.
 * A line without an allocation has no row.
 */
export async function readAllocations(
  tx: Db,
  of: { accountId: Uuid; orderId: Uuid; lineIds: readonly Uuid[] },
): Promise<AllocationRow[]> {
  return tx.all(ALLOCATIONS, [of.orderId, of.accountId, of.lineIds]);
}

// What a line is short of is released first, and never consumed. `short` is computed here and not by the caller: until
// the stock row was locked, blanks may have come in for the line.
const CHANGE_ALLOCATIONS = statement<{ short_task: Uuid }>(
  'catalogue_change_allocations',
  `with changed as (
     update allocation a set consumed = a.consumed + c.consumed, released = a.released + c.released,
       short = greatest(least(a.short, a.allocated - a.consumed - a.released) - c.released, 0),
       short_since = case when a.allocated > a.consumed + c.consumed + a.released + c.released then a.short_since end
     from json_to_recordset($3::json) as c(line_id uuid, consumed integer, released integer)
     where a.order_id = $1 and a.account_id = $2 and a.line_id = c.line_id
     returning a.short, a.short_task
   )
   select short_task from changed where short = 0 and short_task is not null`,
);

/**
 * Counts pieces of allocations of a locked order as consumed or given back.
 * Returns the tasks of the lines that are no longer short. Their stock rows are locked.
 */
export async function changeAllocations(
  tx: Db,
  of: {
    accountId: Uuid;
    orderId: Uuid;
    changes: readonly { line_id: Uuid; consumed: number; released: number }[];
  },
): Promise<Uuid[]> {
  const rows = await tx.all(CHANGE_ALLOCATIONS, [of.orderId, of.accountId, JSON.stringify(of.changes)]);
  return rows.map(({ short_task: task }) => task);
}

// Reading movements -----------------------------------------------------------------------------------------------

export type MovementRow = {
  id: number;
  sku: string;
  kind: MovementKind;
  quantity: number;
  order_id: Uuid | null;
  line_id: Uuid | null;
  reason: string;
  reference: string;
  actor: string;
  created_at: Date;
};

const MOVEMENT_COLUMNS = 'id, sku, kind, quantity, order_id, line_id, reason, reference, actor, created_at';

// The inner limits are constants for the planner, which takes an unknown limit for a tenth of the table.
const MOVEMENTS = statement<MovementRow>(
  'catalogue_movements',
  `select * from (
     select ${MOVEMENT_COLUMNS} from stock_movement where id < $1 order by id desc limit ${PAGE_ROWS_MAX}
   ) as page order by id desc limit $2`,
);
const MOVEMENTS_OF = statement<MovementRow>(
  'catalogue_movements_of',
  `select * from (
     select ${MOVEMENT_COLUMNS} from stock_movement where sku = $3 and id < $1 order by id desc limit ${PAGE_ROWS_MAX}
   ) as page order by id desc limit $2`,
);

/** A page of the movements of one variant or of all, newest first, from before `before`. */
export async function listMovementRows(
  db: Db,
  page: { sku: string | undefined; before: number; limit: number },
): Promise<MovementRow[]> {
  if (page.sku === undefined) return db.all(MOVEMENTS, [page.before, page.limit]);
  return db.all(MOVEMENTS_OF, [page.before, page.limit, page.sku]);
}

// Promised pieces that a line is short of were never there, so no count has found fewer.
const PROMISED_SHORT = statement<{ skus: number }>(
  'catalogue_promised_short',
  `select count(*) as skus from stock s where s.allocated > s.on_hand and s.allocated - s.on_hand > (
     select coalesce(sum(${SHORT}), 0) from allocation where sku = s.sku and short_since is not null)`,
);

/**
 * Counts the variants of which more is promised than there is, without what lines are short of.
 * Reads a row for each variant of the catalogue.
 */
export async function countPromisedShort(db: Db): Promise<number> {
  return (await db.one(PROMISED_SHORT, []))?.skus ?? 0;
}
