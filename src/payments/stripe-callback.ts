import type { Log } from '../lib/log.ts';
import type { Callback } from './provider.ts';

/** Events that may end an intent, or undo an end that had counted. */
const ENDS: ReadonlySet<string> = new Set([
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
]);

type EventObject = { readonly id?: unknown; readonly payment_intent?: unknown };

/**
 * Parses a signed event of Stripe.
 * Money of a dispute counts as moved only if the event says exactly that: `created` is sent for inquiries too, which
 * take nothing; `funds_withdrawn` and `funds_reinstated` follow when money moves. An event without usable ids is
 * `nothing`. Ids that hold U+0000 cannot exist, and are logged.
 */
export function parseCallback(event: { readonly type: string; readonly data?: unknown }, log: Log): Callback {
  const { object = {} } = (event.data ?? {}) as { object?: EventObject & DisputeFields };
  if ([object.id, object.payment_intent].some(containsNul)) {
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

function disputeCallback(type: string, dispute: EventObject & DisputeFields): Callback {
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

/**
 * The pence that a dispute took: what was booked for it, without fees, else what it is about.
 * Null for an amount that is not in sterling.
 */
function withdrawnPence(dispute: DisputeFields): number | null {
  const taken = movedPence(dispute, -1);
  if (taken > 0) return taken;
  const amount = safeIntegerOf(dispute.amount) ?? 0;
  return dispute.currency === 'gbp' && amount > 0 ? amount : null;
}

/** Whether all was given back. A lost dispute gives back a part, such as what was refunded before it. */
function isAllReinstated(dispute: DisputeFields): boolean {
  const back = movedPence(dispute, 1);
  return back === 0 ? dispute.status !== 'lost' : back >= movedPence(dispute, -1);
}

/** The sum of a dispute's transactions in one direction, in pence. */
function movedPence(dispute: DisputeFields, sign: 1 | -1): number {
  const { balance_transactions: transactions } = dispute;
  if (!Array.isArray(transactions)) return 0;
  let sum = 0;
  for (const transaction of transactions as readonly (DisputeFields | null)[]) {
    const amount = (safeIntegerOf(transaction?.amount) ?? 0) * sign;
    if (amount > 0 && transaction?.currency === 'gbp') sum += amount;
  }
  return sum;
}

/** An integer as it came over the wire; undefined for anything else. */
export function safeIntegerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function containsNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
