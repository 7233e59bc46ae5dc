import { type Db, statement } from '../../lib/db.ts';
import { LAST_ID, type Uuid } from '../../lib/ids.ts';
import { PAGE_ROWS_MAX } from '../../lib/paging.ts';

/** What happened to a person's sign-in. */
export const SIGN_IN_EVENTS = [
  'signed_in',
  'refused',
  'code_refused',
  'signed_out',
  'session_ended',
  'password_changed',
  'password_reset',
  'joined',
  'factor_added',
  'factor_removed',
] as const;
export type SignInEvent = (typeof SIGN_IN_EVENTS)[number];

export type SignInRow = {
  id: Uuid;
  kind: SignInEvent;
  at: Date;
  ip: string;
  user_agent: string;
  times: number;
};

const NOTE = statement<never>(
  'sign_in_log_note',
  `insert into sign_in_log (account_id, id, user_id, kind, at, ip, user_agent, hour, alike)
   select u.account_id, $1, u.id, $3, $4, $5, $6, date_trunc('hour', $4::timestamptz), $7 from account_user u where u.id = $2
   on conflict (account_id, user_id, kind, hour, alike) do update set times = sign_in_log.times + 1, at = excluded.at,
     ip = excluded.ip, user_agent = excluded.user_agent`,
);

/** Notes an event; what is alike within an hour is counted in one row. */
export async function insertSignIn(
  db: Db,
  event: {
    readonly id: Uuid;
    readonly userId: Uuid;
    readonly kind: SignInEvent;
    readonly at: Date;
    readonly ip: string;
    readonly userAgent: string;
    readonly alike: string;
  },
): Promise<void> {
  const { id, userId, kind, at, ip, userAgent, alike } = event;
  await db.all(NOTE, [id, userId, kind, at, ip, userAgent, alike]);
}

const PAGE = statement<SignInRow>(
  'sign_in_log_page',
  `select id, kind, at, ip, user_agent, times from (
     select * from sign_in_log where account_id = $1 and user_id = $2 and id < $3 order by id desc limit ${PAGE_ROWS_MAX}
   ) as newest order by id desc limit $4`,
);

/** A page of what happened to the sign-in of a person, the newest first. */
export async function listSignIns(
  db: Db,
  of: { readonly accountId: Uuid; readonly userId: Uuid },
  page: { readonly before: Uuid | undefined; readonly limit: number },
): Promise<SignInRow[]> {
  return db.all(PAGE, [of.accountId, of.userId, page.before ?? LAST_ID, page.limit]);
}

const IS_OF = statement<{ id: Uuid }>(
  'sign_in_log_person',
  'select id from account_user where account_id = $1 and id = $2',
);

/** Whether a person is of an account. */
export async function isPersonOf(db: Db, accountId: Uuid, userId: Uuid): Promise<boolean> {
  return (await db.one(IS_OF, [accountId, userId])) !== undefined;
}
