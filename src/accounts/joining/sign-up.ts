import type { Context } from '../../lib/context.ts';
import { isCountryCode, unknownCountry } from '../../lib/countries.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, type Problem, unavailable, validationFailed } from '../../lib/errors.ts';
import { HOUSE, newId, publicId, type Uuid } from '../../lib/ids.ts';
import { enqueue } from '../../lib/queue.ts';
import type { Browser } from '../../lib/route.ts';
import { emailProblems, normaliseEmail, passwordProblems } from '../create-user.ts';
import type { NoticeContext } from '../notices/mail-people.ts';
import { insertOperatorAction } from '../operator-sql.ts';
import { hashPassword } from '../password.ts';
import { type Opened, writeSession } from '../portal/open-session.ts';
import { mayBeSessionSecret } from '../portal/session-cookie.ts';
import { insertAccount, insertUserUnlessKnown } from '../sql.ts';
import { insertTask } from '../task-sql.ts';
import { hashToken } from '../token.ts';
import { countAsks } from './count-asks.ts';
import type { SignUp, SignUpBody } from './sign-up-schema.ts';
import {
  confirmSignUpRow,
  countSignUps,
  dropSignUp,
  findSignUp,
  insertSignUp,
  lockSignUp,
  type SignUpRow,
} from './sign-up-sql.ts';

/** The kind of the jobs that mail a link to confirm an address; the key is the sign-up's id. */
export const SIGN_UP_JOB = 'sign_up';

export type SignUpContext = NoticeContext & Pick<Context, 'database' | 'wake'>;

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** In a day, from an address of the network, and of an address of e-mail. */
const ASKS_MAX = { ip: 10, email: 3 } as const;
/**
 * That wait for their mail to be answered, and as many for an operator: few enough to fill no disk.
 * Each has its own bound, so that addresses that never answer take no place of people who wait, nor the other way.
 */
const OPEN_MAX = 1_000;
/** A link to confirm is good for this long. With the hour of the sweep nothing is kept for a day. */
const CONFIRM_MS = 22 * HOUR_MS;
/** An operator has this long to decide. */
const WAITING_MS = 30 * DAY_MS;

/**
 * Takes a sign-up, and has a link mailed that confirms the address.
 * A job does it and looks whether the address is known, so that the answer and its time are the same for every one.
 * Throws 409 where accounts are not opened so, 422 for what is malformed, 429 after too many, and 503 while too many
 * are open.
 */
export async function requestSignUp(ctx: SignUpContext, browser: Browser, body: SignUpBody): Promise<void> {
  if (ctx.config.signUp === 'closed') {
    throw new ApiError('conflict', 'Accounts are not opened here by oneself. Ask the print shop for an invitation.');
  }
  const email = normaliseEmail(body.email);
  const problems = signUpProblems({ ...body, email });
  if (problems.length > 0) throw validationFailed(problems);
  const asks = [
    { subject: `sign-up ip ${browser.ipKey}`, max: ASKS_MAX.ip },
    { subject: `sign-up email ${email}`, max: ASKS_MAX.email },
  ];
  await countAsks(ctx, asks, DAY_MS);
  const now = ctx.clock.now();
  const { unconfirmed, waiting } = await countSignUps(ctx.database, now, OPEN_MAX);
  if (unconfirmed >= OPEN_MAX || waiting >= OPEN_MAX) {
    throw unavailable('Too many people sign up right now. Try again tomorrow.');
  }
  const id = newId(now.getTime());
  await ctx.database.transaction(async (tx) => {
    const { name, company, country_code } = body;
    const row = { id, email, name: name.trim(), company: company.trim(), country_code, created_at: now };
    await insertSignUp(tx, { ...row, endsAt: new Date(now.getTime() + CONFIRM_MS) });
    await enqueue(tx, { kind: SIGN_UP_JOB, key: publicId('sup', id), payload: {}, runAt: now });
  });
  ctx.wake(SIGN_UP_JOB);
}

// Line breaks, and characters that turn the text beside them around, would let a name look like something else.
const CONTROL = /[\p{Cc}\p{Cf}\u2028\u2029]/u;

