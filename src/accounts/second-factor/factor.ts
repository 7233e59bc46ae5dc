import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { ApiError, noSuch, validationFailed } from '../../lib/errors.ts';
import { shopName } from '../mail/shop-words.ts';
import { mailAboutSecurity } from '../notices/mail-people.ts';
import { onceAbout, securityNotice } from '../notices/security-notices.ts';
import { tooManyAttempts } from '../portal/open-session.ts';
import { requireProof } from '../portal/prove.ts';
import { sessionOver } from '../portal/read-session.ts';
import { findPortalSession } from '../portal/session-sql.ts';
import { noteSignIn } from '../sign-in-log/note-sign-in.ts';
import type { NewSecondFactor, RecoveryCodes, SecondFactor } from './factor-schema.ts';
import { qrRows } from './qr-code.ts';
import { newRecoveryCodes, recoveryHash } from './recovery-codes.ts';
import { beginFactorRow, confirmFactorRow, findFactor, lockFactor, removeFactorRow } from './sql.ts';
import { countCode, forgiveCodes } from './take-code.ts';
import { matchTotp, newTotpSecret, otpauthUrl } from './totp.ts';

type FactorContext = Pick<Context, 'database' | 'clock' | 'secrets' | 'log' | 'config'>;

/** Whether the person who asks has a second factor. */
export async function readFactor(ctx: FactorContext, { person }: SignedIn): Promise<SecondFactor> {
  const row = await findFactor(ctx.database, person.userId);
  const confirmedAt = row?.confirmed_at ?? null;
  return {
    is_on: confirmedAt !== null,
    confirmed_at: confirmedAt && isoTime(confirmedAt),
    recovery_codes_left: confirmedAt === null ? 0 : (row?.recovery_hashes.length ?? 0),
  };
}

/**
 * Makes the secret of a second factor, which counts only once it is confirmed.
 * A newer one replaces it until then. Throws 409 when there is one that counts, and 403 without a fresh proof.
 */
export async function beginFactor(ctx: FactorContext, caller: SignedIn): Promise<NewSecondFactor> {
  await requireProof(ctx, caller);
  const { accountId, person } = caller;
  const now = ctx.clock.now();
  const session = await findPortalSession(ctx.database, accountId, person.sessionId, now);
  if (session === undefined) throw sessionOver();
  const secret = newTotpSecret();
  const isBegun = await beginFactorRow(
    ctx.database,
    { accountId, userId: person.userId },
    ctx.secrets.seal(secret),
    now,
  );
  if (!isBegun) throw new ApiError('conflict', 'You have a second factor. Remove it before you add another one.');
  const url = otpauthUrl(secret, { issuer: shopName(ctx.config), email: session.email });
  return { secret, otpauth_url: url, qr: await qrRows(url) };
}

/**
 * Makes the second factor count, by its first code.
 * Throws 422 for a wrong code, 409 when none was begun or it counts already, 429 after too many attempts, and 403
 * without a fresh proof.
 */
export async function confirmFactor(ctx: FactorContext, caller: SignedIn, code: string): Promise<RecoveryCodes> {
  await requireProof(ctx, caller);
  const { accountId, person } = caller;
  const waitSeconds = await countCode(ctx, person.userId);
  if (waitSeconds !== undefined) throw tooManyAttempts(waitSeconds);
  const codes = newRecoveryCodes();
  await ctx.database.transaction(async (tx) => {
    const factor = await lockFactor(tx, person.userId);
    if (factor === undefined || factor.confirmed_at !== null) {
      throw new ApiError(
        'conflict',
        'There is no second factor to confirm. Begin one: POST /portal/api/v1/second-factor.',
      );
    }
    const now = ctx.clock.now();
    const secret = ctx.secrets.unseal({ bytes: factor.secret_sealed, keyId: factor.sealed_with });
    const step = matchTotp(secret, code.replaceAll(/\s/g, ''), { now, lastStep: factor.last_step });
    if (step === undefined) throw wrongCode();
    const recoveryHashes = codes.map((each) => recoveryHash(ctx.secrets, each));
    await confirmFactorRow(tx, { accountId, userId: person.userId }, { now, step, recoveryHashes });
    const to = { accountId, userId: person.userId, about: onceAbout('factor', now) };
    await noteSignIn(ctx, tx, person.userId, 'factor_added');
    await mailAboutSecurity(ctx, tx, to, securityNotice('factor_added', now));
  });
  await forgiveCodes(ctx, person.userId);
  return { recovery_codes: codes };
}

/**
 * Removes the second factor of the person who asks.
 * Throws 404 when there is none, and 403 without a fresh proof.
 */
export async function removeOwnFactor(ctx: FactorContext, caller: SignedIn): Promise<void> {
  await requireProof(ctx, caller);
  const { accountId, person } = caller;
  await ctx.database.transaction(async (tx) => {
    const of = { accountId, userId: person.userId };
    if (!(await removeFactorRow(tx, of))) throw noSuch('second factor');
    const now = ctx.clock.now();
    await noteSignIn(ctx, tx, person.userId, 'factor_removed');
    await mailAboutSecurity(ctx, tx, { ...of, about: onceAbout('factor', now) }, securityNotice('factor_removed', now));
  });
}

function wrongCode(): ApiError {
  const message = 'is not the code that the app shows now. Check that the clock of the phone is right.';
  return validationFailed([{ path: 'code', code: 'pattern', message }]);
}
