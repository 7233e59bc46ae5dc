import { recordAct } from '../../accounts/access/record-act.ts';
import { mailPeople } from '../../accounts/notices/mail-people.ts';
import { lockBalances } from '../../billing/ledger.ts';
import { messageOf } from '../../lib/error-message.ts';
import type { ChargeContext } from '../attempt.ts';
import { upsertPaymentMethod } from '../method-sql.ts';
import type { SavedMethod } from '../provider.ts';
import { retryWaitingOrders } from '../retry-payment.ts';
import { methodName } from './method-name.ts';
import { markOrdersCharged, markSavingEnded, type SavingRow } from './saving-sql.ts';

export type SavingEnd = { readonly kind: 'saved'; readonly method: SavedMethod } | { readonly kind: 'ended' };

/**
 * Ends a saving; a saved method becomes that of the account.
 * The return from the page, its callbacks, the sweep and a repeat of the request all end savings here. Only the call
 * that changes the row sets the method, in one transaction with it, unless one that was begun later is saved already.
 * Then waiting orders are charged, which the sweep does if this process does not get to it. Locks the balance, so that
 * two savings of an account end one after the other, then the saving.
 */
export async function endSaving(ctx: ChargeContext, saving: SavingRow, end: SavingEnd): Promise<void> {
  const { account_id: accountId, kind } = saving;
  const isSaved = end.kind === 'saved' && end.method.kind === kind;
  const isOurs = await ctx.database.transaction(async (tx) => {
    const now = ctx.clock.now();
    await lockBalances(tx, [accountId]);
    const marked = await markSavingEnded(tx, saving, { state: isSaved ? 'saved' : 'ended', now });
    if (marked === undefined || !isSaved || !marked.is_latest) return false;
    const { reference, customer, label, expiresOn } = end.method;
    const isKnown = await upsertPaymentMethod(tx, { accountId, kind, reference, customer, label, expiresOn, now });
    if (!isKnown) throw new Error('a saving is without its account');
    const what = methodName({ kind, label });
    await recordAct(
      tx,
      { accountId, person: { userId: saving.user_id } },
      { action: 'save_payment_method', subjectId: accountId, detail: { kind, label } },
      now,
    );
    await mailPeople(ctx, tx, { accountId, kind: 'method_changed', about: saving.id }, () => ({
      subject: 'Another payment method is charged for your orders',
      paragraphs: [
        `${what} was saved in the portal. It is charged for what the balance does not cover of an order.`,
        'If it was not one of your team, remove it and tell us.',
      ],
      link: { label: 'See the payment method', path: '/money' },
    }));
    return true;
  });
  if (isOurs) await chargeOrdersFor(ctx, saving);
}

/** Charges the orders that wait for a saved method. What cannot be done now is left to the sweep. */
export async function chargeOrdersFor(ctx: ChargeContext, saving: SavingRow): Promise<void> {
  try {
    await retryWaitingOrders(ctx, saving.account_id);
    await markOrdersCharged(ctx.database, saving.account_id, saving.id);
  } catch (error) {
    const message = messageOf(error);
    ctx.log.warn({ saving: saving.id, error: message }, 'orders that wait for a payment method could not be charged');
  }
}
