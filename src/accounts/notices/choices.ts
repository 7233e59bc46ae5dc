import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { FIRST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { toPage } from '../../lib/paging.ts';
import type { Part } from '../access/list-access.ts';
import { SESSION_CHALLENGE } from '../portal/open-session.ts';
import { findPersonRow, lockPeople } from '../portal/people-sql.ts';
import type { ChangeNoticesBody, NoticeMatrix, NoticeRecipient } from './choices-schema.ts';
import { NOTICE_KINDS, NOTICE_NAMES, rolesOf } from './kinds.ts';
import { listChoiceRows, listOtherRows, type OtherRow, saveChoice } from './notice-sql.ts';

type ChoicesContext = Pick<Context, 'database' | 'config'>;

/**
 * Who of the account gets which mails: who asks, on every page, and a page of the others.
 * Owners and managers see everyone who may sign in, others themselves.
 */
export async function readNotices(
  ctx: ChoicesContext,
  caller: SignedIn,
  { limit, after }: Part,
): Promise<NoticeMatrix> {
  const { accountId, person: self } = caller;
  const page = { accountId, except: self.userId, after: after ?? (FIRST_ID as Uuid), limit: limit + 1 };
  const rows = seesOthers(caller) ? await listOtherRows(ctx.database, page) : [];
  const [own, ...others] = await recipientsOf(ctx.database, accountId, [
    await personRow(ctx.database, accountId, self.userId),
    ...rows,
  ]);
  if (own === undefined) throw new Error('there is a recipient for each row');
  const { data, ...rest } = toPage(
    others,
    limit,
    (other) => other,
    ({ id }) => id,
  );
  return {
    is_mailed: ctx.config.mail !== undefined,
    kinds: NOTICE_NAMES.map((kind) => ({ kind, label: NOTICE_KINDS[kind].label, means: NOTICE_KINDS[kind].means })),
    self: own,
    others: [...data],
    ...rest,
  };
}

/**
 * Chooses which mails a person gets; what is left out stays.
 * Everyone chooses for themselves, and owners for others. Throws 404 for a person whom the caller does not see, and
 * 403 for one whom they only see. Locks the account's people.
 */
export async function changeNotices(
  ctx: ChoicesContext,
  caller: SignedIn,
  userId: Uuid,
  wants: ChangeNoticesBody['wants'],
): Promise<NoticeRecipient> {
  const { accountId, person: self } = caller;
  return ctx.database.transaction(async (tx) => {
    const isThere = (await lockPeople(tx, accountId)).some(({ id }) => id === userId);
    if (!isThere || (userId !== self.userId && !seesOthers(caller))) throw noSuch('user');
    if (userId !== self.userId && self.role !== 'owner') {
      throw new ApiError('insufficient_scope', 'Only an owner chooses the mails of others.', {
        extras: { required_roles: ['owner'] },
        headers: { 'www-authenticate': SESSION_CHALLENGE },
      });
    }
    for (const kind of NOTICE_NAMES) {
      const isWanted = wants[kind];
      if (isWanted !== undefined) await saveChoice(tx, { accountId, userId, kind, isWanted });
    }
    const [changed] = await recipientsOf(tx, accountId, [await personRow(tx, accountId, userId)]);
    if (changed === undefined) throw new Error('there is a recipient for each row');
    return changed;
  });
}

function seesOthers({ person }: SignedIn): boolean {
  return person.role === 'owner' || person.role === 'manager';
}

async function personRow(db: Db, accountId: Uuid, id: Uuid): Promise<OtherRow> {
  const row = await findPersonRow(db, accountId, id);
  if (row === undefined) throw new Error('a person who is signed in or locked is not there');
  return row;
}

async function recipientsOf(db: Db, accountId: Uuid, rows: readonly OtherRow[]): Promise<NoticeRecipient[]> {
  const chosen = await listChoiceRows(
    db,
    accountId,
    rows.map(({ id }) => id),
  );
  const choices = new Map(chosen.map((row) => [`${row.user_id} ${row.kind}`, row.is_wanted]));
  return rows.map(({ id, email, name, role }) => ({
    id: publicId('user', id),
    email,
    name,
    wants: NOTICE_NAMES.filter((kind) => choices.get(`${id} ${kind}`) ?? rolesOf(kind).includes(role)),
  }));
}
