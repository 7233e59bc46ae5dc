import type { PaymentMethodKind } from '../billing/postings.ts';

/**
 * How an intent stands with the provider. `accepted` counts as paid: a card was charged, a direct debit was taken on. A
 * `declined` or `cancelled` one will never take money any more; `unfinished` waits for what nobody here can do.
 */
export type IntentState = 'unconfirmed' | 'accepted' | 'declined' | 'cancelled' | 'unfinished';

export type Intent = {
  /** The provider's id of it. */
  readonly id: string;
  readonly state: IntentState;
  /** Why it was declined, for the customer; `""` otherwise. */
  readonly reason: string;
  /** What it takes, or has taken once it has succeeded, in the smallest unit of its currency; null where it does not say. */
  readonly amount: number | null;
  /** In small letters: `gbp`. */
  readonly currency: string;
};

/** Whether an intent takes just so many pence. What differs from what was asked for is never booked as it. */
export function takesPence(intent: Intent, amountPence: number): boolean {
  return intent.currency === 'gbp' && intent.amount === amountPence;
}

/**
 * What comes of asking the provider: its answer; its refusal of the request itself, after which nothing has happened; or
 * silence, after which anything may have.
 */
export type ProviderResult<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'no_answer' };

/** Which dispute of which intent. */
export type DisputeName = { readonly intentId: string; readonly disputeId: string };

/**
 * What a callback is about: a hint to read the intent, but for its disputes, which an intent does not show. An inquiry asks and takes
 * nothing. Of a dispute, money is `withdrawn` when it begins, null where how much cannot be read, and `reinstated` when it was won;
 * a part alone may come back of one that was lost, and `isWhole` is false then.
 */
export type Callback =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'intent'; readonly intentId: string }
  | ({ readonly kind: 'inquiry' } & DisputeName)
  | ({ readonly kind: 'inquiry_closed' } & DisputeName)
  | ({ readonly kind: 'withdrawn'; readonly amountPence: number | null } & DisputeName)
  | ({ readonly kind: 'reinstated'; readonly isWhole: boolean } & DisputeName);

/**
 * Who charges cards and direct debits. Every call is bounded by the milliseconds it is given and none throws: money is
 * decided on by what an intent says when it is read, never by an error.
 */
export type PaymentProvider = {
  /** Whose a method is and what kind it has; `kind` is undefined for a kind that is not charged here. */
  readonly findMethod: (
    reference: string,
    timeoutMs: number,
  ) => Promise<ProviderResult<{ kind: PaymentMethodKind | undefined; customer: string }>>;
  /** Makes an intent that charges nothing yet; the same one for the same key, for a day. */
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
  /** Charges it. An intent takes money at most once, however often it is confirmed. */
  readonly confirmIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  readonly readIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  /** Ends an intent that has taken nothing; refused once it has. */
  readonly cancelIntent: (id: string, timeoutMs: number) => Promise<ProviderResult<Intent>>;
  /** Reads a callback by its exact bytes; undefined when the signature is wrong or too old. */
  readonly readCallback: (body: Buffer, signature: string, now: Date) => Promise<Callback | undefined>;
};
