import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

const SUSPEND = statement<{ id: Uuid }>(
  'access_suspend_account',
  `update account set suspended_at = coalesce(suspended_at, $2),
     suspended_reason = case when suspended_at is null then $3 else suspended_reason end
   where id = $1 returning id`,
);

/**
 * Suspends an account; false when there is none of that id.
 * One that is suspended keeps the time and the reason that it was suspended with first.
 */
export async function suspendAccountRow(tx: Db, id: Uuid, reason: string, now: Date): Promise<boolean> {
  return (await tx.one(SUSPEND, [id, now, reason])) !== undefined;
}

const RESUME = statement<{ id: Uuid }>(
  'access_resume_account',
  'update account set suspended_at = null, suspended_reason = null where id = $1 returning id',
);

/** Ends the suspension of an account; false when there is none of that id. */
export async function resumeAccountRow(tx: Db, id: Uuid): Promise<boolean> {
  return (await tx.one(RESUME, [id])) !== undefined;
}
