import type { Scope, SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import { noSuch } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Page } from '../../lib/paging.ts';
import { listTokens, type Part } from '../access/list-access.ts';
import type { AccessToken } from '../access/ops-schema.ts';
import { revokeOwnTokenRow } from '../access/token-sql.ts';
import { mintToken } from '../mint-token.ts';
import type { SessionContext } from './open-session.ts';
import { requireProof } from './prove.ts';
import type { MintedToken } from './token-schema.ts';

/** A page of the personal tokens of the account, revoked ones too, newest first. */
export async function listOwnTokens(ctx: SessionContext, caller: SignedIn, part: Part): Promise<Page<AccessToken>> {
  return listTokens(ctx, caller.accountId, part);
}

/** Mints a token for the account. Throws 403 without a fresh proof. The token is in this answer alone. */
export async function mintOwnToken(
  ctx: SessionContext,
  caller: SignedIn,
  input: { name: string; scopes: readonly Scope[]; valid_days?: number },
): Promise<MintedToken> {
  await requireProof(ctx, caller);
  const { valid_days: validDays, name } = input;
  const asked = { accountId: caller.accountId, name, scopes: input.scopes };
  const minted = await mintToken(ctx, { ...asked, ...(validDays === undefined ? {} : { validDays }) });
  const { id, token, scopes, expiresAt } = minted;
  return {
    id: publicId('tok', id),
    name,
    scopes: [...scopes],
    token,
    created_at: isoTime(ctx.clock.now()),
    expires_at: expiresAt && isoTime(expiresAt),
  };
}

/**
 * Revokes a token of the account; within two seconds no node accepts it.
 * Throws 404 for any other. Idempotent.
 */
export async function revokeOwnToken(ctx: SessionContext, { accountId }: SignedIn, id: Uuid): Promise<void> {
  if (!(await revokeOwnTokenRow(ctx.database, { accountId, id, now: ctx.clock.now() }))) throw noSuch('token');
}
