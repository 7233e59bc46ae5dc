// The payment provider's port. It has no refund, since the specification has payments by card and direct debit paid
// back by hand (spec 2.6, `pending_manual_refund`): a refund of them is owed until an operator marks it as paid out
// (`refunds/refund-by-ops.ts`).

import type { PaymentMethodKind } from '../billing/postings.ts';
import type { Uuid } from '../lib/ids.ts';

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
  /** The key of the page that it is paid on, as `createPage` had it; null for a charge. */
  readonly pageKey: Uuid | null;
};

/** Whether an intent takes exactly this many pence. Any other amount or currency is never booked. */
export function takesPence(intent: Pick<Intent, 'amount' | 'currency'>, amountPence: number): boolean {
  return intent.currency === 'gbp' && intent.amount === amountPence;
}

/**
 * The state of a page of the provider's on which a person pays.
 * `open` takes a payment. `paying`: the person is done, and whether the money comes is decided later, by the intent.
 * `paid` has taken it. `ended` has taken nothing, and never will.
 */
export type PageState = 'open' | 'paying' | 'paid' | 'ended';

export type PaymentPage = {
  /** The provider's id. */
  readonly id: string;
  readonly state: PageState;
  /** Where the person pays; null once the page is not open. */
  readonly url: string | null;
  /** The intent that takes the money; null before there is one. */
  readonly intentId: string | null;
  /** What it takes, in its currency's smallest unit; null if not given. */
  readonly amount: number | null;
  /** In lower case: `gbp`. */
  readonly currency: string;
};

/** A card or direct debit that the provider keeps. */
export type SavedMethod = {
  /** The provider's id. */
  readonly reference: string;
  /** Undefined for a kind that is not charged here. */
  readonly kind: PaymentMethodKind | undefined;
  /** The provider's id of its owner; `""` without one. */
  readonly customer: string;
  /** How a person knows it, `Visa ending in 4242`; `""` if the provider does not say. */
  readonly label: string;
  /** The last day on which a card is good, `2028-04-30`; null for what does not expire. */
  readonly expiresOn: string | null;
};

/**
 * A page of the provider's on which a person saves a card or direct debit.
 * `saving`: the person is done, and whether it can be charged is decided later. `ended` has saved nothing.
 */
export type MethodPage = {
  /** The provider's id. */
  readonly id: string;
  /** Where the person goes; null once the page is not open. */
  readonly url: string | null;
} & ({ readonly state: 'open' | 'saving' | 'ended' } | { readonly state: 'saved'; readonly method: SavedMethod });

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
 * It is a hint to read the intent or the page, except for disputes and refunds, which an intent does not show.
 * `refundedPence` is all that was refunded so far; `pageKey` is the key that the page of the payment was made with,
 * null for a payment without one. An inquiry asks and takes nothing. A dispute takes money when it begins, and gives it
 * back when it was won; a lost one may give back a part.
 */
export type Callback =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'intent'; readonly intentId: string }
  | { readonly kind: 'page'; readonly pageId: string }
  | {
      readonly kind: 'refunded';
      readonly intentId: string;
      readonly refundedPence: number | 'unreadable';
      readonly pageKey: Uuid | null;
    }
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
  readonly findMethod: (reference: string, timeoutMs: number) => Promise<ProviderResult<SavedMethod>>;
  /** Forgets a method, so that nothing can charge it any more; rejected for one that is not kept. */
  readonly forgetMethod: (reference: string, timeoutMs: number) => Promise<ProviderResult<SavedMethod>>;
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
  /**
   * Makes a page on which a person pays by card, and which ends at `endsAt`.
   * Idempotent by `key`, for a day. The person comes back to one of the two addresses.
   */
  readonly createPage: (
    page: {
      key: Uuid;
      amountPence: number;
      description: string;
      paidUrl: string;
      leftUrl: string;
      endsAt: Date;
    },
    timeoutMs: number,
  ) => Promise<ProviderResult<PaymentPage>>;
  readonly readPage: (id: string, timeoutMs: number) => Promise<ProviderResult<PaymentPage>>;
  /** Ends a page that is open; rejected once it is not. */
  readonly endPage: (id: string, timeoutMs: number) => Promise<ProviderResult<PaymentPage>>;
  /**
   * Makes a page on which a person saves a method, and which ends at `endsAt`.
   * Idempotent by `key`, for a day. `customer` is the owner of an earlier method, `""` for a new one.
   */
  readonly createMethodPage: (
    page: {
      key: string;
      method: PaymentMethodKind;
      customer: string;
      savedUrl: string;
      leftUrl: string;
      endsAt: Date;
    },
    timeoutMs: number,
  ) => Promise<ProviderResult<MethodPage>>;
  readonly readMethodPage: (id: string, timeoutMs: number) => Promise<ProviderResult<MethodPage>>;
  /** Parses a callback from its exact bytes; undefined if the signature is wrong or too old. */
  readonly readCallback: (body: Buffer, signature: string, now: Date) => Promise<Callback | undefined>;
};
