import type { PersonRole } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// Links that work once. The token of a link stands in the link alone.

/** What a link lets a person do: come in for the first time, or choose a new password. */
export const LINK_KINDS = ['invitation', 'reset'] as const;

export type LinkRow = {
  id: Uuid;
  account_id: Uuid;
  account_name: string;
  kind: (typeof LINK_KINDS)[number];
  email: string;
  role: PersonRole | null;
  name: string;
  created_at: Date;
  ends_at: Date;
};

const INSERT_LINK = statement<never>(
  'portal_insert_link',
  `insert into account_link (account_id, id, kind, token_hash, email, role, name, created_at, ends_at)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
);

/** Writes a link by the hash of its token. */
export async function insertLink(
  tx: Db,
  link: Omit<LinkRow, 'account_name'> & { readonly hash: Buffer },
): Promise<void> {
  const { account_id: accountId, id, kind, hash, email, role, name, created_at: createdAt, ends_at: endsAt } = link;
  await tx.all(INSERT_LINK, [accountId, id, kind, hash, email, role, name, createdAt, endsAt]);
}

const COLUMNS = 'l.id, l.account_id, a.name as account_name, l.kind, l.email, l.role, l.name, l.created_at, l.ends_at';

const ACCOUNT_NAME = statement<{ name: string }>('portal_account_name', 'select name from account where id = $1');

/** What an account is called. */
export async function accountNameOf(db: Db, accountId: Uuid): Promise<string> {
  const row = await db.one(ACCOUNT_NAME, [accountId]);
  if (row === undefined) throw new Error('a link to an account that is not there');
  return row.name;
}

const LIVE_LINK = statement<LinkRow>(
  'portal_live_link',
  `select ${COLUMNS} from account_link l join account a on a.id = l.account_id
   where l.token_hash = $1 and l.ends_at > $2 and a.suspended_at is null`,
);

/** The link of a hash, if it can still be used and its account is not suspended. */
export async function findLiveLink(db: Db, hash: Buffer, now: Date): Promise<LinkRow | undefined> {
  return db.one(LIVE_LINK, [hash, now]);
}

// An ended link has no time of its end: a request that has read its clock before would find it live still.
const USE_LINK = statement<{ id: Uuid }>(
  'portal_use_link',
  "update account_link set ends_at = '-infinity' where token_hash = $1 and ends_at > $2 returning id",
);

/** Ends a link because it is used; false when it was used, withdrawn or has ended before. Locks it. */
export async function takeLink(tx: Db, hash: Buffer, now: Date): Promise<boolean> {
  return (await tx.one(USE_LINK, [hash, now])) !== undefined;
}

/** An account has no more open invitations than this. */
export const OPEN_INVITATIONS_MAX = 100;

const LIST_INVITATIONS = statement<LinkRow>(
  'portal_list_invitations',
  `select ${COLUMNS} from account_link l join account a on a.id = l.account_id
   where l.account_id = $1 and l.kind = 'invitation' and l.ends_at > $2 and l.id < $3 order by l.id desc limit $4`,
);

/** A page of the invitations of an account that can still be used, newest first, from after `before`. */
export async function listInvitationRows(
  db: Db,
  page: { accountId: Uuid; now: Date; before: Uuid; limit: number },
): Promise<LinkRow[]> {
  return db.all(LIST_INVITATIONS, [page.accountId, page.now, page.before, page.limit]);
}

const OPEN_INVITATION_TO = statement<Pick<LinkRow, 'id' | 'ends_at'>>(
  'portal_open_invitation_to',
  `select id, ends_at from account_link
   where account_id = $1 and email = $2 and kind = 'invitation' and ends_at > $3 order by id desc limit 1`,
);

/** The invitation to an address that can still be used. */
export async function findOpenInvitationTo(
  db: Db,
  of: { accountId: Uuid; email: string; now: Date },
): Promise<Pick<LinkRow, 'id' | 'ends_at'> | undefined> {
  return db.one(OPEN_INVITATION_TO, [of.accountId, of.email, of.now]);
}

const ACCOUNT_OF_INVITATION = statement<{ account_id: Uuid }>(
  'portal_account_of_invitation',
  "select account_id from account_link where id = $1 and kind = 'invitation'",
);

/** The account that an invitation is to, whether it can still be used or not. */
export async function accountOfInvitation(db: Db, id: Uuid): Promise<Uuid | undefined> {
  return (await db.one(ACCOUNT_OF_INVITATION, [id]))?.account_id;
}

const END_INVITATION = statement<{ id: Uuid }>(
  'portal_end_invitation',
  `update account_link set ends_at = '-infinity'
   where account_id = $1 and id = $2 and kind = 'invitation' and ends_at > $3 returning id`,
);

/** Withdraws an invitation; false when the account has none of that id that can still be used. */
export async function endInvitation(db: Db, of: { accountId: Uuid; id: Uuid; now: Date }): Promise<boolean> {
  return (await db.one(END_INVITATION, [of.accountId, of.id, of.now])) !== undefined;
}

const END_INVITATIONS = statement<never>(
  'portal_end_invitations',
  `update account_link set ends_at = '-infinity' where account_id = $1 and kind = 'invitation' and ends_at > $2`,
);

/** Withdraws all open invitations of an account: a link does not tell who made it. */
export async function endInvitations(tx: Db, accountId: Uuid, now: Date): Promise<void> {
  await tx.all(END_INVITATIONS, [accountId, now]);
}

const END_LINKS_OF = statement<never>(
  'portal_end_links_of',
  "update account_link set ends_at = '-infinity' where account_id = $1 and email = $2 and ends_at > $3",
);

/** Ends the links of an account to an address: a newer one replaces them. */
export async function endLinksOf(tx: Db, of: { accountId: Uuid; email: string; now: Date }): Promise<void> {
  await tx.all(END_LINKS_OF, [of.accountId, of.email, of.now]);
}

/** The oldest orders of an account that are looked at for a paid one. */
const LOOKED_AT_MAX = 100;

const PROVEN = statement<{ proven: boolean }>(
  'portal_is_proven_account',
  `select (
     select true from operator_action where subject_id = $1 and action = 'sign_up' and operator_id is null limit 1
   ) is null or coalesce((
     select bool_or(paid_at is not null) from (
       select paid_at from orders where account_id = $1 order by account_id, id limit ${LOOKED_AT_MAX}
     ) as first
   ), false) as proven`,
);

/** Whether an operator opened an account, or one of its first orders is paid. */
export async function isProvenAccount(db: Db, accountId: Uuid): Promise<boolean> {
  return (await db.one(PROVEN, [accountId]))?.proven === true;
}
