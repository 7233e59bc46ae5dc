import type { PersonRole } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { LAST_ID, newId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, toPage } from '../../lib/paging.ts';
import { type Actor, actAs, actOnAccess, withKeyedHash } from '../access/act-on-access.ts';
import type { Part } from '../access/list-access.ts';
import { accountOfAddress } from '../access/people-sql.ts';
import { emailProblems, normaliseEmail } from '../create-user.ts';
import { MAIL_JOB } from '../mail/sql.ts';
import { invitationView, openInvitation } from '../portal/invite.ts';
import type { Invitation } from '../portal/link-schema.ts';
import { accountOfInvitation, endInvitation, findOpenInvitationTo, listInvitationRows } from '../portal/link-sql.ts';
import type { LinkContext } from '../portal/send-link.ts';
import { accountExists, lockAccountRow } from '../sql.ts';
import { findOpsAccount } from '../task-sql.ts';
import type { InvitedUser } from './invitation-schema.ts';

/**
 * Invites a person to an account on the word of the print shop.
 * The link works once, within an hour. A repeat of an operator's request under its key has the same id without the
 * link, which is shown once. Throws 422 for a malformed address, 404 for an unknown account, and 409 for a suspended
 * one, for an address that signs in or is invited already, and while too many invitations of the account are open.
 * Locks the account.
 */
export async function inviteUser(
  ctx: LinkContext & Pick<Context, 'wake'>,
  actor: Actor,
  accountId: Uuid,
  input: { email: string; role: PersonRole; name?: string; reason?: string },
): Promise<InvitedUser> {
  const { role, name = '', reason } = input;
  const email = normaliseEmail(input.email);
  const problems = emailProblems(email);
  if (problems.length > 0) throw validationFailed(problems);
  // The audit log keeps a hash of each request for years; this one must not let anyone try addresses.
  const by = withKeyedHash(ctx, actor, (digest, request) => digest(`request ${request}`));
  const id = newId(ctx.clock.now().getTime());
  const detail = { account_id: publicId('acct', accountId), invitation_id: publicId('lnk', id), role };
  const act = { action: 'invite_user', orderId: null, subjectId: id, detail, reason };
  const acted = await actAs(ctx, by, act, async (tx, now) => {
    await refuseInvitation(tx, { accountId, email, now });
    return openInvitation(ctx, tx, { id, accountId, email, role, name }, { kind: 'shop' });
  });
  const invited = { account_id: publicId('acct', accountId), email, role, name };
  if (acted.kind === 'repeated') {
    if (acted.subjectId === null) throw new Error('an invitation without an id in the audit log');
    return { id: publicId('lnk', acted.subjectId), ...invited, url: null, mailed: false, expires_at: null };
  }
  ctx.wake(MAIL_JOB);
  const { url, endsAt } = acted.result;
  return {
    id: publicId('lnk', id),
    ...invited,
    url: url ?? null,
    mailed: url === undefined,
    expires_at: isoTime(endsAt),
  };
}

/** An operator is refused what a link could not be used for, or what one that is open does already. */
async function refuseInvitation(tx: Db, of: { accountId: Uuid; email: string; now: Date }): Promise<void> {
  const { accountId, email } = of;
  // So that of two operators who invite an address at once one is refused.
  await lockAccountRow(tx, accountId);
  const account = await findOpsAccount(tx, accountId);
  if (account === undefined) throw noSuch('account');
  if (account.suspended_at !== null) {
    throw new ApiError('conflict', 'The account is suspended, so that no link to it can be used. Resume it first.');
  }
  const theirs = await accountOfAddress(tx, email);
  if (theirs !== undefined && theirs !== accountId) {
    throw new ApiError('conflict', `${email} signs in to another account, ${publicId('acct', theirs)}.`);
  }
  const open = await findOpenInvitationTo(tx, of);
  if (open !== undefined) {
    const until = isoTime(open.ends_at);
    const detail = `${email} is invited until ${until}: wait, or withdraw ${publicId('lnk', open.id)} first.`;
    throw new ApiError('conflict', detail);
  }
}

/**
 * A page of the invitations of an account that can still be used, newest first.
 * Those of its owners and of operators alike, without their links. Throws 404 for an unknown account.
 */
export async function listUserInvitations(
  ctx: LinkContext,
  accountId: Uuid,
  { limit, after }: Part,
): Promise<Page<Invitation>> {
  if (!(await accountExists(ctx.database, accountId))) throw noSuch('account');
  const page = { accountId, now: ctx.clock.now(), before: after ?? (LAST_ID as Uuid), limit: limit + 1 };
  return toPage(await listInvitationRows(ctx.database, page), limit, invitationView, ({ id }) => id);
}

/**
 * Withdraws an invitation, also one that an owner made.
 * Throws 404 for any but one that can still be used.
 */
export async function withdrawUserInvitation(
  ctx: LinkContext,
  actor: Actor,
  id: Uuid,
  reason: string | undefined,
): Promise<void> {
  const accountId = await accountOfInvitation(ctx.database, id);
  const detail = {
    ...(accountId === undefined ? {} : { account_id: publicId('acct', accountId) }),
    invitation_id: publicId('lnk', id),
  };
  await actOnAccess(ctx, actor, { action: 'withdraw_invitation', subjectId: id, detail, reason }, async (tx, now) => {
    // Inside, so that a repeat of an operator's request under its key is answered as the first was.
    if (accountId === undefined || !(await endInvitation(tx, { accountId, id, now }))) throw noSuch('invitation');
  });
}
