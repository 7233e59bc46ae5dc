import type { Context } from '../lib/context.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { insertAccount } from './sql.ts';

/** Opens an account with an empty balance and standard VAT treatment. Returns its id. */
export async function createAccount(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { name: string; vatStatus?: string },
): Promise<Uuid> {
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  await insertAccount(ctx.database, { id, name: input.name, vatStatus: input.vatStatus ?? 'standard', createdAt: now });
  return id;
}
