import { shopName } from '../../accounts/mail/shop-words.ts';
import { advanceIntent } from '../advance-intent.ts';
import type { ChargeContext } from '../attempt.ts';
import type { PaymentProvider } from '../provider.ts';
import type { CardTopUpEnd } from '../top-ups/top-up-end.ts';
import { type CardTopUpRow, storeTopUpIntent } from '../top-ups/top-up-sql.ts';

/**
 * Charges the saved card for a top-up, or carries that on.
 * Returns how it ended; undefined if that is not known yet. One past its time is stopped, so that it takes no money
 * after its row has ended; it came to nothing, and is no failure of the card.
 */
export async function chargeSavedCard(
  ctx: ChargeContext,
  payments: PaymentProvider,
  topUp: CardTopUpRow,
  { isPast, timeoutMs }: { readonly isPast: boolean; readonly timeoutMs: number },
): Promise<CardTopUpEnd | undefined> {
  const { id, account_id: accountId, method_reference: reference } = topUp;
  if (reference === null) throw new Error('a top-up on a page charges no saved card');
  if (isPast && topUp.intent_id === null) return { kind: 'expired' };
  const endsAt = performance.now() + timeoutMs;
  const charge = {
    key: id,
    accountId,
    method: 'card' as const,
    reference,
    amountPence: topUp.amount_pence,
    description: `Balance at ${shopName(ctx.config)}`.slice(0, DESCRIPTION_CHARACTERS_MAX),
    intentId: topUp.intent_id,
    isOld: false,
    storeIntentId: (intentId: string) => storeTopUpIntent(ctx.database, accountId, id, intentId),
  };
  const leftMs = (): number => Math.max(0, Math.floor(endsAt - performance.now()));
  const end = await advanceIntent(ctx, payments, charge, isPast ? 'stop' : 'charge', leftMs);
  if (end?.kind === 'mismatch') return { kind: 'mismatch', took: end.intent };
  return end?.kind === 'failed' && isPast ? { kind: 'expired' } : end;
}

/** The provider takes a longer one, but no statement of a card shows it. */
const DESCRIPTION_CHARACTERS_MAX = 120;
