import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { accountExists } from '../sql.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';
import { findClientRow, type GrantsOf, revokeGrantRow, revokeGrantRows } from './app-sql.ts';

/** So many rows are written within a second. */
const GRANTS_AT_ONCE_MAX = 10_000;

/**
 * Revokes a grant: its codes, refresh tokens and access tokens end within a second on every node.
 * Idempotent. Throws 404 for an unknown one.
 */
export async function revokeGrantById(ctx: AccessContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const detail = { grant_id: publicId('gnt', id) };
  await actOnAccess(ctx, actor, { action: 'revoke_oauth_grant', subjectId: id, detail, reason }, async (tx, now) => {
    if (!(await revokeGrantRow(tx, id, now))) throw noSuch('grant');
  });
}

/**
 * Revokes the grants of an account's people, those to an app, or the overlap of both.
 * At most ten thousand at a time: `hasMore` says that the same call must be made again. Throws 404 for an unknown
 * account or app. A repeat of an operator's request under its key revokes nothing.
 */
export async function revokeGrants(
  ctx: AccessContext,
  actor: Actor,
  of: GrantsOf,
  reason?: string,
): Promise<{ revoked: number; hasMore: boolean }> {
  await refuseUnknown(ctx, of);
  const detail = {
    ...(of.accountId === undefined ? {} : { account_id: publicId('acct', of.accountId) }),
    ...(of.clientId === undefined ? {} : { client_id: publicId('client', of.clientId) }),
  };
  const act = { action: 'revoke_oauth_grants', subjectId: of.accountId ?? of.clientId ?? null, detail, reason };
  const revoked = await actOnAccess(ctx, actor, act, (tx, now) => revokeGrantRows(tx, of, GRANTS_AT_ONCE_MAX, now));
  return { revoked: revoked ?? 0, hasMore: revoked === GRANTS_AT_ONCE_MAX };
}

/** Throws 404 when the account or the app does not exist. */
export async function refuseUnknown(ctx: Pick<AccessContext, 'database'>, of: GrantsOf): Promise<void> {
  if (of.accountId !== undefined && !(await accountExists(ctx.database, of.accountId))) throw noSuch('account');
  if (of.clientId !== undefined && (await findClientRow(ctx.database, of.clientId)) === undefined) throw noSuch('app');
}
