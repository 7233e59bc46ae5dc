import type { Actor } from '../accounts/access/act-on-access.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import type { BooksContext } from './context.ts';
import { type EntryDraft, enter } from './enter.ts';
import { amountIn, customerIn, valueDayOf } from './entry-input.ts';
import type { BookEntry, WithdrawalBody, WriteOffBody } from './entry-schema.ts';
import type { Leg } from './plan.ts';

/**
 * Pays a part or all of a customer's balance out by bank.
 * Throws 404 for an unknown account, 409 when the balance does not cover it, and for a reference that a withdrawal of
 * the account has used.
 */
export async function withdraw(ctx: BooksContext, actor: Actor, id: string, body: WithdrawalBody): Promise<BookEntry> {
  const customerId = customerIn(id);
  const amountPence = amountIn(body.amount_gbp, 'amount_gbp');
  const valueDay = await valueDayOf(ctx, body.value_day);
  const { reference, reason } = body;
  const leg = { accountId: customerId, orderId: null, amountPence, correctsId: null, reference };
  const legs: Leg[] = [{ ...leg, kind: 'withdrawal', debit: 'customer_balance', credit: 'bank' }];
  const draft: EntryDraft = {
    kind: 'withdrawal',
    valueDay,
    reference,
    reason,
    customerId,
    orderId: null,
    legs,
    shortfall: 'refuse',
  };
  const act = {
    action: 'withdraw_balance',
    orderId: null,
    detail: { account_id: publicId('acct', customerId), ...body },
  };
  return enter(ctx, actor, act, async () => draft);
}

/**
 * Gives up what a customer owes, or takes over an unclaimed balance.
 * A receivable is that of one order, or without `order` what the account owes apart from orders. Throws 404 for an
 * unknown account or order, 409 above what is owed or there.
 */
export async function writeOff(ctx: BooksContext, actor: Actor, id: string, body: WriteOffBody): Promise<BookEntry> {
  const customerId = customerIn(id);
  const amountPence = amountIn(body.amount_gbp, 'amount_gbp');
  const orderId = await orderOf(ctx, body);
  const valueDay = await valueDayOf(ctx, undefined);
  const leg = { accountId: customerId, orderId, amountPence, correctsId: null, reference: '' };
  const legs: Leg[] = [
    body.of === 'receivable'
      ? { ...leg, kind: 'write_off', debit: 'written_off', credit: 'receivables' }
      : { ...leg, kind: 'write_off', debit: 'customer_balance', credit: 'unclaimed_balances' },
  ];
  const { reason } = body;
  const draft: EntryDraft = {
    kind: 'write_off',
    valueDay,
    reference: '',
    reason,
    customerId,
    orderId,
    legs,
    shortfall: 'refuse',
  };
  const detail = { account_id: publicId('acct', customerId), ...body };
  return enter(ctx, actor, { action: 'write_off', orderId, detail }, async () => draft);
}

async function orderOf(ctx: BooksContext, body: WriteOffBody): Promise<Uuid | null> {
  return body.order === undefined || body.of === 'balance' ? null : opsOrderIdOf(ctx, body.order);
}
