import { postToOrder, readReceivable, readWrittenOff } from '../billing/ledger.ts';
import type { VatBreakdownRow } from '../billing/postings.ts';
import { refundPostings, reversalPostings } from '../billing/postings.ts';
import type { VatClass } from '../catalogue/document.ts';
import { type Db, hasSqlState, sqlStateOf } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { newId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, poundsText, sumPence, ZERO_PENCE } from '../lib/money.ts';
import type { LockedOrder } from '../orders/move-sql.ts';
import { renewTaskToCollect } from '../payments/disputes/task-to-collect.ts';
import { setupKey } from '../pricing/price-lines.ts';
import type { Credit, Sold } from './refund-amounts.ts';
import { type NewRefund, readSold, recordCredit, recordRefunds, type SoldRow } from './refund-sql.ts';

/** Why money is given back, and who gives it back. */
export type RefundReason = {
  readonly kind: 'cancellation' | 'goodwill';
  readonly actor: string;
  readonly reason: string;
};

/**
 * Gives back the money of a credit (domain, "Refunds").
 * Its part of the sale is reversed, the balance gets its part at once, and the rest is owed. The caller holds the
 * lock of the order; the balance is locked here, last of all locks. Returns the pence that went to the balance.
 * Throws `refund_failed` if the refund itself is refused or times out.
 */
export async function refundCredit(
  tx: Db,
  order: LockedOrder,
  credit: Credit,
  why: RefundReason,
  now: Date,
): Promise<Pence> {
  if (credit.totalPence === 0) return ZERO_PENCE;
  const creditId = newId(now.getTime());
  const of = { accountId: order.account_id, orderId: order.id, actor: why.actor, reason: why.reason, now };
  return orRefundFailed(async () => {
    await recordCredit(tx, { ...of, credit: creditColumns(creditId, why.kind, credit) });
    return payBack(tx, order, credit.totalPence, { ...of, creditId, before: reversalPostings(credit) });
  });
}

/**
 * Gives back what was paid for an order that was never paid in full.
 * That money is in the deposits, and nothing was sold for it. In all else as `refundCredit`.
 */
export async function refundDeposits(tx: Db, order: LockedOrder, why: RefundReason, now: Date): Promise<Pence> {
  const amountPence = unrefundedPence(order);
  if (amountPence === 0) return ZERO_PENCE;
  const of = { accountId: order.account_id, orderId: order.id, actor: why.actor, reason: why.reason, now };
  return orRefundFailed(() => payBack(tx, order, amountPence, { ...of, creditId: null, before: [] }));
}

async function payBack(
  tx: Db,
  order: LockedOrder,
  amountPence: Pence,
  of: {
    accountId: Uuid;
    orderId: Uuid;
    actor: string;
    reason: string;
    now: Date;
    creditId: Uuid | null;
    before: ReturnType<typeof reversalPostings>;
  },
): Promise<Pence> {
  const refunds = splitRefund({ ...order, payments: await withWrittenOff(tx, order) }, amountPence, of.now);
  const sumOf = (parts: readonly NewRefund[]): Pence => sumPence(parts.map((part) => pence(part.amount_pence)));
  const balancePence = sumOf(refunds.filter(({ method }) => method === 'balance'));
  const owedPence = sumOf(refunds.filter(({ state }) => state === 'owed'));
  const { stillOwedPence, ...setOff } = await splitSetOff(tx, of, pence(amountPence - balancePence - owedPence));
  await recordRefunds(tx, { ...of, refunds });
  if (setOff.setOffPence > 0) {
    const what = `£${poundsText(setOff.setOffPence)} of what came back of its payments was refunded, and is owed no more.`;
    await renewTaskToCollect(tx, order, { what, owedPence: stillOwedPence }, of.now);
  }
  const postings = [...of.before, ...refundPostings({ balancePence, owedPence, ...setOff })];
  await postToOrder(tx, { ...of, postings, reference: order.reference });
  return balancePence;
}

/**
 * The payments of an order, each with what of it the customer does not owe but never paid.
 * Of one whose rest was collected by bank that is what was written off: it is undone by a refund, and never paid out.
 */
async function withWrittenOff(tx: Db, order: LockedOrder): Promise<LockedOrder['payments']> {
  if (!order.payments.some((payment) => payment.is_collected)) return order.payments;
  const { account_id: accountId, id: orderId } = order;
  const duePence = sumPence(order.payments.map((payment) => pence(payment.due_pence)));
  const ofOpenPence = Math.max(0, duePence - (await readReceivable(tx, accountId, orderId)));
  let leftPence = Math.max(0, (await readWrittenOff(tx, accountId, orderId)) - ofOpenPence);
  return order.payments.map((payment) => {
    if (!payment.is_collected) return payment;
    const partPence = Math.min(leftPence, payment.amount_pence);
    leftPence -= partPence;
    return { ...payment, due_pence: partPence };
  });
}

/**
 * Splits what is set off against returned payments.
 * What the customer still owes for them comes first, then what was written off. Both change under the order's lock.
 */
async function splitSetOff(
  tx: Db,
  { accountId, orderId }: { readonly accountId: Uuid; readonly orderId: Uuid },
  amountPence: Pence,
): Promise<{ setOffPence: Pence; writtenOffPence: Pence; stillOwedPence: Pence }> {
  if (amountPence === 0) return { setOffPence: ZERO_PENCE, writtenOffPence: ZERO_PENCE, stillOwedPence: ZERO_PENCE };
  const owedPence = await readReceivable(tx, accountId, orderId);
  const aboveOwedPence = Math.max(0, amountPence - owedPence);
  const writtenOffPence = pence(Math.min(aboveOwedPence, await readWrittenOff(tx, accountId, orderId)));
  const setOffPence = pence(amountPence - writtenOffPence);
  return { setOffPence, writtenOffPence, stillOwedPence: pence(Math.max(0, owedPence - setOffPence)) };
}

