import { isoTime } from '../../lib/clock.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, noSuch } from '../../lib/errors.ts';
import { LAST_ID, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, toPage } from '../../lib/paging.ts';
import { type Actor, actOnAccess } from '../access/act-on-access.ts';
import type { Part } from '../access/list-access.ts';
import { closeTasks } from '../close-task.ts';
import { queueMail } from '../mail/queue-mail.ts';
import { shopName } from '../mail/shop-words.ts';
import { MAIL_JOB } from '../mail/sql.ts';
import { openAccountOf, type SignUpContext } from './sign-up.ts';
import type { OpsSignUp } from './sign-up-schema.ts';
import { listSignUpRows, type SignUpRow, takeSignUp } from './sign-up-sql.ts';

/** A page of the sign-ups that wait for a decision, newest first. */
export async function listSignUps(ctx: SignUpContext, { limit, after }: Part): Promise<Page<OpsSignUp>> {
  const rows = await listSignUpRows(ctx.database, { before: after ?? (LAST_ID as Uuid), limit: limit + 1 });
  return toPage(rows, limit, signUpView, ({ id }) => id);
}

/**
 * Opens the account that a person has signed up for, and tells them by mail that they can sign in.
 * Throws 404 for a sign-up that does not wait, and 409 when its address signs in to another account by now.
 */
export async function approveSignUp(ctx: SignUpContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const detail = { sign_up_id: publicId('sup', id), account_id: publicId('acct', id) };
  await actOnAccess(ctx, actor, { action: 'approve_sign_up', subjectId: id, detail, reason }, async (tx, now) => {
    const row = await take(tx, id, now);
    if ((await openAccountOf(tx, row, now)) === undefined) {
      throw new ApiError('conflict', `${row.email} signs in to another account by now. Refuse this one.`);
    }
    const shop = shopName(ctx.config);
    await queueMail(ctx, tx, {
      accountId: id,
      kind: 'sign_up_approved',
      to: row.email,
      uselessAt: new Date(now.getTime() + 7 * 86_400_000),
      message: {
        subject: `Your account at ${shop} is open`,
        paragraphs: [`${shop} has opened the account ${row.company}. You sign in with the password that you chose.`],
        action: { label: 'Sign in', url: `${ctx.config.baseUrl}/portal/sign-in` },
        footer: 'You get this mail because you signed up with this address.',
      },
    });
  });
  ctx.wake(MAIL_JOB);
}

/**
 * Refuses a sign-up: all that is known of the person is deleted.
 * They get no mail; who refuses may write to them. Throws 404 for one that does not wait.
 */
export async function refuseSignUp(ctx: SignUpContext, actor: Actor, id: Uuid, reason?: string): Promise<void> {
  const detail = { sign_up_id: publicId('sup', id) };
  await actOnAccess(ctx, actor, { action: 'refuse_sign_up', subjectId: id, detail, reason }, async (tx, now) => {
    await take(tx, id, now);
  });
}

/** Takes a sign-up, and closes its task. */
async function take(tx: Db, id: Uuid, now: Date): Promise<SignUpRow> {
  const row = await takeSignUp(tx, id);
  if (row === undefined) throw noSuch('sign-up');
  await closeTasks(tx, [id], now);
  return row;
}

function signUpView(row: SignUpRow): OpsSignUp {
  if (row.confirmed_at === null) throw new Error('a sign-up that is not confirmed');
  const { email, name, company, country_code } = row;
  return {
    id: publicId('sup', row.id),
    email,
    name,
    company,
    country_code,
    created_at: isoTime(row.created_at),
    confirmed_at: isoTime(row.confirmed_at),
  };
}
