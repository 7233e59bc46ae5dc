import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Apps and grants of one account, as its own people change them.

const COUNT = statement<{ registered: number; ever: number }>(
  'own_apps_count',
  'select count(*) filter (where removed_at is null) as registered, count(*) as ever from oauth_client where account_id = $1',
);

/** How many apps of an account are registered, and how many were ever. */
export async function countOwnApps(tx: Db, accountId: Uuid): Promise<{ registered: number; ever: number }> {
  return (await tx.one(COUNT, [accountId])) ?? { registered: 0, ever: 0 };
}

const KIND = statement<{ is_confidential: boolean; is_removed: boolean }>(
  'own_apps_kind',
  `select secret_hash is not null as is_confidential, removed_at is not null as is_removed
   from oauth_client where account_id = $1 and id = $2 for no key update`,
);

/** Locks an app of an account, and says what it is. */
export async function lockOwnApp(
  tx: Db,
  accountId: Uuid,
  id: Uuid,
): Promise<{ is_confidential: boolean; is_removed: boolean } | undefined> {
  return tx.one(KIND, [accountId, id]);
}

const ROTATE = statement<never>(
  'own_apps_rotate',
  `update oauth_client set secret_hash = $3, secret_version = secret_version + 1, rotated_at = $4
   where account_id = $1 and id = $2`,
);

/** Replaces the hash of the secret of a locked app. */
export async function rotateOwnApp(
  tx: Db,
  app: { accountId: Uuid; id: Uuid; secretHash: Buffer; now: Date },
): Promise<void> {
  await tx.all(ROTATE, [app.accountId, app.id, app.secretHash, app.now]);
}

const REMOVE = statement<never>(
  'own_apps_remove',
  'update oauth_client set removed_at = $3 where account_id = $1 and id = $2',
);

/** Removes a locked app. */
export async function removeOwnAppRow(tx: Db, app: { accountId: Uuid; id: Uuid; now: Date }): Promise<void> {
  await tx.all(REMOVE, [app.accountId, app.id, app.now]);
}

const LOCK_GRANT = statement<{ is_revoked: boolean }>(
  'own_grants_lock',
  'select revoked_at is not null as is_revoked from oauth_grant where account_id = $1 and id = $2 for no key update',
);

/** Locks a grant of an account, and says whether it is revoked. */
export async function lockOwnGrant(tx: Db, accountId: Uuid, id: Uuid): Promise<{ is_revoked: boolean } | undefined> {
  return tx.one(LOCK_GRANT, [accountId, id]);
}

const REVOKE = statement<never>(
  'own_grants_revoke',
  'update oauth_grant set revoked_at = $3 where account_id = $1 and id = $2',
);

/** Revokes a locked grant. */
export async function revokeOwnGrantRow(tx: Db, grant: { accountId: Uuid; id: Uuid; now: Date }): Promise<void> {
  await tx.all(REVOKE, [grant.accountId, grant.id, grant.now]);
}
