import { type RequestedPieces, refuseShort } from '../catalogue/short/refuse-short.ts';
import { spoilStock } from '../catalogue/stock.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { publicId } from '../lib/ids.ts';
import { actorOf, type Operator } from '../lib/operator.ts';
import type { OrdersContext } from '../orders/context.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { finishedQuantity, type OrderState } from '../orders/status.ts';
import { type LineInput, operateOnLine } from './operate-on-line.ts';
import { linePath, NOTHING_LEFT, refusePaused, refuseUnless } from './refuse-state.ts';
import type { FinishBody, SpoilBody } from './schema.ts';
import { addDone, addSpoiled, type WorkLineRow } from './sql.ts';

/**
 * Counts pieces of a started line as done.
 * Of all its print jobs, or of those of an area or a method. 409 for a line that has not started or is paused, and
 * `pieces_short` for pieces whose blanks are not there or not started. 422 for more than the pieces that are not
 * cancelled, or when the line has no such job. A blank line has no counts; that it
 * is finished is recorded in the history alone.
 */
export async function finishPieces(
  ctx: OrdersContext,
  operator: Operator,
  input: LineInput & FinishBody,
): Promise<OpsOrder> {
  const { quantity, area, method } = input;
  const asked = { quantity, area, method };
  return operateOnLine(ctx, operator, input, { action: 'finish', detail: asked }, async (tx, order, line, now) => {
    refuseUnstarted(order, line, 'finished');
    refusePaused(order, line, 'finished');
    const jobs = jobsOf(line, input);
    const left = leastOf(live(line), ...jobs.map(({ done }) => live(line) - done));
    refuseMore('quantity', quantity, left, 'left to finish');
    refuseShort(order.reference, 'finished', [requestedOf(line, quantity, left - missing(line))]);
    const ordinals = jobs.map(({ ordinal }) => ordinal);
    const done = { lineId: line.id, ordinals, quantity, wanted: live(line) };
    await addDone(tx, { accountId: order.account_id, orderId: order.id }, done);
    const what = [area, method].filter((part) => part !== undefined).join(' ');
    const reason = `${quantity} of ${publicId('line', line.id)}${what === '' ? '' : `, ${what}`}`;
    const move = { to: order.state, action: 'finish', actor: actorOf(operator), reason, events: [] };
    await moveOrder(tx, ctx.config, order, move, now);
  });
}

/**
 * Counts pieces of a started line as spoiled, and takes new blanks for them. Nothing is charged.
 * Also of a paused line: that pieces were lost may be why it was paused. The blanks come from unallocated stock. Where
 * there are not enough the line is short of the rest: it is promised the next ones, and a task says so. 422 for more
 * pieces than are still here; a piece that the line is short of is not. Where `finished` does not say how
 * many of them were finished, unfinished pieces count as spoiled first: done pieces are undone only as far as the
 * unfinished ones do not cover the quantity.
 */
export async function spoilPieces(
  ctx: OrdersContext,
  operator: Operator,
  input: LineInput & SpoilBody,
): Promise<OpsOrder> {
  const { quantity, finished = 0, reason } = input;
  const asked = { quantity, finished: input.finished, reason };
  return operateOnLine(ctx, operator, input, { action: 'spoil', detail: asked }, async (tx, order, line, now) => {
    refuseUnstarted(order, line, 'spoiled');
    refuseMore('quantity', quantity, live(line) - line.shipped - missing(line), 'here to spoil');
    refuseMore(
      'finished',
      finished,
      leastOf(quantity, Math.max(finishedOf(line) - line.shipped, 0)),
      'finished and here to spoil',
    );
    const of = { accountId: order.account_id, orderId: order.id };
    const actor = actorOf(operator);
    const cause = { ...of, reference: order.reference, actor, reason, now };
    const short = await spoilStock(tx, cause, { lineId: line.id, sku: line.sku, quantity });
    const doneMax = live(line) - missing(line) - quantity;
    await addSpoiled(tx, of, { lineId: line.id, quantity, finished, doneMax });
    const lacking = short === 0 ? '' : `; no blank is left for ${short} of them`;
    const why = `${quantity} of ${publicId('line', line.id)}: ${reason}${lacking}`;
    await moveOrder(tx, ctx.config, order, { to: order.state, action: 'spoil', actor, reason: why, events: [] }, now);
  });
}

function finishedOf(line: WorkLineRow): number {
  const { quantity, cancelled, started, jobs } = line;
  const done = jobs.map((job) => job.done);
  return finishedQuantity({ quantity, quantityCancelled: cancelled, started, missing: missing(line), done });
}

/** Pieces of a started line without a blank in production: short, or waiting to be started. */
function missing(line: WorkLineRow): number {
  return line.started ? line.promised : 0;
}

function requestedOf(line: WorkLineRow, requested: number, ready: number): RequestedPieces {
  const toStart = line.promised - line.short;
  return { lineId: line.id, sku: line.sku, short: line.short, toStart, ready, requested };
}

/** Pieces that are not cancelled, shipped or not. */
function live(line: WorkLineRow): number {
  return line.quantity - line.cancelled;
}

/** What comes before the start of a line in a state of its order. */
const BEFORE_START: Partial<Record<OrderState, 'promote' | 'resume'>> = { placed: 'promote', on_hold: 'resume' };

/** Refuses work on a line that has not started, and says how it is started. */
function refuseUnstarted(order: LockedOrder, line: WorkLineRow, what: 'finished' | 'spoiled'): void {
  refuseUnless(order, ['placed', 'on_hold', 'released', 'in_production'], 'worked on');
  if (line.started) return;
  if (line.quantity === line.cancelled + line.shipped) throw new ApiError('conflict', NOTHING_LEFT);
  const at = `/orders/${order.reference}`;
  const first = BEFORE_START[order.state];
  const before = first === undefined ? '' : `${first} the order (POST ${at}/${first}), then `;
  const start = `${before}start the line (POST ${linePath(order, line)}/start)`;
  throw new ApiError('conflict', `This line has not started. Before its pieces are ${what}, ${start}.`);
}

function jobsOf(line: WorkLineRow, { area, method }: FinishBody): WorkLineRow['jobs'] {
  const ofArea = line.jobs.filter((job) => area === undefined || job.area === area);
  const found = ofArea.filter((job) => method === undefined || job.method === method);
  if (found.length > 0 || (area === undefined && method === undefined)) return found;
  if (ofArea.length === 0) throw validationFailed([unknown('area', 'unknown_print_area', line, (job) => job.area)]);
  throw validationFailed([unknown('method', 'unknown_method', line, (job) => job.method)]);
}

function unknown(
  path: string,
  code: 'unknown_print_area' | 'unknown_method',
  line: WorkLineRow,
  nameOf: (job: WorkLineRow['jobs'][number]) => string,
): Problem {
  const names = [...new Set(line.jobs.map(nameOf))];
  return { path, code, message: `This line has no such print job. It has: ${names.join(', ')}.`, valid_values: names };
}

function leastOf(...counts: readonly number[]): number {
  return Math.min(...counts);
}

function refuseMore(path: 'quantity' | 'finished', quantity: number, most: number, what: string): void {
  if (quantity <= most) return;
  const pieces = most === 1 ? 'is 1 piece' : `are ${Math.max(most, 0)} pieces`;
  const message = `There ${pieces} of this line ${what}.`;
  throw validationFailed([{ path, code: 'out_of_bounds', message }]);
}
