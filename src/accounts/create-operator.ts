import type { Context } from '../lib/context.ts';
import { ApiError, validationFailed } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import type { OperatorRole } from '../lib/operator.ts';
import { normaliseEmail, userProblems } from './create-user.ts';
import { mintTokenFor } from './mint-operator-token.ts';
import { insertOperatorUnlessKnown } from './operator-sql.ts';
import { hashPassword } from './password.ts';

/**
 * Adds an operator with a first token.
 * The token is returned this once and stored as a hash; the password is stored as its Argon2id hash. The address is
 * unique regardless of case: a taken one is 409. Throws 422 that names a malformed address and a malformed password
 * together.
 */
export async function createOperator(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { email: string; password: string; role: OperatorRole },
): Promise<{ id: Uuid; email: string; role: OperatorRole; token: string }> {
  const problems = userProblems(input);
  if (problems.length > 0) throw validationFailed(problems);
  const email = normaliseEmail(input.email);
  const passwordHash = await hashPassword(input.password);
  const now = ctx.clock.now();
  const operator = { id: newId(now.getTime()), email, role: input.role };
  return ctx.database.transaction(async (tx) => {
    if (!(await insertOperatorUnlessKnown(tx, { ...operator, passwordHash, createdAt: now }))) {
      throw new ApiError('conflict', `There is an operator with the address ${email} already.`);
    }
    return { ...operator, token: await mintTokenFor(tx, operator.id, now) };
  });
}
