import type { PaymentsContext } from '../payments/context.ts';
import type { Placing } from './place-together.ts';

/** The context of placing an order. */
export type CheckoutContext = PaymentsContext & {
  /** Writes the orders of this process, those of one moment together. */
  readonly placing: Placing;
};
