import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import type { ApiError } from '../../lib/errors.ts';
import { type IdPrefix, newId, parseId, type Uuid } from '../../lib/ids.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import { type Acted, actOnce } from '../act-once.ts';
import { insertOperatorAction } from '../operator-sql.ts';

/**
 * Who withdraws access or data.
 * An operator over the API, who runs a command of `platen` on a machine, or a platform of shops on behalf of a buyer.
 */
export type Actor =
  | { readonly kind: 'operator'; readonly operator: Operator; readonly once: Once }
  | { readonly kind: 'command line'; readonly osUser: string }
  | { readonly kind: 'platform'; readonly name: string };

export type AccessAct = {
  /** The verb in the audit log: `suspend_account`. */
  readonly action: string;
  readonly subjectId: Uuid | null;
  /** What it is done to, by public ids, for a person who reads the log. No secrets. */
  readonly detail: Readonly<Record<string, unknown>>;
  /** Why, in the words of the actor. */
  readonly reason: string | undefined;
};

export type AccessContext = Pick<Context, 'database' | 'clock'>;

/**
 * Runs a change of access in one transaction with its row of the audit log.
 * Returns undefined for a repeat of an operator's request under its key, in which `work` is not run.
 */
export async function actOnAccess<T>(
  ctx: AccessContext,
  actor: Actor,
  act: AccessAct,
  work: (tx: Db, now: Date) => Promise<T>,
): Promise<T | undefined> {
  const acted = await actAs(ctx, actor, { ...act, orderId: null }, work);
  return acted.kind === 'done' ? acted.result : undefined;
}

/**
 * Runs what an operator or a command does in one transaction with its row of the audit log.
 * The row has who, when and why. A repeat of an operator's request under its key runs nothing (`actOnce`).
 */
export async function actAs<T>(
  ctx: AccessContext,
  actor: Actor,
  { action, orderId, subjectId, detail, reason }: AccessAct & { readonly orderId: Uuid | null },
  work: (tx: Db, now: Date) => Promise<T>,
): Promise<Acted<T>> {
  const entry = { action, orderId, subjectId };
  const recorded = { ...detail, ...(reason === undefined ? {} : { reason }) };
  if (actor.kind === 'operator') {
    return actOnce(ctx, actor.operator, { ...entry, detail: recorded, once: actor.once }, work);
  }
  return ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await insertOperatorAction(tx, {
      ...entry,
      id: newId(now.getTime()),
      operatorId: null,
      detail: { ...recorded, ...(actor.kind === 'platform' ? { platform: actor.name } : { os_user: actor.osUser }) },
      key: null,
      // Only compared with a repeat under a key, which a command does not have.
      requestHash: Buffer.alloc(0),
      now,
    });
    return { kind: 'done', result: await work(tx, now) };
  });
}

/**
 * Makes an actor whose request is recorded by a keyed hash.
 * Without our key that says nothing to those who guess what was sent. `hashBy` makes it with the digest of one key. A
 * repeat is compared by every key, so that it is known as one after an exchange of SECRET_KEY.
 */
export function withKeyedHash(
  { secrets }: Pick<Context, 'secrets'>,
  actor: Actor,
  hashBy: (digest: (text: string) => Buffer, requestHash: string) => Buffer,
): Actor {
  if (actor.kind !== 'operator') return actor;
  const given = actor.once.requestHash.toString('hex');
  const earlierHashes = secrets.everyDigest.map((digest) => hashBy(digest, given));
  return { ...actor, once: { ...actor.once, requestHash: hashBy(secrets.digest, given), earlierHashes } };
}

/** The id of a path, which `missing` is thrown for when it cannot be one. */
export function idOr(missing: ApiError, prefix: IdPrefix, text: string): Uuid {
  const id = parseId(prefix, text);
  if (id === undefined) throw missing;
  return id;
}

/** The operator of a request, as an actor. */
export function operatorActor(operator: Operator, once: Once): Actor {
  return { kind: 'operator', operator, once };
}
