import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { noSuch } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { accountExists, insertToken } from './sql.ts';
import { hashToken, newToken } from './token.ts';

/**
 * Mints a personal token. Throws 404 for an unknown account.
 * The token is returned this once and stored as a hash.
 */
export async function mintToken(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { accountId: Uuid; scopes?: readonly Scope[]; name?: string },
): Promise<{ id: Uuid; token: string; scopes: readonly Scope[] }> {
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  const now = ctx.clock.now();
  const minted = { id: newId(now.getTime()), token: newToken(), scopes: input.scopes ?? SCOPES };
  await insertToken(ctx.database, {
    id: minted.id,
    accountId: input.accountId,
    name: input.name ?? '',
    hash: hashToken(minted.token),
    scopes: minted.scopes,
    createdAt: now,
  });
  return minted;
}
