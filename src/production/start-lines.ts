import type { Db } from '../lib/db.ts';
import type { ErrorCode } from '../lib/error-catalogue.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { parseId, publicId } from '../lib/ids.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { OrdersContext } from '../orders/context.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { actOnOrder, type OrderInput } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { readLines, type WorkLineRow } from './sql.ts';
import { beginLine } from './start-line.ts';
import type { StartBody, StartedOrder, StartResult } from './station-schema.ts';

/**
 * Starts lines of a promoted order in one transaction, each as `startLine` does.
 * Named lines start all or none: the first that cannot start refuses the request, and the detail names it. Without
 * names every line that can start does, and each line has its result; when none can, the request is refused with the
 * error of the line that is nearest to starting. 422 for a line that is not the order's or is named twice. Locks the
 * order, then the stock rows of the lines by SKU.
 */
export async function startLines(
  ctx: OrdersContext,
  operator: Operator,
  input: OrderInput & StartBody,
): Promise<StartedOrder> {
  const { line_ids: named, once } = input;
  const orderId = await opsOrderIdOf(ctx, input.id);
  const detail = named === undefined ? {} : { line_ids: named };
  const act = { action: 'start_lines', detail };
  const acted = await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order, now) => {
    const lines = await readLines(tx, { accountId: order.account_id, orderId });
    const begin = { actor: actorOf(operator), now };
    if (named === undefined) return startAll(tx, ctx, order, { ...begin, lines });
    return startNamed(tx, ctx, order, { ...begin, lines: linesOf(lines, named) });
  });
  const order = await readOpsOrder(ctx, orderId);
  const results = acted.kind === 'done' ? acted.result : resultsNow(order, named);
  return { ...order, results: [...results] };
}

type Begin = { readonly lines: readonly WorkLineRow[]; readonly actor: string; readonly now: Date };

async function startNamed(tx: Db, ctx: OrdersContext, order: LockedOrder, begin: Begin): Promise<StartResult[]> {
  let now = order;
  for (const line of bySku(begin.lines)) {
    try {
      now = await beginLine(tx, ctx.config, now, { ...begin, line });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      const detail = `${publicId('line', line.id)}: ${error.message} No line was started.`;
      throw new ApiError(error.code, detail, { extras: error.extras });
    }
  }
  return begin.lines.map(startedResult);
}

async function startAll(tx: Db, ctx: OrdersContext, order: LockedOrder, begin: Begin): Promise<StartResult[]> {
  let now = order;
  const refusals = new Map<WorkLineRow, ApiError>();
  for (const line of bySku(begin.lines)) {
    try {
      now = await beginLine(tx, ctx.config, now, { ...begin, line });
    } catch (error) {
      // A line that is refused has written nothing; any other error rolls the transaction back.
      if (!(error instanceof ApiError) || !OF_THE_LINE.includes(error.code)) throw error;
      refusals.set(line, error);
    }
  }
  const [first] = [...refusals.values()].toSorted(
    (one, other) => OF_THE_LINE.indexOf(one.code) - OF_THE_LINE.indexOf(other.code),
  );
  if (first !== undefined && refusals.size === begin.lines.length) throw first;
  return begin.lines.map((line) => {
    const refusal = refusals.get(line);
    if (refusal === undefined) return startedResult(line);
    return { line_id: publicId('line', line.id), started: false, code: refusal.code, detail: refusal.message };
  });
}

/** The codes that can refuse a line, the nearest to starting first. */
const OF_THE_LINE: readonly ErrorCode[] = ['artwork_not_ready', 'out_of_stock', 'conflict'];

function startedResult({ id }: WorkLineRow): StartResult {
  return { line_id: publicId('line', id), started: true, code: null, detail: '' };
}

function bySku(lines: readonly WorkLineRow[]): WorkLineRow[] {
  return lines.toSorted((one, other) =>
    one.sku < other.sku ? -1 : one.sku > other.sku ? 1 : one.ordinal - other.ordinal,
  );
}

/** How many valid lines a refusal names. */
const VALID_MAX = 20;

function linesOf(lines: readonly WorkLineRow[], named: readonly string[]): WorkLineRow[] {
  const pathOf = (index: number): string => `line_ids[${index}]`;
  const known = new Map(lines.map((line) => [line.id, line]));
  const valid = lines.slice(0, VALID_MAX).map(({ id }) => publicId('line', id));
  const problems: Problem[] = repeatProblems(named, pathOf);
  const found = named.flatMap((name, index) => {
    const id = parseId('line', name);
    const line = id === undefined ? undefined : known.get(id);
    if (line !== undefined) return [line];
    const message = 'This is not a line of the order.';
    problems.push({ path: pathOf(index), code: 'unknown_line', message, valid_values: valid });
    return [];
  });
  if (problems.length > 0) throw validationFailed(problems);
  return found;
}

/** A repeat returns how the lines are now. */
function resultsNow(order: OpsOrder, named: readonly string[] | undefined): StartResult[] {
  const lines = order.lines.filter(({ id }) => named === undefined || named.includes(id));
  return lines.map(({ id, started_at: startedAt }) => {
    if (startedAt !== null) return { line_id: id, started: true, code: null, detail: '' };
    const detail = 'This line did not start with the first request under this key. Ask again under a new one.';
    return { line_id: id, started: false, code: 'conflict', detail };
  });
}
