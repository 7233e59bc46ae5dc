import { actOnce, type OperatorAct } from '../accounts/act-once.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import { type AdjustmentBody, type CountBody, PIECES_MAX, type ReceiptBody, type StockLevels } from './ops-schema.ts';
import { readShort } from './short/sql.ts';
import { supplyShortLines } from './short/supply.ts';
import {
  lockStockRows,
  type NewMovement,
  noteReceipt,
  type ReceiptRow,
  readStockLevels,
  recordMovements,
  type StockLevelRow,
} from './stock-sql.ts';
import { stockLevelView } from './view.ts';

type StockContext = Pick<Context, 'database' | 'clock' | 'wake'>;

/** The hint that wakes work that waits for stock: there may be more of it now. */
export const STOCK_CHANGED = 'stock_changed';

/**
 * Books a receipt of goods, all variants in one transaction.
 * Lines that are short have the first pieces, the oldest first; only the rest can be sold. Each variant has a movement
 * that names the delivery note. Throws 422 for a variant that is unknown or named twice, and 409 `duplicate_receipt`
 * for a delivery note that is booked already. Locks the stock rows by SKU, then the delivery note.
 */
export async function receiveStock(
  ctx: StockContext,
  operator: Operator,
  input: ReceiptBody & { readonly once: Once },
): Promise<StockLevels> {
  const { items, reference = '', once } = input;
  const act = { action: 'receive_stock', detail: { items, reference }, once };
  return changeStock(ctx, operator, act, items, async (tx, levels, now) => {
    const problems = items.flatMap(({ sku, quantity }, index) =>
      (levels.get(sku)?.on_hand ?? 0) + quantity > PIECES_MAX ? [tooMany(`items[${index}].quantity`)] : [],
    );
    if (problems.length > 0) throw validationFailed(problems);
    const actor = actorOf(operator);
    const before = await noteReceipt(tx, { reference, items: [...items], actor, now });
    if (before !== undefined) throw duplicateReceipt(before);
    const movements = items.map(({ sku, quantity }): NewMovement => ({ sku, quantity, kind: 'receipt' }));
    await recordMovements(tx, { movements, orderId: null, reason: '', reference, actor, now });
  });
}

/** How many variants the detail of a refusal names; the extras have all of them. */
const ITEMS_NAMED_MAX = 5;

function duplicateReceipt({ reference, items, actor, created_at: createdAt }: ReceiptRow): ApiError {
  const booked = { reference, items, actor, created_at: isoTime(createdAt) };
  const named = items.slice(0, ITEMS_NAMED_MAX).map(({ sku, quantity }) => `${quantity} of ${sku}`);
  const more = items.length > ITEMS_NAMED_MAX ? ` and ${items.length - ITEMS_NAMED_MAX} more variants` : '';
  const detail =
    `The delivery note ${reference} was booked at ${booked.created_at} by ${actor}: ${named.join(', ')}${more}. ` +
    'Nothing was booked now. Another delivery needs another reference.';
  return new ApiError('duplicate_receipt', detail, { extras: { booked } });
}

/**
 * Sets what was counted, all variants in one transaction.
 * The movements record the differences, who counted and why. A count below what is promised to lines is accepted: the
 * shelf is right and the record was wrong. Nothing is available then, and `missing` says how many pieces have to come
 * in before the lines that they are promised to can start.
 */
export async function countStock(
  ctx: StockContext,
  operator: Operator,
  input: CountBody & { readonly once: Once },
): Promise<StockLevels> {
  const { items, reason = '', once } = input;
  const act = { action: 'count_stock', detail: { items, reason }, once };
  return changeStock(ctx, operator, act, items, async (tx, levels, now) => {
    const movements = items.map(
      ({ sku, on_hand: counted }): NewMovement => ({
        sku,
        quantity: counted - (levels.get(sku)?.on_hand ?? 0),
        kind: 'count',
      }),
    );
    await recordMovements(tx, { movements, orderId: null, reason, reference: '', actor: actorOf(operator), now });
  });
}

/**
 * Adds pieces to what is on hand or takes some off, all variants in one transaction, with a reason.
 * Unlike a count it does not set the total, so pieces consumed or received meanwhile are not overwritten. Throws 422
 * where fewer than none would be left. The movements are of the kind `count`, which corrects the records.
 */
export async function adjustStock(
  ctx: StockContext,
  operator: Operator,
  input: AdjustmentBody & { readonly once: Once },
): Promise<StockLevels> {
  const { items, reason, once } = input;
  const act = { action: 'adjust_stock', detail: { items, reason }, once };
  return changeStock(ctx, operator, act, items, async (tx, levels, now) => {
    const problems = items.flatMap(({ sku, change }, index) => {
      const onHand = levels.get(sku)?.on_hand ?? 0;
      if (change === 0) return [nothing(`items[${index}].change`)];
      if (onHand + change > PIECES_MAX) return [tooMany(`items[${index}].change`)];
      return onHand + change < 0 ? [tooFew(`items[${index}].change`, onHand)] : [];
    });
    if (problems.length > 0) throw validationFailed(problems);
    const movements = items.map(({ sku, change }): NewMovement => ({ sku, quantity: change, kind: 'count' }));
    await recordMovements(tx, { movements, orderId: null, reason, reference: '', actor: actorOf(operator), now });
  });
}

async function changeStock(
  ctx: StockContext,
  operator: Operator,
  act: Pick<OperatorAct, 'action' | 'detail' | 'once'>,
  items: readonly { readonly sku: string }[],
  change: (tx: Db, levels: ReadonlyMap<string, StockLevelRow>, now: Date) => Promise<void>,
): Promise<StockLevels> {
  const skus = items.map(({ sku }) => sku);
  const repeats = repeatProblems(skus, skuPath);
  if (repeats.length > 0) throw validationFailed(repeats);
  await actOnce(ctx, operator, { ...act, orderId: null, subjectId: null }, async (tx, now) => {
    const levels = new Map((await lockStockRows(tx, skus)).map((level) => [level.sku, level]));
    const unknown = skus.flatMap((sku, index) => (levels.has(sku) ? [] : [unknownSku(sku, index)]));
    if (unknown.length > 0) throw validationFailed(unknown);
    await change(tx, levels, now);
    await supplyShortLines(tx, skus, now);
  });
  ctx.wake(STOCK_CHANGED);
  const [rows, short] = [await readStockLevels(ctx.database, skus), await readShort(ctx.database, skus)];
  return { items: rows.map((row) => stockLevelView({ ...row, short: short.get(row.sku) ?? 0 })) };
}

const skuPath = (index: number): string => `items[${index}].sku`;

function unknownSku(sku: string, index: number): Problem {
  const message = `There is no blank variant ${sku} in the catalogue.`;
  return { path: skuPath(index), code: 'unknown_variant', message };
}

function tooMany(path: string): Problem {
  return { path, code: 'out_of_bounds', message: `There would be more than ${PIECES_MAX} pieces on the shelf.` };
}

function tooFew(path: string, onHand: number): Problem {
  return { path, code: 'out_of_bounds', message: `Only ${onHand} pieces are on the shelf. Count it if that is wrong.` };
}

function nothing(path: string): Problem {
  return { path, code: 'out_of_bounds', message: 'must be above or below zero; 0 changes nothing.' };
}
