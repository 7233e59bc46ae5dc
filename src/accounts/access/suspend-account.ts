import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { resumeAccountRow, suspendAccountRow } from './account-sql.ts';
import { type AccessContext, type Actor, actOnAccess } from './act-on-access.ts';

/**
 * Suspends an account.
 * Within a second its tokens, sessions and apps answer as unknown ones do, on every node. Nothing of them is changed,
 * so all work again once the account is resumed. Its orders go on being made and its webhooks being sent. Idempotent:
 * the first reason stays. Throws 404 for an unknown account.
 */
export async function suspendAccount(ctx: AccessContext, actor: Actor, id: Uuid, reason: string): Promise<void> {
  const detail = { account_id: publicId('acct', id) };
  await actOnAccess(ctx, actor, { action: 'suspend_account', subjectId: id, detail, reason }, async (tx, now) => {
    if (!(await suspendAccountRow(tx, id, reason, now))) throw noSuch('account');
  });
}

/** Resumes a suspended account. Idempotent. Throws 404 for an unknown account. */
export async function resumeAccount(
  ctx: AccessContext,
  actor: Actor,
  id: Uuid,
  reason: string | undefined,
): Promise<void> {
  const detail = { account_id: publicId('acct', id) };
  await actOnAccess(ctx, actor, { action: 'resume_account', subjectId: id, detail, reason }, async (tx) => {
    if (!(await resumeAccountRow(tx, id))) throw noSuch('account');
  });
}
