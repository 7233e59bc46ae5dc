import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';
import { revokeOperatorTokenRow, revokeTokenRow } from './token-sql.ts';

/** Revokes a token; within a second no node accepts it. Idempotent. Throws 404 for an unknown one. */
export async function revokeToken(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const detail = { token_id: publicId('tok', id) };
  await actOnAccess(ctx, actor, { action: 'revoke_token', subjectId: id, detail, reason }, async (tx, now) => {
    if (!(await revokeTokenRow(tx, id, now))) throw noSuch('token');
  });
}

/** As `revokeToken`, for one token of an operator; the others stay valid. */
export async function revokeOperatorToken(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const detail = { operator_token_id: publicId('otk', id) };
  const act = { action: 'revoke_operator_token', subjectId: id, detail, reason };
  await actOnAccess(ctx, actor, act, async (tx, now) => {
    if (!(await revokeOperatorTokenRow(tx, id, now))) throw noSuch('token');
  });
}
