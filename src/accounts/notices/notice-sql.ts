import type { PersonRole } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

/** A mail goes to no more people than this; those who have chosen it come first. */
const RECIPIENTS_MAX = 50;

export type RecipientRow = { id: Uuid; email: string; account_name: string };

const RECIPIENTS = statement<RecipientRow>(
  'notices_recipients',
  `select u.id, u.email, a.name as account_name
   from account_user u join account a on a.id = u.account_id
   left join mail_choice c on c.account_id = u.account_id and c.user_id = u.id and c.kind = $2
   where u.account_id = $1 and u.disabled_at is null and a.suspended_at is null
     and coalesce(c.is_wanted, u.role = any($3::text[]))
   order by c.is_wanted is not true, u.id limit ${RECIPIENTS_MAX}`,
);

/** The people of an account who want a kind of mail, or whose role has it by default. */
export async function findRecipients(
  db: Db,
  of: { accountId: Uuid; kind: string; roles: readonly PersonRole[] },
): Promise<RecipientRow[]> {
  return db.all(RECIPIENTS, [of.accountId, of.kind, of.roles]);
}

const RECIPIENT = statement<RecipientRow>(
  'notices_recipient',
  `select u.id, u.email, a.name as account_name from account_user u join account a on a.id = u.account_id
   where u.account_id = $1 and u.id = $2`,
);

/** One person of an account. */
export async function findRecipient(db: Db, accountId: Uuid, userId: Uuid): Promise<RecipientRow | undefined> {
  return db.one(RECIPIENT, [accountId, userId]);
}

export type OtherRow = { id: Uuid; email: string; name: string; role: PersonRole };

const OTHERS = statement<OtherRow>(
  'notices_others',
  `select id, email, name, role from account_user
   where account_id = $1 and id > $3 and id <> $2 and disabled_at is null order by id limit $4`,
);

/** People of an account who may sign in, but for one of them, oldest first, from after one. */
export async function listOtherRows(
  db: Db,
  page: { accountId: Uuid; except: Uuid; after: Uuid; limit: number },
): Promise<OtherRow[]> {
  return db.all(OTHERS, [page.accountId, page.except, page.after, page.limit]);
}

export type ChoiceRow = { user_id: Uuid; kind: string; is_wanted: boolean };

/** A page of people has no more choices than this: some 20 kinds for each of 102. */
const CHOICES_MAX = 5_000;

const CHOICES = statement<ChoiceRow>(
  'notices_choices',
  `select user_id, kind, is_wanted from mail_choice where account_id = $1 and user_id = any($2::uuid[])
   order by user_id, kind limit ${CHOICES_MAX}`,
);

/** What people of an account have chosen. */
export async function listChoiceRows(db: Db, accountId: Uuid, userIds: readonly Uuid[]): Promise<ChoiceRow[]> {
  return db.all(CHOICES, [accountId, userIds]);
}

const CHOOSE = statement<never>(
  'notices_choose',
  `insert into mail_choice (account_id, user_id, kind, is_wanted) values ($1, $2, $3, $4)
   on conflict (account_id, user_id, kind) do update set is_wanted = excluded.is_wanted`,
);

/** Writes a choice of a locked person. */
export async function saveChoice(
  tx: Db,
  of: { accountId: Uuid; userId: Uuid; kind: string; isWanted: boolean },
): Promise<void> {
  await tx.all(CHOOSE, [of.accountId, of.userId, of.kind, of.isWanted]);
}
