import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { findOperatorAction, insertOperatorAction } from './operator-sql.ts';

/** An operator's action: for the audit log, and to tell a repeat from a new request under the same key. */
export type OperatorAct = {
  /** The verb in the audit log: `promote`, `receive_stock`. */
  readonly action: string;
  readonly orderId: Uuid | null;
  /**
   * Id of what the action creates; otherwise the order, or null.
   * Chosen beforehand, so that a repeat can return it.
   */
  readonly subjectId: Uuid | null;
  /** The request, for a person who reads the log: no secrets. */
  readonly detail: object;
  readonly once: Once;
};

export type Acted<T> =
  | { readonly kind: 'done'; readonly result: T }
  /** The same request ran before; `subjectId` is what it created. */
  | { readonly kind: 'repeated'; readonly subjectId: Uuid | null };

/**
 * Runs an operator's action at most once for each Idempotency-Key.
 * One transaction holds the action and its row of the audit log. The key is the first lock. The same key with another
 * request is 409; a repeat of the same request is a no-op.
 */
export async function actOnce<T>(
  ctx: Pick<Context, 'database' | 'clock'>,
  operator: Operator,
  act: OperatorAct,
  work: (tx: Db, now: Date) => Promise<T>,
): Promise<Acted<T>> {
  return ctx.database.transaction(async (tx) => {
    // Read inside the transaction: after a wait for a connection or a retry, an earlier time would date the change
    // before what others have read.
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
    const { requestHash, earlierHashes = [] } = act.once;
    if (![requestHash, ...earlierHashes].some((hash) => before.request_hash.equals(hash))) {
      throw new ApiError(
        'conflict',
        'This Idempotency-Key was used for another request. Use a new one for each request.',
      );
    }
    return { kind: 'repeated', subjectId: before.subject_id };
  });
}

/**
 * Whether an Idempotency-Key was used already.
 * If so, the caller must do nothing outside of the transaction either: `actOnce` then returns the earlier result, or
 * refuses.
 */
export async function isKeyUsed(ctx: Pick<Context, 'database'>, operator: Operator, once: Once): Promise<boolean> {
  return once.key !== undefined && (await findOperatorAction(ctx.database, operator.id, once.key)) !== undefined;
}
