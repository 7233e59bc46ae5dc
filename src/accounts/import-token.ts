import { SCOPES, type Scope } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, noSuch, validationFailed } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { accountExists, findTokenByHash, insertTokenUnlessKnown } from './sql.ts';
import { hashToken, isImportable } from './token.ts';

export type ImportedToken = { readonly id: Uuid; readonly scopes: readonly Scope[]; readonly isNew: boolean };

/**
 * Imports a `pat_test_` token that was issued elsewhere; no other kind can be imported (spec 5.2).
 * It then works like every other token. Importing it again for the same account is a no-op. A token that belongs to
 * another account, that was revoked, or that was imported with other scopes than those given is 409, and nothing is
 * written. Throws 404 for an unknown account.
 */
export async function importToken(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { accountId: Uuid; token: string; scopes?: readonly Scope[] },
): Promise<ImportedToken> {
  if (!isImportable(input.token)) {
    const message =
      'must begin with pat_test_ and hold nothing but letters, digits and . _ ~ + / - up to 255 characters.';
    throw validationFailed([{ path: 'token', code: 'pattern', message }]);
  }
  if (!(await accountExists(ctx.database, input.accountId))) throw noSuch('account');
  const now = ctx.clock.now();
  const hash = hashToken(input.token);
  const id = newId(now.getTime());
  const scopes = input.scopes ?? SCOPES;
  const row = { id, accountId: input.accountId, name: 'imported', hash, scopes, createdAt: now };
  if (await insertTokenUnlessKnown(ctx.database, row)) return { id, scopes, isNew: true };
  const known = await findTokenByHash(ctx.database, hash);
  // The message does not say which account: the caller must not learn whose token it holds.
  if (known === undefined || known.account_id !== input.accountId) {
    throw new ApiError('conflict', 'This token belongs to another account already.');
  }
  if (known.revoked_at !== null) throw new ApiError('conflict', 'This token was revoked. Import another one.');
  if (input.scopes !== undefined && !isSameSet(input.scopes, known.scopes)) {
    const names = known.scopes.join(', ') || 'none';
    throw new ApiError('conflict', `This token was imported before, with other scopes: ${names}.`);
  }
  return { id: known.id, scopes: known.scopes, isNew: false };
}

function isSameSet(some: readonly Scope[], others: readonly Scope[]): boolean {
  return [...new Set(some)].toSorted().join() === [...new Set(others)].toSorted().join();
}
