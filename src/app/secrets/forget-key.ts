import type { Context } from '../../lib/context.ts';
import { UNREADABLE } from '../../lib/sealing/sealed-store.ts';
import { SEALED_STORES } from './reseal.ts';

const BATCH = 500;

/**
 * Gives up what a lost key seals, so that a service starts without it; returns how many values.
 * Nothing is deleted: each start of a worker tries these values again, should the key be found.
 */
export async function forgetKey(
  ctx: Pick<Context, 'database'>,
  keyId: string,
): Promise<{ webhook_secrets: number; sign_ins: number }> {
  const given = { webhook_secrets: 0, sign_ins: 0 };
  for (const { kind, note } of SEALED_STORES) {
    for (let noted = BATCH; noted === BATCH; ) {
      noted = await note(ctx.database, keyId, UNREADABLE, BATCH);
      given[kind === 'webhook secrets' ? 'webhook_secrets' : 'sign_ins'] += noted;
    }
  }
  return given;
}
