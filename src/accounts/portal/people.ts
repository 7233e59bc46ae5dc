import { type PersonRole, SCOPES_OF_ROLE, type SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { FIRST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, toPage } from '../../lib/paging.ts';
import type { Part } from '../access/list-access.ts';
import { disableUserRow, enableUserRow, endGrants, endSessions } from '../access/people-sql.ts';
import { mailAboutSecurity, type NoticeContext } from '../notices/mail-people.ts';
import { onceAbout, securityNotice } from '../notices/security-notices.ts';
import { removeFactorRow } from '../second-factor/sql.ts';
import { endInvitations } from './link-sql.ts';
import type { SessionContext } from './open-session.ts';
import type { PersonOfAccount } from './people-schema.ts';
import { changePersonRow, findPersonRow, listPeopleRows, lockPeople, type PersonRow } from './people-sql.ts';
import { requireOwner, requireProof } from './prove.ts';

/** A page of the people of the account, disabled ones too; to owners with when each signed in last. */
export async function listPeople(
  ctx: SessionContext,
  { accountId, person }: SignedIn,
  { limit, after }: Part,
): Promise<Page<PersonOfAccount>> {
  const rows = await listPeopleRows(ctx.database, { accountId, after: after ?? (FIRST_ID as Uuid), limit: limit + 1 });
  const view = (row: PersonRow): PersonOfAccount => {
    const seen = personView(row);
    return person.role === 'owner' ? seen : { ...seen, last_sign_in: null };
  };
  return toPage(rows, limit, view, ({ id }) => id);
}

/**
 * Changes what a person of the account may do, their name, or whether they may sign in.
 * Disabling ends their sessions, and what they have allowed to apps, for good; a role with fewer scopes ends the
 * latter. Disabling ends the open invitations of the account, and so does taking the role of an owner or manager.
 * Throws 404 for a person of any other account, 409 when no owner would be left who can sign in, and 403 without a
 * fresh proof. Locks the account's people.
 */
export async function changePerson(
  ctx: SessionContext & NoticeContext,
  caller: SignedIn,
  id: Uuid,
  change: { role?: PersonRole; name?: string; disabled?: boolean; second_factor?: false },
): Promise<PersonOfAccount> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  return ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    const people = await lockPeople(tx, accountId);
    requireOwner(people, caller);
    const before = people.find((person) => person.id === id);
    if (before === undefined) throw noSuch('user');
    const isOwnerAfter = (person: (typeof people)[number]): boolean => {
      const isChanged = person.id === id;
      const role = (isChanged ? change.role : undefined) ?? person.role;
      const isDisabled = (isChanged ? change.disabled : undefined) ?? person.disabled_at !== null;
      return role === 'owner' && !isDisabled;
    };
    if (!people.some(isOwnerAfter)) {
      throw new ApiError('conflict', 'An account needs an owner who can sign in. Make another person an owner first.');
    }
    await changePersonRow(tx, { accountId, id, role: change.role ?? null, name: change.name ?? null });
    if (change.disabled === true) {
      await disableUserRow(tx, id, now);
      await endSessions(tx, { accountId, id, keptSessionId: null });
    }
    // An app must not keep for them what they may no longer do.
    if (change.disabled === true || hasFewerScopes(before.role, change.role)) {
      await endGrants(tx, { accountId, id }, now);
    }
    // They may have invited an address of their own.
    if (change.disabled === true || mayLess(before.role, change.role)) await endInvitations(tx, accountId, now);
    if (change.second_factor === false && (await removeFactorRow(tx, { accountId, userId: id }))) {
      const about = onceAbout('factor', now);
      await mailAboutSecurity(ctx, tx, { accountId, userId: id, about }, securityNotice('factor_removed', now));
    }
    if (change.disabled === false) await enableUserRow(tx, id);
    const row = await findPersonRow(tx, accountId, id);
    if (row === undefined) throw new Error('a person who was changed is not there');
    return personView(row);
  });
}

/** Whether a role that lets in other people, or manages, is taken away. */
function mayLess(before: PersonRole, after: PersonRole | undefined): boolean {
  if (after === undefined || after === before) return false;
  return before === 'owner' || (before === 'manager' && after !== 'owner');
}

function hasFewerScopes(before: PersonRole, after: PersonRole | undefined): boolean {
  return after !== undefined && SCOPES_OF_ROLE[before].some((scope) => !SCOPES_OF_ROLE[after].includes(scope));
}

function personView(row: PersonRow): PersonOfAccount {
  const { signed_in_at: at, signed_in_by: userAgent } = row;
  return {
    id: publicId('user', row.id),
    email: row.email,
    name: row.name,
    role: row.role,
    second_factor: row.has_second_factor,
    disabled_at: row.disabled_at && isoTime(row.disabled_at),
    last_seen_at: row.last_seen_at && isoTime(row.last_seen_at),
    last_sign_in: at && { at: isoTime(at), user_agent: userAgent ?? '' },
  };
}
