// The payment provider's port. It has no refund, since the specification has payments by card and direct debit paid
// back by hand (spec 2.6, `pending_manual_refund`): a refund of them is owed until an operator marks it as paid out
// (`refunds/refund-by-ops.ts`).

import type { PaymentMethodKind } from '../billing/postings.ts';

/**
 * The state of an intent at the provider.
 * `accepted` counts as paid: a card was charged, or a direct debit was accepted. A `declined` or `cancelled` intent
 * never takes money any more. `unfinished` waits for a step that the service cannot take.
 */
export type IntentState = 'unconfirmed' | 'accepted' | 'declined' | 'cancelled' | 'unfinished';

export type Intent = {
  /** The provider's id. */
  readonly id: string;
  readonly state: IntentState;
  /** Why it was declined, for the customer; `""` otherwise. */
  readonly reason: string;
  /** What it takes, or took once it succeeded, in its currency's smallest unit; null if not given. */
  readonly amount: number | null;
  /** In lower case: `gbp`. */
  readonly currency: string;
};

/** Whether an intent takes exactly this many pence. Any other amount or currency is never booked. */
export function takesPence(intent: Intent, amountPence: number): boolean {
  return intent.currency === 'gbp' && intent.amount === amountPence;
}

/**
 * The result of a call to the provider.
 * `rejected`: it refused the request, and nothing has happened. `no_answer`: anything may have happened.
 */
export type ProviderResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'no_answer' };

/** Names a dispute and the intent that it is about. */
export type DisputeName = { readonly intentId: string; readonly disputeId: string };

/** How far a dispute is: it may still be decided either way, or it is lost or won. */
export type DisputeState = 'open' | 'lost' | 'won';

/**
 * What a dispute has moved in all when it was reported, in pence and without fees.
 * `isListed`: the provider lists each movement. Otherwise `withdrawnPence` is what the dispute is about, 0 if the
 * report does not say that it was taken, and a won dispute has given all of it back.
 */
export type DisputeAmounts = {
  readonly withdrawnPence: number;
  readonly reinstatedPence: number;
  readonly isListed: boolean;
};

/**
 * What a callback is about.
 * It is a hint to read the intent, except for disputes, which an intent does not show. An inquiry asks and takes
 * nothing. A dispute takes money when it begins, and gives it back when it was won; a lost one may give back a part.
 */
export type Callback =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'intent'; readonly intentId: string }
  | ({ readonly kind: 'inquiry' } & DisputeName)
  | ({ readonly kind: 'inquiry_closed' } & DisputeName)
  | ({
      readonly kind: 'dispute';
      readonly state: DisputeState;
      readonly amounts: DisputeAmounts | 'unreadable';
    } & DisputeName);

/**
 * Charges cards and direct debits.
 * Every call takes at most `timeoutMs`, and none throws: what happens to money is decided by the state of an intent
 * that was read, never by an error.
 */
export type PaymentProvider = {
  /** A method's owner and kind; `kind` is undefined for a kind that is not charged here. */
  readonly findMethod: (
    reference: string,
    timeoutMs: number,
  ) => Promise<ProviderResult<{ kind: PaymentMethodKind | undefined; customer: string }>>;
  /** Makes an intent that charges nothing yet. Idempotent by `key`, for a day. */
  readonly createIntent: (
    intent: {
      key: string;
      method: PaymentMethodKind;
      reference: string;
      customer: string;
      amountPence: number;
      description: string;
    },
    timeoutMs: number,
  ) => Promise<ProviderResult<Intent>>;
  /** Charges it. Idempotent: an intent takes money at most once. */
  readonly confirmIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  readonly readIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  /** Ends an intent that has taken no money; rejected once it has. */
  readonly cancelIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  /** Parses a callback from its exact bytes; undefined if the signature is wrong or too old. */
  readonly readCallback: (body: Buffer, signature: string, now: Date) => Promise<Callback | undefined>;
};
