import type { Caller } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { Context } from '../../lib/context.ts';
import { notFound } from '../../lib/errors.ts';
import { parseId } from '../../lib/ids.ts';
import { newSigningSecret } from '../sign.ts';
import { lockForRotation, moveNextSecretOf, putNextSecret } from './next-secret-sql.ts';
import type { RotatedSecret } from './recovery-schema.ts';

/** How long both secrets sign. */
const OVERLAP_MS = 24 * 3_600_000;

/**
 * Makes another signing secret, which signs beside the present one for a day and then alone.
 * A second time within that day replaces the secret that was to come, and the day begins anew: a caller who lost the
 * answer is not locked out, and the present secret stays valid. Throws 404 when the subscription is not the account's.
 */
export async function rotateSigningSecret(
  ctx: Pick<Context, 'database' | 'clock' | 'secrets'>,
  caller: Caller,
  publicId: string,
): Promise<RotatedSecret> {
  const id = parseId('whk', publicId);
  if (id === undefined) throw notFound();
  const secret = newSigningSecret();
  const sealed = ctx.secrets.seal(secret);
  const { accountId } = caller;
  const aloneFrom = await ctx.database.transaction(async (tx) => {
    if (!(await lockForRotation(tx, accountId, id))) throw notFound();
    const now = ctx.clock.now();
    const until = new Date(now.getTime() + OVERLAP_MS);
    // One whose day is over has been the present secret since, whether the worker has moved it or not.
    await moveNextSecretOf(tx, accountId, id, now);
    await putNextSecret(tx, { accountId, id, sealed, now, aloneFrom: until });
    return until;
  });
  return { id: publicId, secret, previous_secret_until: isoTime(aloneFrom) };
}
