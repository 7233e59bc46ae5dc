import { PROBLEM_TASK } from '../accounts/close-task.ts';
import { openTask } from '../accounts/open-task.ts';
import { type Intake, ingestArtwork } from '../artwork/ingest.ts';
import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, notFound, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, parseId, publicId, type Uuid } from '../lib/ids.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { OrdersContext } from '../orders/context.ts';
import { type LockedOrder, lockOrder } from '../orders/move-sql.ts';
import { findOwnOrder } from './read-problems.ts';
import type { OrderProblem, ReportProblemBody } from './schema.ts';
import {
  findByReference,
  findOrderErasure,
  findProblem,
  insertProblem,
  PROBLEMS_OF_ORDER_MAX,
  type ProblemRow,
  readReportable,
  readShipped,
} from './sql.ts';
import { problemView } from './view.ts';
import { reportablePieces, reportableUntil } from './window.ts';

const HOUR_MS = 3_600_000;

export type Reported = { readonly kind: 'reported' | 'repeated'; readonly problem: OrderProblem };

/**
 * Reports a problem with shipped pieces of an order, and opens a task with a deadline for the shop.
 * The photos are fetched and stored first, then problem and task are one transaction under the lock of the order, so
 * that two reports at once never claim a piece twice. A repeat of the same `external_reference` is answered with the
 * first problem. Throws 404 for another account's order, 409 when nothing was shipped, after the window, for an erased
 * order, beyond `PROBLEMS_OF_ORDER_MAX` and for a reference that named something else; 422 for lines, pieces and
 * photos. If it throws, no problem was written.
 */
export async function reportProblem(
  ctx: OrdersContext,
  { accountId }: Caller,
  request: { readonly idOrReference: string; readonly body: ReportProblemBody; readonly signal: AbortSignal },
): Promise<Reported> {
  const { idOrReference, body, signal } = request;
  const orderId = await findOwnOrder(ctx, accountId, idOrReference);
  const repeated = await findRepeated(ctx, accountId, orderId, body);
  if (repeated !== undefined) return repeated;
  const order = await findOrderErasure(ctx.database, accountId, orderId);
  if (order === undefined) throw notFound();
  // Refused before anything is fetched, and looked at again under the lock.
  await checkedLines(ctx, ctx.database, { ...order, account_id: accountId, id: orderId }, body.items);
  const intake = await fetchPhotos(ctx, accountId, body, signal);
  try {
    await intake.keepAsPhotos();
    const id = newId(ctx.clock.now().getTime());
    const made = await ctx.database.transaction(async (tx) => {
      const locked = await lockOrder(tx, accountId, orderId);
      if (locked === undefined) throw notFound();
      return write(tx, ctx, locked, { id, body, intake });
    });
    if (!made) {
      const winner = await findRepeated(ctx, accountId, orderId, body);
      if (winner === undefined) throw new Error('a reference that was taken cannot be found');
      return winner;
    }
    const problem = await findProblem(ctx.database, accountId, id);
    if (problem === undefined) throw new Error('a problem that was reported is gone');
    return { kind: 'reported', problem: problemView(ctx, problem) };
  } finally {
    await intake.discard();
  }
}

/** The problem that the request's reference named before. Throws 409 when that was another one. */
async function findRepeated(
  ctx: OrdersContext,
  accountId: Uuid,
  orderId: Uuid,
  body: ReportProblemBody,
): Promise<Reported | undefined> {
  if (body.external_reference === undefined) return undefined;
  const before = await findByReference(ctx.database, accountId, body.external_reference);
  if (before === undefined) return undefined;
  if (isSame(before, orderId, body)) return { kind: 'repeated', problem: problemView(ctx, before) };
  const detail = `This external_reference names the problem ${publicId('prob', before.id)}, which says something else. Use a new one for each problem.`;
  throw new ApiError('conflict', detail);
}

/** Photos are not compared: their addresses are not kept. */
function isSame(before: ProblemRow, orderId: Uuid, { kind, text, items }: ReportProblemBody): boolean {
  const pieces = new Map(before.lines.map((line) => [publicId('line', line.line_id), line.quantity]));
  return (
    before.order_id === orderId &&
    before.kind === kind &&
    before.text === text &&
    items.length === pieces.size &&
    items.every(({ line_id: line, quantity }) => pieces.get(line) === quantity)
  );
}

type CheckedOrder = Pick<LockedOrder, 'account_id' | 'id' | 'reference' | 'erased_at'>;
type CheckedLine = { readonly lineId: Uuid; readonly quantity: number };

