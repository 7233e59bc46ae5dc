import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// How people come in who are not known yet, or have forgotten how.

const PERSON_TO_MAIL = statement<{ account_id: Uuid; name: string }>(
  'joining_person_to_mail',
  `select u.account_id, u.name from account_user u join account a on a.id = u.account_id
   where u.email = $1 and u.disabled_at is null and a.suspended_at is null`,
);

/** The person who signs in with an address, unless disabled or of a suspended account. */
export async function findPersonToMail(db: Db, email: string): Promise<{ account_id: Uuid; name: string } | undefined> {
  return db.one(PERSON_TO_MAIL, [email]);
}
