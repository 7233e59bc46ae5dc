import type { PaymentPage } from '../provider.ts';

/** How a top-up ends. */
export type CardTopUpEnd =
  | { readonly kind: 'paid'; readonly intentId: string | null }
  | { readonly kind: 'expired' }
  /** With the provider's reason, where a saved card was charged. */
  | { readonly kind: 'failed'; readonly reason?: string }
  /** Another amount or currency was taken: none of it is booked. */
  | { readonly kind: 'mismatch'; readonly took: Took };

/** What was taken, by a page or an intent of the provider's. */
export type Took = Pick<PaymentPage, 'id' | 'amount' | 'currency'>;
