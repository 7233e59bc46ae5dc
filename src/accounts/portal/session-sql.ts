import type { PersonRole } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Sessions of the portal. The secret of a session stands in its cookie alone.

const INSERT_SESSION = statement<{ account_id: Uuid }>(
  'portal_insert_session',
  `insert into portal_session (account_id, id, user_id, token_hash, created_at, last_seen_at, ends_at, proven_at, user_agent)
   select u.account_id, $1, u.id, $3, $4, $4, $5, $4, $6 from account_user u where u.id = $2
   returning account_id`,
);

/** Writes a session of a locked person by the hash of its secret, and returns their account. */
export async function insertSession(
  tx: Db,
  session: { id: Uuid; userId: Uuid; hash: Buffer; now: Date; endsAt: Date; userAgent: string },
): Promise<Uuid | undefined> {
  const { id, userId, hash, now, endsAt, userAgent } = session;
  return (await tx.one(INSERT_SESSION, [id, userId, hash, now, endsAt, userAgent]))?.account_id;
}

const OTHER_BROWSER = statement<{ is_other: boolean }>(
  'portal_other_browser',
  `select count(*) > 0 and not bool_or(s.user_agent = $2) as is_other
   from account_user u join portal_session s on s.account_id = u.account_id and s.user_id = u.id where u.id = $1`,
);

/** Whether a person has sessions on record, of the last week, and all with other browsers. */
export async function isOtherBrowser(db: Db, userId: Uuid, userAgent: string): Promise<boolean> {
  return (await db.one(OTHER_BROWSER, [userId, userAgent]))?.is_other ?? false;
}

export type LiveSessionRow = { id: Uuid; account_id: Uuid; user_id: Uuid; role: PersonRole; last_seen_at: Date };

const LIVE_SESSION = statement<LiveSessionRow>(
  'portal_live_session',
  `select s.id, s.account_id, s.user_id, u.role, s.last_seen_at
   from portal_session s join account_user u on u.account_id = s.account_id and u.id = s.user_id
   join account a on a.id = s.account_id
   where s.token_hash = $1 and s.ends_at > $2 and s.last_seen_at > $3 and u.disabled_at is null and a.suspended_at is null`,
);

/**
 * The session of a hash, if it is not over.
 * It was used since `idleSince`, its person is not disabled and its account not suspended.
 */
export async function findLiveSession(
  db: Db,
  hash: Buffer,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<LiveSessionRow | undefined> {
  return db.one(LIVE_SESSION, [hash, now, idleSince]);
}

export type PortalSessionRow = {
  user_id: Uuid;
  email: string;
  name: string;
  role: PersonRole;
  account_id: Uuid;
  account_name: string;
  ends_at: Date;
  proven_at: Date;
  has_second_factor: boolean;
};

const SESSION = statement<PortalSessionRow>(
  'portal_session',
  `select s.user_id, u.email, u.name, u.role, s.account_id, a.name as account_name, s.ends_at, s.proven_at,
     f.user_id is not null as has_second_factor
   from portal_session s join account_user u on u.account_id = s.account_id and u.id = s.user_id
   join account a on a.id = s.account_id
   left join second_factor f on f.account_id = s.account_id and f.user_id = s.user_id and f.confirmed_at is not null
   where s.account_id = $1 and s.id = $2 and s.ends_at > $3`,
);

/** A session with its person and account, unless it has ended. */
export async function findPortalSession(
  db: Db,
  accountId: Uuid,
  id: Uuid,
  now: Date,
): Promise<PortalSessionRow | undefined> {
  return db.one(SESSION, [accountId, id, now]);
}

export type ListedSessionRow = { id: Uuid; created_at: Date; last_seen_at: Date; user_agent: string };

/** A person has no more sessions than this in a list; the oldest are left out. */
const LISTED_MAX = 200;

const LIST_SESSIONS = statement<ListedSessionRow>(
  'portal_list_sessions',
  `select id, created_at, last_seen_at, user_agent from portal_session
   where account_id = $1 and user_id = $2 and ends_at > $3 and last_seen_at > $4 order by id desc limit ${LISTED_MAX}`,
);

/** The sessions of a person that are not over, newest first. */
export async function listOwnSessionRows(
  db: Db,
  of: { accountId: Uuid; userId: Uuid; now: Date; idleSince: Date },
): Promise<ListedSessionRow[]> {
  return db.all(LIST_SESSIONS, [of.accountId, of.userId, of.now, of.idleSince]);
}

const END_OWN_SESSION = statement<{ id: Uuid }>(
  'portal_end_own_session',
  `update portal_session set ends_at = '-infinity'
   where account_id = $1 and user_id = $2 and id = $3 and ends_at > $4 returning id`,
);

/** Ends a session of a person; false when the person has none of that id that goes on. */
export async function endOwnSession(
  db: Db,
  of: { accountId: Uuid; userId: Uuid; id: Uuid; now: Date },
): Promise<boolean> {
  return (await db.one(END_OWN_SESSION, [of.accountId, of.userId, of.id, of.now])) !== undefined;
}

const PROVE_SESSION = statement<{ id: Uuid }>(
  'portal_prove_session',
  `update portal_session set proven_at = $3 where account_id = $1 and id = $2 and ends_at > $3 returning id`,
);

/** Notes that the person of a session has just given their password; false when the session has ended. */
export async function proveSession(db: Db, of: { accountId: Uuid; id: Uuid; now: Date }): Promise<boolean> {
  return (await db.one(PROVE_SESSION, [of.accountId, of.id, of.now])) !== undefined;
}

// A row that another node notes, or that is being ended, is left to the next note: nothing waits for one.
const NOTE_SEEN = statement<never>(
  'portal_note_seen',
  `with seen as (
     select s.account_id, s.id, u.at from portal_session s
     join unnest($1::uuid[], $2::timestamptz[]) as u(id, at) on u.id = s.id
     order by s.id for no key update of s skip locked
   )
   update portal_session s set last_seen_at = greatest(s.last_seen_at, seen.at)
   from seen where s.account_id = seen.account_id and s.id = seen.id`,
);

/** Writes when some sessions were last used. */
export async function noteSessionUses(db: Db, uses: ReadonlyMap<Uuid, Date>): Promise<void> {
  await db.all(NOTE_SEEN, [[...uses.keys()], [...uses.values()]]);
}