type Payments = Pick<LockedOrder, 'balance_paid_pence' | 'payments' | 'refunds'>;

/**
 * Splits a refund over what paid for the order.
 * The balance comes first, up to what it paid and has not got back, since that is done at once; then the payments by
 * card or direct debit, the oldest first, each up to what it paid. Their part is owed until an operator marks it as
 * paid out. What the provider has taken back of a payment is not owed: the customer has that money, and no longer
 * owes it.
 */
export function splitRefund(order: Payments, amountPence: Pence, now: Date): NewRefund[] {
  const parts: NewRefund[] = [];
  let leftPence: number = amountPence;
  for (const { method, paymentId, openPence, duePence } of unrefundedPayments(order)) {
    const amount = Math.min(leftPence, openPence);
    const donePence = method === 'balance' ? amount : Math.min(amount, duePence);
    for (const [state, amountOfPart] of [
      ['done', donePence],
      ['owed', amount - donePence],
    ] as const) {
      if (amountOfPart === 0) continue;
      parts.push({ id: newId(now.getTime()), method, payment_id: paymentId, amount_pence: amountOfPart, state });
    }
    leftPence -= amount;
  }
  if (leftPence > 0) throw new Error(`a refund is ${leftPence} pence above what was paid and not given back`);
  return parts;
}

/** What was paid for an order and is not given back yet. */
export function unrefundedPence(order: Payments): Pence {
  return sumPence(unrefundedPayments(order).map(({ openPence }) => pence(openPence)));
}

function unrefundedPayments(order: Payments) {
  const payments = [
    { method: 'balance' as const, paymentId: null, paidPence: order.balance_paid_pence, duePence: 0 },
    ...order.payments.map((payment) => ({
      method: payment.method,
      paymentId: payment.id,
      paidPence: payment.amount_pence,
      duePence: payment.due_pence,
    })),
  ];
  return payments.map((payment) => {
    const back = order.refunds.filter(({ payment_id: id }) => id === payment.paymentId);
    const backPence = back.reduce((sum, refund) => sum + refund.amount_pence, 0);
    return { ...payment, openPence: payment.paidPence - backPence };
  });
}

/** Reads what a locked order was charged for and what of it is credited, to compute a credit. */
export async function readSoldOrder(tx: Db, order: LockedOrder): Promise<Sold> {
  return soldOf(await readSold(tx, order.account_id, order.id));
}

function soldOf(row: SoldRow): Sold {
  return {
    lines: row.lines.map((line) => ({
      id: line.id,
      name: line.name,
      sku: line.sku,
      // Written when the order was placed, from a validated catalogue.
      vatClass: line.vat_class as VatClass,
      unitPence: pence(line.unit_price_pence),
      quantity: line.quantity,
      cancelled: line.quantity_cancelled,
      shipped: line.quantity_shipped,
      isStarted: line.started,
      designs: line.designs.map((design) => setupKey(design.design_hash, design.method)),
    })),
    setups: row.setups.map((setup) => ({
      key: setupKey(setup.design_hash, setup.method),
      method: setup.method,
      pence: pence(setup.amount_pence),
    })),
    shippingPence: pence(row.shipping_pence),
    dutyPence: pence(row.duty_pence),
    vatBreakdown: row.vat_breakdown.map(rateAmount),
    credited: { vatBreakdown: row.credited_vat.map(rateAmount), dutyPence: pence(row.credited_duty_pence) },
  };
}

function rateAmount(row: VatBreakdownRow) {
  return { rateBasisPoints: row.rate_bp, netPence: pence(row.net_pence), vatPence: pence(row.vat_pence) };
}

function creditColumns(id: Uuid, kind: RefundReason['kind'], credit: Credit) {
  return {
    id,
    kind,
    lines: credit.lines.map((line) => ({
      description: line.description,
      variant_sku: line.variantSku,
      quantity: line.quantity,
      unit_pence: line.unitPence,
      net_pence: line.netPence,
    })),
    vat_breakdown: credit.vatBreakdown.map((rate) => ({
      rate_bp: rate.rateBasisPoints,
      net_pence: rate.netPence,
      vat_pence: rate.vatPence,
    })),
    net_pence: credit.netPence,
    vat_pence: credit.vatPence,
    duty_pence: credit.dutyPence,
    total_pence: credit.totalPence,
  };
}

async function orRefundFailed<T>(refund: () => Promise<T>): Promise<T> {
  try {
    return await refund();
  } catch (error) {
    throw isRefusal(error) ? refundFailed(error) : error;
  }
}

/**
 * Whether the refund itself was refused or timed out (decisions, "`refund_failed`").
 * A database that is away is no refusal, and neither is a deadlock, which is retried.
 */
function isRefusal(error: unknown): boolean {
  if (hasSqlState(error, STATEMENT_TIMEOUT, LOCK_TIMEOUT)) return true;
  return sqlStateOf(error) !== undefined && !(error instanceof ApiError);
}

const STATEMENT_TIMEOUT = '57014';
const LOCK_TIMEOUT = '55P03';

/** 502: the refund failed, and nothing has changed. */
export function refundFailed(cause?: unknown): ApiError {
  return new ApiError(
    'refund_failed',
    'The refund failed, so the order was not cancelled and nothing has changed. It is safe to try again.',
    { cause },
  );
}
