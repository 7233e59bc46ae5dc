import { mailPeople, type Notice } from '../accounts/notices/mail-people.ts';
import type { Db } from '../lib/db.ts';
import { newId } from '../lib/ids.ts';
import { type Pence, poundsText } from '../lib/money.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import type { PaymentsContext } from '../payments/context.ts';

/** What operators have done of their own accord. */
export type Undone = { readonly reason: string } & (
  | { readonly what: 'order' | 'pieces'; readonly keepsMoney: boolean }
  | { readonly what: 'refund'; readonly amountPence: Pence }
);

/**
 * Mails people of the account that operators have cancelled or refunded of an order, unasked.
 * In the transaction that does it, which runs once for its Idempotency-Key: each has a mail of its own.
 */
export async function mailUndone(
  ctx: Pick<PaymentsContext, 'config' | 'secrets' | 'clock' | 'log'>,
  tx: Db,
  order: Pick<LockedOrder, 'account_id' | 'reference'>,
  undone: Undone,
): Promise<void> {
  const { account_id: accountId, reference } = order;
  const about = `${reference} ${newId(ctx.clock.now().getTime())}`;
  await mailPeople(ctx, tx, { accountId, kind: 'order_undone', about }, (shop) => noticeOf(reference, undone, shop));
}

function noticeOf(reference: string, undone: Undone, shop: string): Notice {
  const { reason } = undone;
  const link = { label: 'See the order', path: `/orders/${reference}` };
  if (undone.what === 'refund') {
    const pounds = `£${poundsText(undone.amountPence)}`;
    const did = `${shop} has refunded ${pounds} of the order ${reference}: ${reason}`;
    return { subject: `${pounds} of ${reference} was refunded`, paragraphs: [did], link };
  }
  const isWhole = undone.what === 'order';
  return {
    subject: isWhole ? `${reference} was cancelled by the print shop` : `Pieces of ${reference} were cancelled`,
    paragraphs: [
      `${shop} has cancelled ${isWhole ? 'the order' : 'pieces of the order'} ${reference}: ${reason}`,
      undone.keepsMoney ? 'Nothing is refunded for it.' : 'What was refunded for it stands with the order.',
    ],
    link,
  };
}
