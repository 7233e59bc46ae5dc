import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { accountExists, insertToken } from './sql.ts';
import { hashToken, newToken } from './token.ts';

const DAY_MS = 24 * 3_600_000;

/**
 * Mints a personal token. Throws 404 for an unknown account.
 * The token is returned this once and stored as a hash. Without `validDays` it is valid until it is revoked.
 */
export async function mintToken(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { accountId: Uuid; scopes?: readonly Scope[]; name?: string; validDays?: number },
): Promise<{ id: Uuid; token: string; scopes: readonly Scope[]; expiresAt: Date | null }> {
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  const now = ctx.clock.now();
  const expiresAt = input.validDays === undefined ? null : new Date(now.getTime() + input.validDays * DAY_MS);
  const minted = { id: newId(now.getTime()), token: newToken(), scopes: input.scopes ?? SCOPES, expiresAt };
  await insertToken(ctx.database, {
    id: minted.id,
    accountId: input.accountId,
    name: input.name ?? '',
    hash: hashToken(minted.token),
    scopes: minted.scopes,
    createdAt: now,
    expiresAt,
  });
  return minted;
}
