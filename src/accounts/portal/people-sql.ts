import type { PersonRole } from '../../lib/caller.ts';
import { type Db, statement } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';

// The people of an account, as its owners see them.

export type PersonRow = {
  id: Uuid;
  email: string;
  name: string;
  role: PersonRole;
  disabled_at: Date | null;
  last_seen_at: Date | null;
  has_second_factor: boolean;
  signed_in_at: Date | null;
  signed_in_by: string | null;
};

const PEOPLE = `select u.id, u.email, u.name, u.role, u.disabled_at,
     (select max(s.last_seen_at) from portal_session s where s.account_id = u.account_id and s.user_id = u.id) as last_seen_at,
     exists (select from second_factor f
       where f.account_id = u.account_id and f.user_id = u.id and f.confirmed_at is not null) as has_second_factor,
     l.at as signed_in_at, l.user_agent as signed_in_by
   from account_user u
   left join lateral (select s.at, s.user_agent from sign_in_log s
     where s.account_id = u.account_id and s.user_id = u.id and s.kind = 'signed_in'
     order by s.hour desc, s.at desc limit 1) as l on true
   where u.account_id = $1`;

const LIST_PEOPLE = statement<PersonRow>('portal_list_people', `${PEOPLE} and u.id > $2 order by u.id limit $3`);

/** A page of the people of an account, disabled ones too, oldest first, from after one. */
export async function listPeopleRows(
  db: Db,
  page: { accountId: Uuid; after: Uuid; limit: number },
): Promise<PersonRow[]> {
  return db.all(LIST_PEOPLE, [page.accountId, page.after, page.limit]);
}

const FIND_PERSON = statement<PersonRow>('portal_find_person', `${PEOPLE} and u.id = $2`);

/** A person of an account by their id. */
export async function findPersonRow(db: Db, accountId: Uuid, id: Uuid): Promise<PersonRow | undefined> {
  return db.one(FIND_PERSON, [accountId, id]);
}

// All of an account, in one order: of two owners who take each other's role away at once, one is refused.
const LOCK_PEOPLE = statement<{ id: Uuid; role: PersonRole; disabled_at: Date | null }>(
  'portal_lock_people',
  'select id, role, disabled_at from account_user where account_id = $1 order by id for update',
);

/** Locks the people of an account. */
export async function lockPeople(
  tx: Db,
  accountId: Uuid,
): Promise<{ id: Uuid; role: PersonRole; disabled_at: Date | null }[]> {
  return tx.all(LOCK_PEOPLE, [accountId]);
}

const CHANGE_PERSON = statement<never>(
  'portal_change_person',
  `update account_user set role = coalesce($3, role), name = coalesce($4, name)
   where account_id = $1 and id = $2`,
);

/** Changes the role or the name of a locked person; null leaves it as it is. */
export async function changePersonRow(
  tx: Db,
  of: { accountId: Uuid; id: Uuid; role: PersonRole | null; name: string | null },
): Promise<void> {
  await tx.all(CHANGE_PERSON, [of.accountId, of.id, of.role, of.name]);
}
