import type { Log } from '../lib/log.ts';
import type { Callback } from './provider.ts';

/** What may be the end of an intent, or the end of what had counted as one. */
const ENDS: ReadonlySet<string> = new Set([
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
]);

type Named = { readonly id?: unknown; readonly payment_intent?: unknown };

/**
 * Reads what a signed event of Stripe is about. Of a dispute money is only believed to have moved where the event says just that:
 * `created` comes for inquiries too, which take nothing, and `funds_withdrawn` and `funds_reinstated` follow when it does. An event
 * without usable names is `nothing`; names that hold U+0000 can be nobody's, and are logged.
 */
export function parseCallback(event: { readonly type: string; readonly data?: unknown }, log: Log): Callback {
  const { object = {} } = (event.data ?? {}) as { object?: Named & DisputeFields };
  if ([object.id, object.payment_intent].some(holdsNul)) {
    log.warn(
      { type: event.type },
      'a callback of the payment provider names what nothing can be called, and is passed over',
    );
    return NOTHING;
  }
  if (ENDS.has(event.type)) {
    return typeof object.id === 'string' ? { kind: 'intent', intentId: object.id } : NOTHING;
  }
  return event.type.startsWith('charge.dispute.') ? disputeCallback(event.type, object) : NOTHING;
}

const NOTHING: Callback = { kind: 'nothing' };

type DisputeFields = {
  readonly status?: unknown;
  readonly amount?: unknown;
  readonly currency?: unknown;
  readonly balance_transactions?: unknown;
};

function disputeCallback(type: string, dispute: Named & DisputeFields): Callback {
  const { id: disputeId, payment_intent: intentId, status } = dispute;
  if (typeof disputeId !== 'string' || typeof intentId !== 'string') return NOTHING;
  const name = { intentId, disputeId };
  if (type === 'charge.dispute.funds_withdrawn') {
    return { kind: 'withdrawn', ...name, amountPence: withdrawnPence(dispute) };
  }
  if (type === 'charge.dispute.funds_reinstated' || (type === 'charge.dispute.closed' && status === 'won')) {
    return { kind: 'reinstated', ...name, isWhole: isAllReinstated(dispute) };
  }
  if (type === 'charge.dispute.created' && typeof status === 'string' && status.startsWith('warning_')) {
    return { kind: 'inquiry', ...name };
  }
  const isInquiryClosed = type === 'charge.dispute.closed' && status === 'warning_closed';
  return isInquiryClosed ? { kind: 'inquiry_closed', ...name } : NOTHING;
}

/** What a dispute has taken: what was booked for it, without fees, else what it is about. Null for what is no sterling. */
function withdrawnPence(dispute: DisputeFields): number | null {
  const taken = movedPence(dispute, -1);
  if (taken > 0) return taken;
  const amount = wholeOf(dispute.amount) ?? 0;
  return dispute.currency === 'gbp' && amount > 0 ? amount : null;
}

/** Of one that is lost only a part is given back, such as what had been refunded before it. */
function isAllReinstated(dispute: DisputeFields): boolean {
  const back = movedPence(dispute, 1);
  return back === 0 ? dispute.status !== 'lost' : back >= movedPence(dispute, -1);
}

/** What was booked one way for a dispute, in pence. */
function movedPence(dispute: DisputeFields, way: 1 | -1): number {
  const { balance_transactions: transactions } = dispute;
  if (!Array.isArray(transactions)) return 0;
  let sum = 0;
  for (const transaction of transactions as readonly (DisputeFields | null)[]) {
    const amount = (wholeOf(transaction?.amount) ?? 0) * way;
    if (amount > 0 && transaction?.currency === 'gbp') sum += amount;
  }
  return sum;
}

/** A whole number as it came over the wire; undefined for anything else. */
export function wholeOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function holdsNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
