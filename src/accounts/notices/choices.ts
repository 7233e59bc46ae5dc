import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { FIRST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { SESSION_CHALLENGE } from '../portal/open-session.ts';
import { listPeopleRows, lockPeople } from '../portal/people-sql.ts';
import type { ChangeNoticesBody, NoticeMatrix } from './choices-schema.ts';
import { NOTICE_KINDS, NOTICE_NAMES, rolesOf } from './kinds.ts';
import { listChoiceRows, saveChoice } from './notice-sql.ts';

type ChoicesContext = Pick<Context, 'database' | 'config'>;

/** So many people of an account are looked at, the oldest. */
const PEOPLE_MAX = 1_000;

/**
 * Who of the account gets which mails.
 * Owners and managers see everyone who may sign in, others themselves.
 */
export async function readNotices(ctx: ChoicesContext, caller: SignedIn): Promise<NoticeMatrix> {
  const { accountId, person: self } = caller;
  const choices = new Map(
    (await listChoiceRows(ctx.database, accountId)).map((row) => [`${row.user_id} ${row.kind}`, row.is_wanted]),
  );
  const people = (await listPeopleRows(ctx.database, { accountId, after: FIRST_ID as Uuid, limit: PEOPLE_MAX })).filter(
    ({ id, disabled_at: disabledAt }) => disabledAt === null && (id === self.userId || seesOthers(caller)),
  );
  return {
    is_mailed: ctx.config.mail !== undefined,
    kinds: NOTICE_NAMES.map((kind) => ({ kind, label: NOTICE_KINDS[kind].label, means: NOTICE_KINDS[kind].means })),
    people: people.map(({ id, email, name, role }) => ({
      id: publicId('user', id),
      email,
      name,
      wants: NOTICE_NAMES.filter((kind) => choices.get(`${id} ${kind}`) ?? rolesOf(kind).includes(role)),
    })),
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
): Promise<NoticeMatrix> {
  const { accountId, person: self } = caller;
  await ctx.database.transaction(async (tx) => {
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
  });
  return readNotices(ctx, caller);
}

function seesOthers({ person }: SignedIn): boolean {
  return person.role === 'owner' || person.role === 'manager';
}
