import type { PersonRole } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { IDLE_MS } from '../portal/session-times.ts';

// People who sign in for an account, and where they are signed in.

export type ListedUserRow = {
  id: Uuid;
  account_id: Uuid;
  email: string;
  name: string;
  role: PersonRole;
  created_at: Date;
  disabled_at: Date | null;
};

const USER_COLUMNS = 'id, account_id, email, name, role, created_at, disabled_at';

const LIST_USERS = statement<ListedUserRow>(
  'access_list_users',
  `select ${USER_COLUMNS} from account_user where account_id = $1 and id < $2 order by id desc limit $3`,
);

/** A page of the people of an account, newest first, from after `before`. */
export async function listUserRows(
  db: Db,
  page: { accountId: Uuid; before: Uuid; limit: number },
): Promise<ListedUserRow[]> {
  return db.all(LIST_USERS, [page.accountId, page.before, page.limit]);
}

const FIND_USER = statement<ListedUserRow>(
  'access_find_user',
  `select ${USER_COLUMNS} from account_user where id = $1`,
);

/** A person by their id. */
export async function findUserRow(db: Db, id: Uuid): Promise<ListedUserRow | undefined> {
  return db.one(FIND_USER, [id]);
}

const FIND_USER_OF_ACCOUNT = statement<ListedUserRow>(
  'access_find_user_of_account',
  `select ${USER_COLUMNS} from account_user where email = $2 and account_id = $1`,
);

/** The person of an account with an address. */
export async function findUserOfAccount(db: Db, accountId: Uuid, email: string): Promise<ListedUserRow | undefined> {
  return db.one(FIND_USER_OF_ACCOUNT, [accountId, email]);
}

const ACCOUNT_OF_ADDRESS = statement<{ account_id: Uuid }>(
  'access_account_of_address',
  'select account_id from account_user where email = $1',
);

/** The account that an address signs in to, or did before its person was disabled. */
export async function accountOfAddress(db: Db, email: string): Promise<Uuid | undefined> {
  return (await db.one(ACCOUNT_OF_ADDRESS, [email]))?.account_id;
}

// A request that writes a session or a grant of the person holds a lock that conflicts with this one (`oauth/sql.ts`).
const LOCK_USER = statement<{ id: Uuid }>('access_lock_user', 'select id from account_user where id = $1 for update');

/** Locks a person, so that nothing new is signed in or granted until the transaction ends. */
export async function lockUser(tx: Db, id: Uuid): Promise<void> {
  await tx.one(LOCK_USER, [id]);
}

const DISABLE_USER = statement<never>(
  'access_disable_user',
  'update account_user set disabled_at = coalesce(disabled_at, $2) where id = $1',
);

/** Disables a person. Idempotent. */
export async function disableUserRow(tx: Db, id: Uuid, now: Date): Promise<void> {
  await tx.all(DISABLE_USER, [id, now]);
}

const ENABLE_USER = statement<never>('access_enable_user', 'update account_user set disabled_at = null where id = $1');

/** Lets a disabled person sign in again. */
export async function enableUserRow(tx: Db, id: Uuid): Promise<void> {
  await tx.all(ENABLE_USER, [id]);
}

const SET_PASSWORD = statement<never>(
  'access_set_password',
  'update account_user set password_hash = $2 where id = $1',
);

/** Replaces the hash of a person's password. */
export async function setPasswordHash(tx: Db, id: Uuid, passwordHash: string): Promise<void> {
  await tx.all(SET_PASSWORD, [id, passwordHash]);
}

// What is ended has no time of its end: a request that has read its clock before would find it live still.
const END_SESSIONS = statement<never>(
  'access_end_sessions',
  `with of_portal as (
     update portal_session set ends_at = '-infinity'
     where account_id = $1 and user_id = $2 and id is distinct from $3
   )
   update oauth_record set expires_at = '-infinity'
   where account_id = $1 and user_id = $2 and kind in ('session', 'interaction')`,
);

/**
 * Ends the sessions of a locked person, of the portal, too, and the authorizations that wait in one.
 * The session of the portal in which the person does it themselves is kept.
 */
export async function endSessions(
  tx: Db,
  user: { accountId: Uuid; id: Uuid; keptSessionId: Uuid | null },
): Promise<void> {
  await tx.all(END_SESSIONS, [user.accountId, user.id, user.keptSessionId]);
}

const END_GRANTS = statement<never>(
  'access_end_grants',
  'update oauth_grant set revoked_at = $3 where account_id = $1 and user_id = $2 and revoked_at is null',
);

/** Revokes all that a locked person has allowed to apps. */
export async function endGrants(tx: Db, user: { accountId: Uuid; id: Uuid }, now: Date): Promise<void> {
  await tx.all(END_GRANTS, [user.accountId, user.id, now]);
}

/** Where a person signs in: at the consent page of an app, or at the portal. */
export const SESSION_KINDS = ['consent', 'portal'] as const;

export type SessionRow = {
  id: Uuid;
  kind: (typeof SESSION_KINDS)[number];
  user_id: Uuid;
  email: string;
  created_at: Date;
  expires_at: Date;
};

const LIST_SESSIONS = statement<SessionRow>(
  'access_list_sessions',
  `(select s.id, 'consent' as kind, s.user_id, u.email, s.created_at, s.expires_at
    from oauth_record s join account_user u on u.account_id = s.account_id and u.id = s.user_id
    where s.kind = 'session' and s.account_id = $1 and s.id < $2 and s.expires_at > $4 order by s.id desc limit $3)
   union all
   (select s.id, 'portal', s.user_id, u.email, s.created_at, least(s.ends_at, s.last_seen_at + $5 * interval '1 ms')
    from portal_session s join account_user u on u.account_id = s.account_id and u.id = s.user_id
    where s.account_id = $1 and s.id < $2 and s.ends_at > $4 and s.last_seen_at + $5 * interval '1 ms' > $4
    order by s.id desc limit $3)
   order by id desc limit $3`,
);

/** A page of the live sessions of an account's people, newest first, from after `before`. */
export async function listSessionRows(
  db: Db,
  page: { accountId: Uuid; before: Uuid; limit: number; now: Date },
): Promise<SessionRow[]> {
  return db.all(LIST_SESSIONS, [page.accountId, page.before, page.limit, page.now, IDLE_MS]);
}

const SESSION_USER = statement<{ account_id: Uuid; user_id: Uuid }>(
  'access_session_user',
  `select account_id, user_id from oauth_record where kind = 'session' and id = $1 and user_id is not null
   union all select account_id, user_id from portal_session where id = $1`,
);

/** Whose session one is. */
export async function findSessionUser(db: Db, id: Uuid): Promise<{ account_id: Uuid; user_id: Uuid } | undefined> {
  return db.one(SESSION_USER, [id]);
}

const END_SESSION = statement<never>(
  'access_end_session',
  `with of_portal as (update portal_session set ends_at = '-infinity' where id = $1)
   update oauth_record set expires_at = '-infinity' where kind = 'session' and id = $1`,
);

/** Ends one session of a locked person. Idempotent. */
export async function endSession(tx: Db, id: Uuid): Promise<void> {
  await tx.all(END_SESSION, [id]);
}
