import { isKeyUsed } from '../accounts/act-once.ts';
import { dropUnneeded } from '../artwork/needs/needs.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../lib/ids.ts';
import { actorOf, type Once, type Operator, type OperatorRole, refuseRole } from '../lib/operator.ts';
import { dispatchedEvent, mailDispatched } from '../orders/dispatched-event.ts';
import { moveOrder } from '../orders/move-order.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { actOnOrder } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { resolveCharge } from '../payments/resolve-attempt.ts';
import { cancelPieces, lockSetupRights, passOnSetupRights } from './cancel-sql.ts';
import { cancelWhole, FULL_CREDIT, openPieces, releasePieces, type WholeCancel } from './cancel-whole.ts';
import { mailUndone } from './mail-undone.ts';
import type { OpsCancelBody } from './ops-schema.ts';
import { creditForPieces, isNothingLive, type Sold, type SoldLine, setupsNotNeeded } from './refund-amounts.ts';
import { readSoldOrder, refundCredit } from './refund-order.ts';

/** Roles that may cancel without a refund. */
const NO_REFUND_ROLES: readonly OperatorRole[] = ['finance'];

/**
 * Cancels an order or pieces of it, in any state and at any time.
 * The rules are spec 3.1 and decisions, "Ops cancel". A whole order gives back everything that was paid and not given
 * back yet, pieces what they cost (`creditForPieces`). With `refund: "none"` nothing is given back, except what was
 * paid for an order that was never paid in full. Shipments that went out remain facts.
 *
 * Cancelling the last piece that is left, with none shipped, cancels the whole order: `order.cancelled`. If every
 * piece that remains has shipped, the order becomes dispatched: `order.dispatched`. A whole cancel of a cancelled
 * order is a no-op. People of the account who want it are mailed.
 *
 * Locks as `cancelWhole`. Throws 404; 403 for `none` by a role that may not keep money; 422 for lines that are not of
 * the order or have fewer pieces left; 409 for pieces of an order that is cancelled or not paid for; 502
 * `refund_failed`.
 */
export async function cancelByOps(
  ctx: PaymentsContext,
  operator: Operator,
  idOrReference: string,
  request: { readonly body: OpsCancelBody; readonly once: Once },
): Promise<OpsOrder> {
  const { body, once } = request;
  refuseNoRefund(operator, body.refund);
  const orderId = await opsOrderIdOf(ctx, idOrReference);
  // Pieces of an unpaid order are not cancelled, and a used key cancels nothing: both leave the charge alone.
  if (isWhole(body) && !(await isKeyUsed(ctx, operator, once))) await resolveCharge(ctx, 'any', orderId);
  const act = { action: 'cancel', detail: body };
  await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order, now) => {
    const by = { actor: actorOf(operator), reason: body.reason, keepsMoney: body.refund === 'none' };
    const what = await cancelLocked(tx, ctx, order, { ...by, body }, now);
    if (what !== 'nothing') await mailUndone(ctx, tx, order, { ...by, what });
  });
  return readOpsOrder(ctx, orderId);
}

/**
 * Cancels a locked order or pieces of it, in the caller's transaction: as `cancelByOps`.
 * Before the lock, a charge of an order that is cancelled as a whole was resolved, and the role was looked at.
 * Returns what is cancelled.
 */
export async function cancelLocked(
  tx: Db,
  ctx: PaymentsContext,
  order: LockedOrder,
  by: By & { readonly body: CancelledPieces },
  now: Date,
): Promise<Cancelled> {
  return isWhole(by.body) ? cancelOrder(tx, ctx, order, by, now) : cancelSome(tx, ctx, order, by, now);
}

/** What a cancel has ended: nothing of an order that was cancelled before. */
type Cancelled = 'order' | 'pieces' | 'nothing';

/** The pieces that are cancelled; the whole order without any. */
type CancelledPieces = Pick<OpsCancelBody, 'items' | 'lines' | 'line_ids'>;

function isWhole(body: CancelledPieces): boolean {
  return PIECES.every((name) => body[name] === undefined);
}

/** The names under which pieces can be sent. */
const PIECES = ['items', 'lines', 'line_ids'] as const satisfies readonly (keyof OpsCancelBody)[];

/** Refuses pieces under two names at once, in any JSON value: they might not mean the same. */
export function cancelProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const sent = PIECES.filter((name) => Object.hasOwn(body, name));
  const message = `Send only one of ${PIECES.join(', ')}.`;
  return sent.length > 1 ? sent.map((path) => ({ path, code: 'one_of', message })) : [];
}

/** Throws 403 when a cancel keeps the money and the operator has no role for that. */
export function refuseNoRefund(operator: Operator, refund: OpsCancelBody['refund']): void {
  if (refund !== 'none') return;
  refuseRole(operator, NO_REFUND_ROLES, 'Cancelling without a refund needs the role finance or admin.');
}

type By = {
  readonly actor: string;
  readonly reason: string;
  readonly keepsMoney: boolean;
  /** Who cancels, where the last pieces are the whole order; operators unless it is said. */
  readonly cancelledBy?: WholeCancel['cancelledBy'];
};

