import type { Uuid } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import type { Callback, DisputeAmounts, DisputeState } from '../provider.ts';

/** Events that may end an intent, or undo an end that had counted. */
const ENDS: ReadonlySet<string> = new Set([
  'payment_intent.succeeded',
  'payment_intent.processing',
  'payment_intent.payment_failed',
  'payment_intent.canceled',
]);

/** Events of a page on which a person pays. */
const OF_PAGES = 'checkout.session.';

type EventObject = {
  readonly id?: unknown;
  readonly payment_intent?: unknown;
  readonly amount_refunded?: unknown;
  readonly currency?: unknown;
  readonly metadata?: unknown;
};

/**
 * Parses a signed event of Stripe.
 * What a dispute moved is read from the balance transactions that its events list, whatever the event is. Where none is
 * listed, money counts as moved only if the event says exactly that: `created` is sent for inquiries too, which take
 * nothing; `funds_withdrawn` and `funds_reinstated` follow when money moves. An event without usable ids is `nothing`.
 * Ids that hold U+0000 cannot exist, and are logged.
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
  if (event.type.startsWith(OF_PAGES)) {
    return typeof object.id === 'string' ? { kind: 'page', pageId: object.id } : NOTHING;
  }
  if (event.type === 'charge.refunded') return refundCallback(object);
  return event.type.startsWith('charge.dispute.') ? disputeCallback(event.type, object) : NOTHING;
}

function refundCallback(charge: EventObject): Callback {
  const { payment_intent: intentId, amount_refunded: amount, currency } = charge;
  if (typeof intentId !== 'string') return NOTHING;
  const refundedPence = currency === 'gbp' ? safeIntegerOf(amount) : undefined;
  const isReadable = refundedPence !== undefined && refundedPence >= 0;
  return {
    kind: 'refunded',
    intentId,
    refundedPence: isReadable ? refundedPence : 'unreadable',
    pageKey: pageKeyOf(charge),
  };
}

/**
 * The key of the page that an intent or its charge was made on; null without one.
 * Stripe copies it from the intent, whose metadata `createPage` gives.
 */
export function pageKeyOf({ metadata }: { readonly metadata?: unknown }): Uuid | null {
  const { platen_top_up: key } = (metadata ?? {}) as { readonly platen_top_up?: unknown };
  return typeof key === 'string' && UUID.test(key) ? (key as Uuid) : null;
}

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

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
  const listed = listedAmounts(dispute);
  const event = type.slice('charge.dispute.'.length);
  const state = stateOf(event, status);
  if (listed !== undefined) return { kind: 'dispute', ...name, state, amounts: listed };
  if (event === 'funds_withdrawn') return { kind: 'dispute', ...name, state, amounts: amountAbout(dispute) };
  // A lost dispute gives back a part, and nothing says how much.
  if (event === 'funds_reinstated' && state !== 'won') {
    return { kind: 'dispute', ...name, state, amounts: 'unreadable' };
  }
  if (state !== 'open') return { kind: 'dispute', ...name, state, amounts: NOT_LISTED };
  if (event === 'created' && typeof status === 'string' && status.startsWith('warning_')) {
    return { kind: 'inquiry', ...name };
  }
  const isInquiryClosed = event === 'closed' && status === 'warning_closed';
  return isInquiryClosed ? { kind: 'inquiry_closed', ...name } : NOTHING;
}

const NOT_LISTED: DisputeAmounts = { withdrawnPence: 0, reinstatedPence: 0, isListed: false };

/** How far a dispute is, by the events that decide it. */
function stateOf(event: string, status: unknown): DisputeState {
  if (event !== 'closed' && event !== 'funds_reinstated') return 'open';
  if (status === 'lost') return 'lost';
  return status === 'won' || event === 'funds_reinstated' ? 'won' : 'open';
}

/** What a dispute is about, as the amount that it took; `unreadable` if that is not in sterling. */
function amountAbout({ amount, currency }: DisputeFields): DisputeAmounts | 'unreadable' {
  const withdrawnPence = safeIntegerOf(amount) ?? 0;
  return currency === 'gbp' && withdrawnPence > 0 ? { ...NOT_LISTED, withdrawnPence } : 'unreadable';
}

/**
 * The sums of a dispute's balance transactions in each direction, without fees.
 * Undefined if none is listed. `unreadable` if one of them is not a number of pence.
 */
function listedAmounts({
  balance_transactions: transactions,
}: DisputeFields): DisputeAmounts | 'unreadable' | undefined {
  if (!Array.isArray(transactions) || transactions.length === 0) return undefined;
  const amounts = (transactions as readonly (DisputeFields | null)[]).map((transaction) =>
    transaction?.currency === 'gbp' ? safeIntegerOf(transaction.amount) : undefined,
  );
  const sumOf = (sign: 1 | -1): number =>
    amounts.reduce<number>((sum, amount) => sum + Math.max(0, (amount ?? Number.NaN) * sign), 0);
  const [withdrawnPence, reinstatedPence] = [sumOf(-1), sumOf(1)];
  if (![withdrawnPence, reinstatedPence].every(Number.isSafeInteger)) return 'unreadable';
  return { withdrawnPence, reinstatedPence, isListed: true };
}

/** An integer as it came over the wire; undefined for anything else. */
export function safeIntegerOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined;
}

function containsNul(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\0');
}
