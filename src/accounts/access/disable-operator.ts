import { publicId, type Uuid } from '../../lib/ids.ts';
import { normaliseEmail } from '../create-user.ts';
import { unknownOperator } from '../mint-operator-token.ts';
import { disableOperatorRow, findOperatorByEmail, lockOperator } from '../operator-sql.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';

/**
 * Disables an operator: their tokens stop working within a second, and no new one is minted.
 * What they did stays in the audit log. Idempotent; an unknown address is 404. Locks the operator.
 */
export async function disableOperator(
  ctx: AccessContext,
  actor: Actor,
  email: string,
  reason?: string,
): Promise<{ id: Uuid; email: string }> {
  const address = normaliseEmail(email);
  const id = await findOperatorByEmail(ctx.database, address);
  if (id === undefined) throw unknownOperator(address);
  const detail = { operator_id: publicId('op', id), email: address };
  await actOnAccess(ctx, actor, { action: 'disable_operator', subjectId: id, detail, reason }, async (tx, now) => {
    await lockOperator(tx, address);
    await disableOperatorRow(tx, id, now);
  });
  return { id, email: address };
}
