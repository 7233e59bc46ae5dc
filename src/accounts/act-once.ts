import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { findOperatorAction, insertOperatorAction } from './operator-sql.ts';

/** What an operator does: for the audit log, and to tell a repeat from another request under the same key. */
export type OperatorAct = {
  /** A verb of the history: `promote`, `receive_stock`. */
  readonly action: string;
  readonly orderId: Uuid | null;
  /** What it makes, known before it is made, so that a repeat can be answered with it; the order or null otherwise. */
  readonly subjectId: Uuid | null;
  /** What was asked, for a person who reads the log: no secrets. */
  readonly detail: object;
  readonly once: Once;
};

export type Acted<T> =
  | { readonly kind: 'done'; readonly result: T }
  /** The same request was done before; `subjectId` is what it made. */
  | { readonly kind: 'repeated'; readonly subjectId: Uuid | null };

/**
 * Runs what an operator does in one transaction together with its row of the audit log, at most once for each Idempotency-Key. The
 * key is the first lock. The same key with another request is 409; a repeat of the same does nothing.
 */
export async function actOnce<T>(
  ctx: Pick<Context, 'database' | 'clock'>,
  operator: Operator,
  act: OperatorAct,
  work: (tx: Db, now: Date) => Promise<T>,
): Promise<Acted<T>> {
  return ctx.database.transaction(async (tx) => {
    // Not before: whoever has waited for a connection, or was run again, would be seen as changed before what others have read.
    const now = ctx.clock.now();
    const isNew = await insertOperatorAction(tx, {
      id: newId(now.getTime()),
      operatorId: operator.id,
      action: act.action,
      orderId: act.orderId,
      subjectId: act.subjectId,
      detail: act.detail,
      key: act.once.key ?? null,
      requestHash: act.once.requestHash,
      now,
    });
    if (isNew) return { kind: 'done', result: await work(tx, now) };
    const before = await findOperatorAction(tx, operator.id, act.once.key ?? '');
    if (before === undefined) throw new Error('an Idempotency-Key was taken and is not to be found');
    if (!before.request_hash.equals(act.once.requestHash)) {
      throw new ApiError(
        'conflict',
        'This Idempotency-Key was used for another request. Use a new one for each request.',
      );
    }
    return { kind: 'repeated', subjectId: before.subject_id };
  });
}

/**
 * Whether an Idempotency-Key was used already, so that nothing may be done outside of the transaction either: `actOnce` then answers
 * with what was done, or refuses.
 */
export async function isKeyUsed(ctx: Pick<Context, 'database'>, operator: Operator, once: Once): Promise<boolean> {
  return once.key !== undefined && (await findOperatorAction(ctx.database, operator.id, once.key)) !== undefined;
}
