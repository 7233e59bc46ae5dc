import type { PortalPerson } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { newId, publicId, type Uuid } from '../../lib/ids.ts';
import { insertOperatorAction } from '../operator-sql.ts';

/** Who did it. */
type Doer = { readonly accountId: Uuid; readonly person: Pick<PortalPerson, 'userId'> };

/** Records in the audit log what a person did for their account by the portal. */
export async function recordAct(
  tx: Db,
  { accountId, person }: Doer,
  { action, subjectId, detail }: { action: string; subjectId: Uuid; detail: object },
  now: Date,
): Promise<void> {
  await insertOperatorAction(tx, {
    id: newId(now.getTime()),
    operatorId: null,
    action,
    orderId: null,
    subjectId,
    detail: { account_id: publicId('acct', accountId), ...detail, user_id: publicId('user', person.userId) },
    key: null,
    // Only compared with a repeat under a key, which a session does not have.
    requestHash: Buffer.alloc(0),
    now,
  });
}
