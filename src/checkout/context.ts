import type { PaymentsContext } from '../payments/context.ts';
import type { Gathering } from './gather.ts';
import type { Placing } from './place-together.ts';

/** The context of placing and estimating an order. */
export type CheckoutContext = PaymentsContext & {
  /** Reads what baskets depend on, those of one moment together. */
  readonly gathering: Gathering;
  /** Writes the orders of this process, those of one moment together. */
  readonly placing: Placing;
};