async function cancelOrder(tx: Db, ctx: PaymentsContext, order: LockedOrder, by: By, now: Date): Promise<Cancelled> {
  if (order.state === 'cancelled') return 'nothing';
  await cancelWhole(tx, ctx, order, wholeCancel(by, FULL_CREDIT), now);
  return 'order';
}

function wholeCancel(by: By, credit: WholeCancel['credit']): WholeCancel {
  const { actor, reason, keepsMoney, cancelledBy = 'ops' } = by;
  return { cancelledBy, actor, reason, credit: keepsMoney ? () => 'none' : credit };
}

async function cancelSome(
  tx: Db,
  ctx: PaymentsContext,
  order: LockedOrder,
  by: By & { readonly body: CancelledPieces },
  now: Date,
): Promise<Cancelled> {
  if (order.state === 'cancelled') throw new ApiError('conflict', 'The whole order is already cancelled.');
  if (order.paid_at === null) {
    const detail = 'This order has not been paid for. Settle it first, or cancel the whole order.';
    throw new ApiError('conflict', detail);
  }
  const sold = await readSoldOrder(tx, order);
  const pieces = piecesOf(by.body, sold.lines);
  const after = sold.lines.map((line) => ({ ...line, cancelled: line.cancelled + (pieces.get(line.id) ?? 0) }));
  if (isNothingLive(after)) {
    await cancelWhole(
      tx,
      ctx,
      order,
      wholeCancel(by, (whole) => creditForPieces(whole, pieces)),
      now,
    );
    return 'order';
  }
  await lockSetupRights(tx, order.account_id, order.id);
  await releasePieces(tx, order, { pieces, lines: sold.lines, actor: by.actor, reason: by.reason }, now);
  if (!by.keepsMoney) {
    await refundCredit(tx, order, creditForPieces(sold, pieces), { ...by, kind: 'cancellation' }, now);
  }
  await passOnSetupRights(tx, order.account_id, order.id, rightsNotNeeded(sold, after));
  await cancelPieces(tx, { accountId: order.account_id, orderId: order.id, pieces });
  await dropUnneeded(tx, { accountId: order.account_id, orderId: order.id }, now);
  const isComplete = after.every((line) => line.cancelled + line.shipped === line.quantity);
  const events = isComplete ? [await dispatchedEvent(tx, order)] : [];
  const to = isComplete ? 'dispatched' : order.state;
  await moveOrder(
    tx,
    ctx.config,
    order,
    { to, action: 'cancel_lines', actor: by.actor, reason: `${piecesText(pieces)}: ${by.reason}`, events },
    now,
  );
  for (const event of events) await mailDispatched(ctx, tx, order, event);
  return 'pieces';
}

/** Most lines that the history names. */
const LINES_NAMED_MAX = 20;

function piecesText(pieces: ReadonlyMap<string, number>): string {
  const named = [...pieces].map(([id, quantity]) => `${quantity} of ${publicId('line', id as Uuid)}`);
  const more = named.length - LINES_NAMED_MAX;
  return `${named.slice(0, LINES_NAMED_MAX).join(', ')}${more > 0 ? ` and of ${more} more lines` : ''}`;
}

/** Reads how many pieces of which lines to cancel. Throws 422 with every problem. */
function piecesOf(body: CancelledPieces, lines: readonly SoldLine[]): ReadonlyMap<string, number> {
  const open = openPieces(lines);
  const known = new Set(lines.map(({ id }) => id));
  const pieces = new Map<string, number>();
  const problems: Problem[] = [];
  const take = (publicLineId: string, quantity: number | 'all', at: { line: string; quantity: string }): void => {
    const id = parseId('line', publicLineId);
    if (id === undefined || !known.has(id)) {
      problems.push({ path: at.line, code: 'unknown_line', message: 'This order has no such line.' });
      return;
    }
    const left = open.get(id) ?? 0;
    if (pieces.has(id)) {
      problems.push({ path: at.line, code: 'duplicate', message: 'This line is named twice.' });
    } else if (left === 0) {
      const message = 'Every piece of this line has shipped or is cancelled.';
      problems.push({ path: at.line, code: 'out_of_bounds', message });
    } else if (quantity !== 'all' && quantity > left) {
      const message = `Only ${left} of this line can still be cancelled; the others have shipped or are cancelled.`;
      problems.push({ path: at.quantity, code: 'out_of_bounds', message });
    }
    pieces.set(id, quantity === 'all' ? left : quantity);
  };
  for (const [index, id] of (body.line_ids ?? []).entries()) {
    const path = `line_ids[${index}]`;
    take(id, 'all', { line: path, quantity: path });
  }
  for (const name of ['items', 'lines'] as const) {
    for (const [index, { line_id: id, quantity }] of (body[name] ?? []).entries()) {
      take(id, quantity, { line: `${name}[${index}].line_id`, quantity: `${name}[${index}].quantity` });
    }
  }
  if (problems.length > 0) throw validationFailed(problems);
  return pieces;
}

/** The setup rights that only the cancelled pieces relied on. */
function rightsNotNeeded(sold: Sold, after: readonly SoldLine[]): { design_hash: string; method: string }[] {
  const before = setupsNotNeeded(sold.lines);
  return [...setupsNotNeeded(after)]
    .filter((key) => !before.has(key))
    .map((key) => {
      const [designHash = '', method = ''] = key.split(':');
      return { design_hash: designHash, method };
    });
}
