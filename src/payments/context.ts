import type { OrdersContext } from '../orders/context.ts';
import type { PaymentProvider } from './provider.ts';

/** What use cases take that may charge an account. */
export type PaymentsContext = OrdersContext & {
  /** Charges cards and direct debits; undefined: only the balance pays. */
  readonly payments: PaymentProvider | undefined;
};
