import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { isLiveOperatorToken } from '../operator-sql.ts';
import type { Actor } from './act-on-access.ts';

/** Throws 401 when the token of an operator was revoked since the request came in; a command has none. */
export async function refuseRevoked(db: Db, actor: Actor): Promise<void> {
  if (actor.kind !== 'operator' || (await isLiveOperatorToken(db, actor.operator.tokenId))) return;
  throw new ApiError('unauthorized', 'The token of this operator was revoked.', {
    headers: { 'www-authenticate': 'Bearer error="invalid_token"' },
  });
}
