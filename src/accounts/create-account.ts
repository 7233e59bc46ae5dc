import type { Context } from '../lib/context.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { insertAccount } from './sql.ts';
import type { VatStatus } from './vat-number.ts';

/**
 * Opens an account with an empty balance. Returns its id.
 * VAT treatment is standard unless given. `vatNumber` is in the form that `readVatNumber` returns.
 */
export async function createAccount(
  ctx: Pick<Context, 'database' | 'clock'>,
  input: { name: string; vatStatus?: VatStatus; vatNumber?: string },
): Promise<Uuid> {
  const now = ctx.clock.now();
  const id = newId(now.getTime());
  const { name, vatStatus = 'standard', vatNumber = '' } = input;
  await insertAccount(ctx.database, { id, name, vatStatus, vatNumber, createdAt: now });
  return id;
}
