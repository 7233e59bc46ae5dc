import type { ChargeContext } from '../attempt.ts';
import { chargeSavedCard } from '../auto-top-ups/charge-saved-card.ts';
import { type PaymentProvider, takesPence } from '../provider.ts';
import { endCardTopUp } from './end-top-up.ts';
import type { CardTopUpEnd } from './top-up-end.ts';
import { type CardTopUpRow, findOwnCardTopUp } from './top-up-sql.ts';

/** A top-up as it is now, and where it can still be paid. */
export type SeenTopUp = { readonly topUp: CardTopUpRow; readonly payUrl: string | null };

/**
 * Asks the provider how a top-up stands, and ends it accordingly.
 * A page past its time is ended there first, so that it takes no money after its row has ended. A charge of the saved
 * card is carried on from where it stands. Undefined if the provider gave no answer. A paid one is not asked about.
 */
export async function lookAtCardTopUp(
  ctx: ChargeContext,
  payments: PaymentProvider,
  topUp: CardTopUpRow,
  timeoutMs: number,
): Promise<SeenTopUp | undefined> {
  if (topUp.state === 'paid') return { topUp, payUrl: null };
  const found = await findEnd(ctx, payments, topUp, timeoutMs);
  if (found === 'no answer') return undefined;
  if ('payUrl' in found) return { topUp, payUrl: found.payUrl };
  await endCardTopUp(ctx, topUp, found);
  const ended = await findOwnCardTopUp(ctx.database, topUp.account_id, topUp.id);
  return { topUp: ended ?? topUp, payUrl: null };
}

async function findEnd(
  ctx: ChargeContext,
  payments: PaymentProvider,
  topUp: CardTopUpRow,
  timeoutMs: number,
): Promise<CardTopUpEnd | { readonly payUrl: string | null } | 'no answer'> {
  const isPast = ctx.clock.now() >= topUp.ends_at;
  if (topUp.method_reference !== null) {
    return (await chargeSavedCard(ctx, payments, topUp, { isPast, timeoutMs })) ?? 'no answer';
  }
  // Its address has not left the service, if there is a page: it ends by itself.
  if (topUp.page_id === null) return isPast ? { kind: 'expired' } : { payUrl: null };
  const read = await payments.readPage(topUp.page_id, timeoutMs);
  // The page exists, since its id is stored: a refusal to read it is temporary.
  if (read.kind !== 'ok') return 'no answer';
  let page = read.value;
  if (page.state === 'open' && isPast) {
    const ended = await payments.endPage(topUp.page_id, timeoutMs);
    // It may be paid at the same moment: its state after the call counts.
    const after = ended.kind === 'ok' ? ended : await payments.readPage(topUp.page_id, timeoutMs);
    if (after.kind !== 'ok') return 'no answer';
    page = after.value;
  }
  if (page.state === 'open') return { payUrl: page.url };
  if (page.state === 'ended') return { kind: 'expired' };
  if (page.state === 'paid') {
    return takesPence(page, topUp.amount_pence)
      ? { kind: 'paid', intentId: page.intentId }
      : { kind: 'mismatch', took: page };
  }
  if (page.intentId === null) return { payUrl: null };
  const intent = await payments.readIntent(page.intentId, timeoutMs);
  if (intent.kind !== 'ok') return 'no answer';
  const { state } = intent.value;
  return state === 'declined' || state === 'cancelled' ? { kind: 'failed' } : { payUrl: null };
}