async function checkedLines(
  ctx: Pick<OrdersContext, 'clock' | 'config'>,
  db: Db,
  order: CheckedOrder,
  items: ReportProblemBody['items'],
): Promise<CheckedLine[]> {
  const { account_id: accountId, id: orderId, reference } = order;
  if (order.erased_at !== null) {
    throw new ApiError(
      'conflict',
      `The personal data of ${reference} is erased, so nothing can be made good any more.`,
    );
  }
  const { last_shipped_at: lastShippedAt, problems } = await readShipped(db, accountId, orderId);
  const until = reportableUntil(lastShippedAt, ctx.config.problemWindowDays);
  if (until === null) {
    throw new ApiError('conflict', `Nothing of ${reference} was shipped yet. Report a problem once a parcel has left.`);
  }
  if (ctx.clock.now() > until) {
    throw new ApiError('conflict', `Problems with ${reference} could be reported until ${isoTime(until)}.`);
  }
  if (problems >= PROBLEMS_OF_ORDER_MAX) {
    throw new ApiError(
      'conflict',
      `${reference} has ${problems} problems, and no more can be reported. Contact support.`,
    );
  }
  return linesOf(await readReportable(db, accountId, orderId), reference, items);
}

function linesOf(
  rows: Awaited<ReturnType<typeof readReportable>>,
  reference: string,
  items: ReportProblemBody['items'],
): CheckedLine[] {
  const known = new Map(rows.map((row) => [row.line_id, row]));
  const problems: Problem[] = repeatProblems(
    items.map(({ line_id: id }) => id),
    (index) => `items[${index}].line_id`,
  );
  const lines = items.flatMap(({ line_id: publicLineId, quantity }, index): CheckedLine[] => {
    const lineId = parseId('line', publicLineId);
    const row = lineId === undefined ? undefined : known.get(lineId);
    if (row === undefined) {
      const valid = rows.map((other) => publicId('line', other.line_id)).slice(0, VALID_MAX);
      const message = `${reference} has no such line.`;
      problems.push({ path: `items[${index}].line_id`, code: 'unknown_line', message, valid_values: valid });
      return [];
    }
    if (quantity > reportablePieces(row)) {
      const message = `${row.shipped} pieces of this line were shipped, and ${row.reported} of them are in problems already.`;
      problems.push({ path: `items[${index}].quantity`, code: 'out_of_bounds', message });
    }
    return [{ lineId: row.line_id, quantity }];
  });
  if (problems.length > 0) throw validationFailed(problems);
  return lines;
}

/** How many valid lines a refusal names. */
const VALID_MAX = 20;

/** Fetches the photos, all or nothing: 422 with every failure. */
async function fetchPhotos(
  ctx: OrdersContext,
  accountId: Uuid,
  { photos = [] }: ReportProblemBody,
  signal: AbortSignal,
): Promise<Intake> {
  const wanted = photos.map((url, index) => ({ url, path: `photos[${index}]` }));
  const intake = await ingestArtwork(ctx, accountId, wanted, signal);
  if (intake.problems.length === 0) return intake;
  await intake.discard();
  throw validationFailed(intake.problems);
}

/**
 * Writes a problem of a locked order with its task.
 * False when its external reference was taken meanwhile.
 */
async function write(
  tx: Db,
  ctx: OrdersContext,
  order: LockedOrder,
  made: { readonly id: Uuid; readonly body: ReportProblemBody; readonly intake: Intake },
): Promise<boolean> {
  const { id, body, intake } = made;
  const { account_id: accountId, id: orderId, reference } = order;
  const before = body.external_reference;
  if (before !== undefined && (await findByReference(tx, accountId, before)) !== undefined) return false;
  const lines = await checkedLines(ctx, tx, order, body.items);
  // Read after the lock: a call that waited for it must not be dated before the one that had it.
  const now = ctx.clock.now();
  const dueAt = new Date(now.getTime() + ctx.config.problemAnswerHours * HOUR_MS);
  const note = `The customer has reported a problem with ${reference}: ${body.kind.replaceAll('_', ' ')}. Answer ${publicId('prob', id)} with a replacement, a refund or a reason.`;
  const taskId = await openTask(tx, { accountId, orderId, kind: PROBLEM_TASK, note, dueAt }, now);
  const hashes = new Set([...intake.pictures.values()].map(({ hash }) => hash));
  const isMade = await insertProblem(tx, {
    accountId,
    id,
    orderId,
    kind: body.kind,
    text: body.text,
    externalReference: before ?? null,
    taskId,
    lines,
    photos: [...hashes].map((hash) => ({ id: newId(now.getTime()), hash })),
    dueAt,
    now,
  });
  if (isMade) return true;
  // A report about another order took the reference: nothing of this transaction stays.
  throw new ApiError('conflict', 'This external_reference was used for another problem at the same moment.');
}
