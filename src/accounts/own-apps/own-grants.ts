import type { SignedIn } from '../../lib/caller.ts';
import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { recordAct } from '../access/record-act.ts';
import type { SessionContext } from '../portal/open-session.ts';
import { lockOwnGrant, revokeOwnGrantRow } from './app-sql.ts';

/**
 * Revokes what a person of the account has allowed an app.
 * Its codes and tokens end within two seconds. Idempotent. Throws 404 for a grant of any other account.
 */
export async function revokeOwnGrant(ctx: SessionContext, caller: SignedIn, id: Uuid): Promise<void> {
  const { accountId } = caller;
  await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const grant = await lockOwnGrant(tx, accountId, id);
    if (grant === undefined) throw noSuch('grant');
    if (grant.is_revoked) return;
    await revokeOwnGrantRow(tx, { accountId, id, now });
    const detail = { grant_id: publicId('gnt', id) };
    await recordAct(tx, caller, { action: 'revoke_own_grant', subjectId: id, detail }, now);
  });
}
