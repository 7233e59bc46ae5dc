import { publicId, type Uuid } from '../../lib/ids.ts';
import { normaliseEmail } from '../create-user.ts';
import { unknownOperator } from '../mint-operator-token.ts';
import { enableOperatorRow, findOperatorByEmail, lockOperator } from '../operator-sql.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';

/**
 * Lets a disabled operator work again, with the role and the password of before.
 * Tokens that ended stay ended: mint a new one. Idempotent; an unknown address is 404. Locks the operator.
 */
export async function enableOperator(
  ctx: AccessContext,
  actor: Actor,
  email: string,
  reason?: string,
): Promise<{ id: Uuid; email: string }> {
  const address = normaliseEmail(email);
  const id = await findOperatorByEmail(ctx.database, address);
  if (id === undefined) throw unknownOperator(address);
  const detail = { operator_id: publicId('op', id), email: address };
  await actOnAccess(ctx, actor, { action: 'enable_operator', subjectId: id, detail, reason }, async (tx) => {
    await lockOperator(tx, address);
    await enableOperatorRow(tx, id);
  });
  return { id, email: address };
}
