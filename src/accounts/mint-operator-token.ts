import type { Context } from '../lib/context.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { normaliseEmail } from './create-user.ts';
import { insertOperatorToken, lockOperator } from './operator-sql.ts';
import { hashToken, newToken } from './token.ts';

/**
 * Mints another token for an operator; the earlier ones stay valid.
 * The token is returned this once and stored as a hash. Throws 404 for an unknown address, 409 for a disabled operator.
 * Locks the operator.
 */
export async function mintOperatorToken(
  ctx: Pick<Context, 'database' | 'clock'>,
  email: string,
): Promise<{ email: string; token: string }> {
  const address = normaliseEmail(email);
  const now = ctx.clock.now();
  return ctx.database.transaction(async (tx) => {
    const operator = await lockOperator(tx, address);
    if (operator === undefined) throw unknownOperator(address);
    if (operator.disabled_at !== null) {
      throw new ApiError(
        'conflict',
        `The operator ${address} is disabled: enable them first (platen operator enable).`,
      );
    }
    return { email: address, token: await mintTokenFor(tx, operator.id, now) };
  });
}

/** Writes a new token of an operator and returns it. */
export async function mintTokenFor(tx: Db, operatorId: Uuid, now: Date): Promise<string> {
  const token = newToken('pop_');
  await insertOperatorToken(tx, { id: newId(now.getTime()), operatorId, hash: hashToken(token), createdAt: now });
  return token;
}

/** 404 for an address that no operator has. */
export function unknownOperator(email: string): ApiError {
  return new ApiError('not_found', `There is no operator with the address ${email}.`);
}
