import type { PersonRole, SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { LAST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { findUserOfAccount, findUserRow } from '../access/people-sql.ts';
import { emailProblems, normaliseEmail } from '../create-user.ts';
import { countAsks } from '../joining/count-asks.ts';
import type { AskedBy } from '../mail/link-message.ts';
import { MAIL_JOB } from '../mail/sql.ts';
import type { Invitation, NewInvitation } from './link-schema.ts';
import { endInvitation, isProvenAccount, type LinkRow, listInvitationRows, OPEN_INVITATIONS_MAX } from './link-sql.ts';
import { lockPeople } from './people-sql.ts';
import { requireOwner, requireProof } from './prove.ts';
import { type LinkContext, type MadeLink, sendLink } from './send-link.ts';

const DAY_MS = 86_400_000;
/** As many as an account can have. */
const ALL_OPEN = { before: LAST_ID as Uuid, limit: OPEN_INVITATIONS_MAX };
/**
 * Invitations in a day, of an account, and of those to one address.
 * Each account is counted for itself, or one could use up what another needs.
 */
const ASKS_MAX = { account: 200, address: 20 } as const;
/**
 * Of an account that a person opened alone and that has paid for nothing yet.
 * These are mails to people who may not know it.
 */
const UNPROVEN_ASKS_MAX = 10;
const UNPROVEN = `An account that was opened by oneself may invite ${UNPROVEN_ASKS_MAX} people a day until its first order is paid.`;

/**
 * Invites a person to the account, by a link that works once, within an hour.
 * A newer invitation to the same address replaces it. The answer is the same for an address that signs in to another
 * account: it does not tell. Throws 422 for a malformed address, 409 for one of this account, 403 without a fresh
 * proof, and 429 after too many or while too many mails wait: each may be a mail to someone who does
 * not know the account.
 */
export async function invitePerson(
  ctx: LinkContext & Pick<Context, 'wake'>,
  caller: SignedIn,
  input: { email: string; role: PersonRole; name?: string },
): Promise<NewInvitation> {
  const email = normaliseEmail(input.email);
  const problems = emailProblems(email);
  if (problems.length > 0) throw validationFailed(problems);
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const isProven = await isProvenAccount(ctx.database, accountId);
  const ofAccount = isProven ? { max: ASKS_MAX.account } : { max: UNPROVEN_ASKS_MAX, why: UNPROVEN };
  await countAsks(
    ctx,
    [
      { subject: `invitation of ${accountId}`, ...ofAccount },
      { subject: `invitation of ${accountId} to ${email}`, max: ASKS_MAX.address },
    ],
    DAY_MS,
  );
  const inviter = await findUserRow(ctx.database, caller.person.userId);
  const { id, url, createdAt, endsAt } = await ctx.database.transaction(async (tx) => {
    requireOwner(await lockPeople(tx, accountId), caller);
    const name = inviter === undefined ? '' : nameAndAddress(inviter);
    const invited = { accountId, email, role: input.role, name: input.name ?? '' };
    const made = await openInvitation(ctx, tx, invited, { kind: 'person', name });
    if (made.mail === 'too_many') throw tooManyWait();
    return made;
  });
  ctx.wake(MAIL_JOB);
  return {
    id: publicId('lnk', id),
    email,
    role: input.role,
    name: input.name ?? '',
    created_at: isoTime(createdAt),
    expires_at: isoTime(endsAt),
    mailed: url === undefined,
    ...(url === undefined ? {} : { url }),
  };
}

/**
 * Opens an invitation in the transaction of who invites, in place of an open one to the same address.
 * Throws 409 for a person of the account, and while too many invitations of it are open.
 */
export async function openInvitation(
  ctx: LinkContext,
  tx: Db,
  { accountId, ...invited }: Pick<LinkRow, 'email' | 'name'> & { id?: Uuid; accountId: Uuid; role: PersonRole },
  askedBy: AskedBy,
): Promise<MadeLink> {
  if ((await findUserOfAccount(tx, accountId, invited.email)) !== undefined) {
    throw new ApiError('conflict', `${invited.email} is a person of this account already.`);
  }
  const open = await listInvitationRows(tx, { accountId, now: ctx.clock.now(), ...ALL_OPEN });
  if (open.length >= OPEN_INVITATIONS_MAX) {
    throw new ApiError('conflict', `${OPEN_INVITATIONS_MAX} invitations are open. Withdraw some, or wait an hour.`);
  }
  return sendLink(ctx, tx, { account_id: accountId, kind: 'invitation', ...invited }, askedBy);
}

// The link itself would prove an address that no mail has reached.
function tooManyWait(): ApiError {
  const detail =
    'Too many mails of your account wait to be sent, so no one was invited. Try again in ten minutes; if it stays so, tell the print shop.';
  return new ApiError('rate_limited', detail, { headers: { 'retry-after': '600' } });
}

/** A person in a mail to someone who may know them by either. */
function nameAndAddress({ name, email }: { name: string; email: string }): string {
  return name === '' ? email : `${name} (${email})`;
}

/** The invitations of the account that can still be used, newest first; without their addresses. */
export async function listInvitations(ctx: LinkContext, { accountId }: SignedIn): Promise<Invitation[]> {
  return (await listInvitationRows(ctx.database, { accountId, now: ctx.clock.now(), ...ALL_OPEN })).map(invitationView);
}

/** Withdraws an invitation. Throws 404 for any but an open one of the account. */
export async function withdrawInvitation(ctx: LinkContext, { accountId }: SignedIn, id: Uuid): Promise<void> {
  if (!(await endInvitation(ctx.database, { accountId, id, now: ctx.clock.now() }))) throw noSuch('invitation');
}

/** An open invitation, without its address. */
export function invitationView(row: LinkRow): Invitation {
  if (row.role === null) throw new Error('an invitation without a role');
  return {
    id: publicId('lnk', row.id),
    email: row.email,
    role: row.role,
    name: row.name,
    created_at: isoTime(row.created_at),
    expires_at: isoTime(row.ends_at),
  };
}