function signUpProblems({ email, name, company, country_code: country }: SignUpBody): Problem[] {
  const message = 'must be one line without control characters.';
  return [
    ...emailProblems(email),
    ...(CONTROL.test(name) ? [{ path: 'name', code: 'pattern', message }] : []),
    ...(CONTROL.test(company) ? [{ path: 'company', code: 'pattern', message }] : []),
    ...(isCountryCode(country) ? [] : [unknownCountry(country, 'country_code')]),
  ];
}

/** What a link of a sign-up is for. Throws 404 for one that cannot be used. */
export async function readSignUp(ctx: SignUpContext, token: string): Promise<SignUp> {
  const { email, name, company } = await find(ctx, ctx.database, token, findSignUp);
  return { email, name, company, needs_approval: ctx.config.signUp === 'approval' };
}

/**
 * Confirms the address of a sign-up, with the password that its person will sign in with.
 * Where accounts are open to all it opens the account and signs the person in as its owner; otherwise the sign-up waits
 * for an operator, who finds a task. Throws 404 for a link that cannot be used, also one to an address that signs in by
 * now, and 422 for a password of a wrong length.
 */
export async function confirmSignUp(
  ctx: SignUpContext,
  browser: Browser,
  { token, password }: { token: string; password: string },
): Promise<Opened | 'waits'> {
  const problems = passwordProblems(password);
  if (problems.length > 0) throw validationFailed(problems);
  await find(ctx, ctx.database, token, findSignUp);
  // Slow on purpose, so before the transaction, and only for a link that can be used.
  const passwordHash = await hashPassword(password);
  return ctx.database.transaction(async (tx) => {
    const row = await find(ctx, tx, token, lockSignUp);
    const now = ctx.clock.now();
    if (ctx.config.signUp === 'approval') {
      await confirmSignUpRow(tx, row.id, { now, passwordHash, endsAt: new Date(now.getTime() + WAITING_MS) });
      // One for each, under the same id: who closes the first of a day must hear of the next.
      const task = { id: row.id, accountId: HOUSE, orderId: null, kind: 'sign_up_waits', openedAt: now, dueAt: null };
      await insertTask(tx, { ...task, note: waitingNote(row.id) });
      return 'waits';
    }
    await dropSignUp(tx, row.id);
    const userId = await openAccountOf(tx, { ...row, password_hash: passwordHash }, now);
    if (userId === undefined) throw signUpOver();
    await insertOperatorAction(tx, {
      id: newId(now.getTime()),
      operatorId: null,
      action: 'sign_up',
      orderId: null,
      subjectId: row.id,
      detail: {
        account_id: publicId('acct', row.id),
        country_code: row.country_code,
        user_id: publicId('user', userId),
      },
      key: null,
      // Only compared with a repeat under a key, which a person does not have.
      requestHash: Buffer.alloc(0),
      now,
    });
    return writeSession(ctx, tx, userId, browser);
  });
}

function waitingNote(id: Uuid): string {
  return `A person has signed up and waits for a decision: GET /ops/v1/sign-ups, then approve or refuse ${publicId('sup', id)}, which closes this task. After 30 days the sign-up is deleted.`;
}

/** Opens the account of a sign-up with its owner; undefined when the address signs in already. */
export async function openAccountOf(tx: Db, row: SignUpRow, now: Date): Promise<Uuid | undefined> {
  const { id, email, name, company, password_hash: passwordHash } = row;
  if (passwordHash === null) throw new Error('a sign-up that is not confirmed');
  await insertAccount(tx, { id, name: company, vatStatus: 'standard', vatNumber: '', createdAt: now });
  const userId = newId(now.getTime());
  const user = { id: userId, accountId: id, email, passwordHash, role: 'owner', name, createdAt: now } as const;
  return (await insertUserUnlessKnown(tx, user)) ? userId : undefined;
}

async function find(
  ctx: SignUpContext,
  db: Db,
  token: string,
  by: (db: Db, hash: Buffer, now: Date) => Promise<SignUpRow | undefined>,
): Promise<SignUpRow> {
  const isOpen = ctx.config.signUp !== 'closed' && mayBeSessionSecret(token);
  const row = isOpen ? await by(db, hashToken(token), ctx.clock.now()) : undefined;
  if (row === undefined) throw signUpOver();
  return row;
}

function signUpOver(): ApiError {
  return new ApiError(
    'not_found',
    'This link cannot be used, or not any more: it works once, within a day. Sign up again.',
  );
}
