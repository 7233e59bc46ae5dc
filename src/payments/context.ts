import { ApiError } from '../lib/errors.ts';
import type { OrdersContext } from '../orders/context.ts';
import type { PaymentProvider } from './provider.ts';

/** The context of the use cases that may charge an account. */
export type PaymentsContext = OrdersContext & {
  /** Charges cards and direct debits. Undefined: only the balance pays. */
  readonly payments: PaymentProvider | undefined;
};

/** The provider that charges cards here. Throws 409 where there is none. */
export function providerOf({ payments }: Pick<PaymentsContext, 'payments'>): PaymentProvider {
  if (payments !== undefined) return payments;
  throw new ApiError('conflict', 'The print shop takes no cards here. Pay by bank transfer.');
}

/** The part of the context that booking the end of a charge, or its return, needs. */
export type ChargeEndContext = Pick<
  PaymentsContext,
  'database' | 'clock' | 'config' | 'secrets' | 'log' | 'wakeDeliveries'
>;
