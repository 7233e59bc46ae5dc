import type { OrdersContext } from '../orders/context.ts';
import type { PaymentProvider } from './provider.ts';

/** The context of the use cases that may charge an account. */
export type PaymentsContext = OrdersContext & {
  /** Charges cards and direct debits. Undefined: only the balance pays. */
  readonly payments: PaymentProvider | undefined;
};

/** The part of the context that booking the end of a charge, or its return, needs. */
export type ChargeEndContext = Pick<
  PaymentsContext,
  'database' | 'clock' | 'config' | 'secrets' | 'log' | 'wakeDeliveries'
>;
