import { closeTasks } from '../accounts/close-task.ts';
import type { Db } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import { findOversold, type Oversold } from './oversold.ts';
import { promiseNextBlanks, supplyShortLines } from './short/supply.ts';
import {
  type AllocationRow,
  changeAllocations,
  insertAllocations,
  lockStockRows,
  readAllocations,
  recordMovements,
  type StockLevelRow,
} from './stock-sql.ts';

// What orders do with stock, in the caller's transaction. The order is locked before, the balance after; stock rows are
// locked here, in the order of their SKUs. Each change records a movement (domain, "Lines, production, stock").

/** The order whose stock changes, who changes it and why. The order's row is locked. */
type StockCause = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  readonly actor: string;
  readonly reason: string;
  readonly now: Date;
};

/** Pieces for a line. `index` is its place in the order, for the refusal. */
export type WantedPieces = {
  readonly lineId: Uuid;
  readonly sku: string;
  readonly quantity: number;
  readonly index: number;
};

/**
 * Allocates pieces of the shelf to the lines of an order: all of them or none.
 * Returns what is short, and then has written nothing; an empty list when all are allocated. Two orders for the last
 * piece wait for each other at its row, so one of them gets it.
 */
export async function allocateStock(
  tx: Db,
  cause: StockCause,
  lines: readonly WantedPieces[],
): Promise<readonly Oversold[]> {
  if (lines.length === 0) return [];
  const oversold = oversoldIn(
    lines,
    await lockStockRows(
      tx,
      lines.map(({ sku }) => sku),
    ),
  );
  if (oversold.length > 0) return oversold;
  await insertAllocations(tx, { ...cause, lines });
  const movements = lines.map(({ lineId, sku, quantity }) => ({ lineId, sku, quantity, kind: 'allocate' as const }));
  await recordMovements(tx, { ...cause, reference: '', movements });
  return [];
}

/**
 * Takes the allocated pieces of a line off the shelf, because its work begins.
 * Of a line that has started these are blanks in place of spoiled ones; what it is short of stays promised. Returns
 * what is short when a count has found fewer pieces than were promised, and then has written nothing.
 */
export async function consumeStock(
  tx: Db,
  cause: StockCause,
  line: Omit<WantedPieces, 'sku' | 'quantity'>,
): Promise<readonly Oversold[]> {
  const [allocation] = await readAllocations(tx, { ...cause, lineIds: [line.lineId] });
  if (allocation === undefined) return [];
  const { sku } = allocation;
  const pieces = allocation.left - allocation.short;
  if (pieces === 0) return [];
  const [level] = await lockStockRows(tx, [sku]);
  const onHand = level?.on_hand ?? 0;
  if (onHand < pieces) return [{ variant_sku: sku, requested: pieces, available: onHand, lines: [line.index] }];
  await changeAllocations(tx, { ...cause, changes: [{ line_id: line.lineId, consumed: pieces, released: 0 }] });
  const movements = [{ lineId: line.lineId, sku, quantity: -pieces, kind: 'consume' as const }];
  await recordMovements(tx, { ...cause, reference: '', movements });
  return [];
}

/**
 * Takes available pieces in place of spoiled ones.
 * Returns how many the line is short of, because there were fewer. It is promised the next blanks of the variant for
 * these, before any other order. Pieces that are promised to other lines are not taken.
 */
export async function spoilStock(
  tx: Db,
  cause: StockCause & { readonly reference: string },
  line: Omit<WantedPieces, 'index'>,
): Promise<number> {
  const { lineId, sku, quantity } = line;
  const [level] = await lockStockRows(tx, [sku]);
  const taken = Math.min(quantity, level === undefined ? 0 : availableIn(level));
  const short = quantity - taken;
  if (short > 0) {
    const [allocation] = await readAllocations(tx, { ...cause, lineIds: [lineId] });
    const before = { short: allocation?.short ?? 0, taskId: allocation?.short_task ?? null };
    await promiseNextBlanks(tx, { ...cause, lineId, sku, quantity: short, before }, cause.now);
  }
  const movements = [
    { lineId, sku, quantity: -taken, kind: 'spoil' as const },
    { lineId, sku, quantity: short, kind: 'allocate' as const },
  ].filter((movement) => movement.quantity !== 0);
  await recordMovements(tx, { ...cause, reference: '', movements });
  return short;
}

/** The pieces released, for each line that had an allocation. */
export type ReleasedPieces = {
  readonly lineId: Uuid;
  readonly sku: string;
  readonly released: number;
  /** Pieces of the line that were taken off the shelf before: they stay taken. */
  readonly consumed: number;
};

/**
 * Releases allocated pieces of a locked order because they are cancelled.
 * Of each line it releases at most what is neither consumed nor released yet, first what the line is short of; a line
 * that was never promoted has nothing to release. What is on the shelf again goes to short lines of other orders.
 * Locks the stock rows by SKU, so it comes after the order and its setup rights and before the balance.
 */
export async function releaseStock(
  tx: Db,
  release: StockCause & { readonly lines: readonly { readonly lineId: Uuid; readonly quantity: number }[] },
): Promise<readonly ReleasedPieces[]> {
  const asked = new Map(release.lines.map(({ lineId, quantity }) => [lineId, quantity]));
  const allocations = await readAllocations(tx, { ...release, lineIds: [...asked.keys()] });
  const pieces = allocations.map((allocation: AllocationRow) => ({
    lineId: allocation.line_id,
    sku: allocation.sku,
    released: Math.min(allocation.left, asked.get(allocation.line_id) ?? 0),
    consumed: allocation.consumed,
  }));
  const given = pieces.filter(({ released }) => released > 0);
  if (given.length === 0) return pieces;
  await lockStockRows(
    tx,
    given.map(({ sku }) => sku),
  );
  const tasks = await changeAllocations(tx, {
    ...release,
    changes: given.map(({ lineId, released }) => ({ line_id: lineId, consumed: 0, released })),
  });
  await closeTasks(tx, tasks, release.now);
  await recordMovements(tx, {
    ...release,
    reference: '',
    movements: given.map(({ lineId, sku, released }) => ({ lineId, sku, quantity: -released, kind: 'release' })),
  });
  await supplyShortLines(
    tx,
    given.map(({ sku }) => sku),
    release.now,
  );
  return pieces;
}

function oversoldIn(lines: readonly WantedPieces[], levels: readonly StockLevelRow[]): Oversold[] {
  const availableOf = new Map(levels.map((level) => [level.sku, availableIn(level)]));
  const wanted = lines.map(({ sku, quantity, index }) => ({ sku, quantity, line: index }));
  return findOversold(wanted, (sku) => availableOf.get(sku) ?? 0);
}

function availableIn(level: StockLevelRow): number {
  return Math.max(level.on_hand - level.allocated, 0);
}
