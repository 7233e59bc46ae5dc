import type { Context } from '../lib/context.ts';
import { normaliseEmail } from './create-user.ts';
import { unknownOperator } from './mint-operator-token.ts';
import { disableOperatorRow, lockOperator } from './operator-sql.ts';

/**
 * Disables an operator: their tokens stop working within a second, and no new one is minted.
 * What they did stays in the audit log. Idempotent; an unknown address is 404. Locks the operator.
 */
export async function disableOperator(
  ctx: Pick<Context, 'database' | 'clock'>,
  email: string,
): Promise<{ email: string }> {
  const address = normaliseEmail(email);
  const now = ctx.clock.now();
  await ctx.database.transaction(async (tx) => {
    const operator = await lockOperator(tx, address);
    if (operator === undefined) throw unknownOperator(address);
    await disableOperatorRow(tx, operator.id, now);
  });
  return { email: address };
}
