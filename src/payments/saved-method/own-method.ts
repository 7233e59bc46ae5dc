import { recordAct } from '../../accounts/access/record-act.ts';
import type { SessionContext } from '../../accounts/portal/open-session.ts';
import { requireProof } from '../../accounts/portal/prove.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { isoTime } from '../../lib/clock.ts';
import type { ChargeContext } from '../attempt.ts';
import { findAutoTopUp, removeAutoTopUp } from '../auto-top-ups/auto-top-up-sql.ts';
import type { PaymentMethod } from './saving-schema.ts';
import { findMethodOf, removeMethod } from './saving-sql.ts';

/** How long a person waits for the provider. */
const PROVIDER_TIMEOUT_MS = 8_000;

/** The card or direct debit that pays what the balance of the account does not, and what can be saved. */
export async function readOwnMethod(
  ctx: Pick<ChargeContext, 'database' | 'payments'>,
  { accountId }: SignedIn,
): Promise<PaymentMethod> {
  const method = await findMethodOf(ctx.database, accountId);
  const saved = method && {
    kind: method.kind,
    label: method.label,
    expires_on: method.expires_on,
    saved_at: isoTime(method.updated_at),
  };
  return {
    saved: saved ?? null,
    kinds: ctx.payments === undefined ? [] : ['card', 'direct_debit'],
    has_auto_top_up: (await findAutoTopUp(ctx.database, accountId)) !== undefined,
  };
}

/**
 * Removes the card or direct debit of the account.
 * Nothing more is charged to it, and automatic top-ups end. What is under way is not stopped. The provider is asked to
 * forget it, too; where it gives no answer it keeps a method that is no longer charged. Idempotent. Throws 403 without
 * a fresh proof.
 */
export async function removeOwnMethod(ctx: ChargeContext & SessionContext, caller: SignedIn): Promise<void> {
  await requireProof(ctx, caller);
  const { accountId } = caller;
  const reference = await ctx.database.transaction(async (tx) => {
    // It would stop at its next look, with a mail that says what the person has just done.
    await removeAutoTopUp(tx, accountId);
    const removed = await removeMethod(tx, accountId);
    if (removed !== undefined) {
      const act = { action: 'remove_payment_method', subjectId: accountId, detail: {} };
      await recordAct(tx, caller, act, ctx.clock.now());
    }
    return removed;
  });
  if (reference === undefined || ctx.payments === undefined) return;
  const forgotten = await ctx.payments.forgetMethod(reference, PROVIDER_TIMEOUT_MS);
  if (forgotten.kind !== 'ok')
    ctx.log.warn({ account: accountId }, 'the payment provider keeps a method that was removed');
}
