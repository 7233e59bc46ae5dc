import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, parseOrderReference, publicId, type Uuid } from '../lib/ids.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { findOrderId } from '../orders/read-sql.ts';
import type { ListProblemsQuery, OrderProblem, ProblemsOfOrder } from './schema.ts';
import {
  findOrderErasure,
  findProblem,
  listProblemRows,
  listProblemsOfOrder,
  PROBLEMS_OF_ORDER_MAX,
  readReportable,
  readShipped,
} from './sql.ts';
import { problemView } from './view.ts';
import { reportablePieces, reportableUntil } from './window.ts';

type ReadContext = Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>;

/** Returns one problem of the caller. Unknown and another account's are the same 404. */
export async function getProblem(ctx: ReadContext, { accountId }: Caller, problemId: string): Promise<OrderProblem> {
  const id = parseId('prob', problemId);
  const problem = id === undefined ? undefined : await findProblem(ctx.database, accountId, id);
  if (problem === undefined) throw notFound();
  return problemView(ctx, problem);
}

/** A page of the caller's problems of all orders, the newest first. */
export async function listProblems(
  ctx: ReadContext,
  { accountId }: Caller,
  query: ListProblemsQuery,
): Promise<Page<OrderProblem>> {
  const { limit, after } = readPage('prob', query);
  const page = { before: after, limit: limit + 1, status: query.status };
  const rows = await listProblemRows(ctx.database, accountId, page);
  return toPage(
    rows,
    limit,
    (row) => problemView(ctx, row),
    ({ id }) => id,
  );
}

/** The problems of an order of the caller, and what of it can be reported now. */
export async function listOrderProblems(
  ctx: ReadContext,
  { accountId }: Caller,
  idOrReference: string,
): Promise<ProblemsOfOrder> {
  const orderId = await findOwnOrder(ctx, accountId, idOrReference);
  const order = await findOrderErasure(ctx.database, accountId, orderId);
  if (order === undefined) throw notFound();
  const problems = await listProblemsOfOrder(ctx.database, accountId, orderId);
  const { last_shipped_at: lastShippedAt } = await readShipped(ctx.database, accountId, orderId);
  const until = reportableUntil(lastShippedAt, ctx.config.problemWindowDays);
  const lines = await readReportable(ctx.database, accountId, orderId);
  const isOpen =
    until !== null && ctx.clock.now() <= until && order.erased_at === null && problems.length < PROBLEMS_OF_ORDER_MAX;
  const items = lines.filter((line) => isOpen && reportablePieces(line) > 0);
  return {
    data: problems.map((row) => problemView(ctx, row)),
    has_more: false,
    next_cursor: null,
    actions: {
      report: {
        available: items.length > 0,
        until: until && isoTime(until),
        items: items.map((line) => ({
          line_id: publicId('line', line.line_id),
          variant_sku: line.sku,
          name: line.name,
          quantity: reportablePieces(line),
        })),
      },
    },
  };
}

/** The id of an order of an account, by its id or reference. Throws 404. */
export async function findOwnOrder(
  ctx: Pick<Context, 'database'>,
  accountId: Uuid,
  idOrReference: string,
): Promise<Uuid> {
  const id = parseId('ord', idOrReference);
  if (id !== undefined) return id;
  const reference = parseOrderReference(idOrReference);
  const found = reference === undefined ? undefined : await findOrderId(ctx.database, accountId, reference);
  if (found === undefined) throw notFound();
  return found;
}
