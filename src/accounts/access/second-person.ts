import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import { actorOf, type OperatorRole } from '../../lib/operator.ts';
import { hasOtherOperator, isEnabledOperator } from '../operator-sql.ts';
import type { Actor } from './act-on-access.ts';

/** An operator's id, or null for a command, and the name in histories. */
export type ActorName = { readonly id: Uuid | null; readonly name: string };

/** Names who acts. All commands count as one person: users of a machine prove nothing to each other. */
export function actorName(actor: Actor): ActorName {
  if (actor.kind === 'operator') return { id: actor.operator.id, name: actorOf(actor.operator) };
  return { id: null, name: actor.kind === 'platform' ? actor.name : `command line (${actor.osUser})` };
}

/**
 * Refuses an approval by the person who proposed, unless there is no other who could give it.
 * Returns whether it is an approval of one's own: that of a shop of one, in which no other operator with one of the
 * roles is enabled. An operator who was disabled since the request came in approves nothing. Locks the operator.
 */
export async function refuseSamePerson(
  tx: Db,
  proposedBy: Uuid | null,
  approver: ActorName,
  roles: readonly OperatorRole[],
): Promise<{ isOwn: boolean }> {
  if (approver.id !== null && !(await isEnabledOperator(tx, approver.id))) {
    throw new ApiError('unauthorized', 'This operator is disabled.', { headers: { 'www-authenticate': 'Bearer' } });
  }
  if (approver.id !== proposedBy) return { isOwn: false };
  if (await hasOtherOperator(tx, roles, approver.id)) {
    throw new ApiError(
      'conflict',
      `Another person must approve this: an operator with the role ${roles.join(' or ')}. Who proposed it may refuse it, or approve it where no other such operator is enabled.`,
    );
  }
  return { isOwn: true };
}
