import type { Members } from '../members.ts';
import { metaOf } from './meta.ts';

/**
 * How plug-ins for payments mark an order that was paid by no real money, each in the order's meta.
 * That a buyer pays on delivery (`cod`) or by a transfer (`bacs`) is no test, and neither marks one.
 */
const MARKS: readonly { readonly key: string; readonly values: readonly string[] }[] = [
  // WooPayments, `WC_Payments_Order_Service::WCPAY_MODE_META_KEY`.
  { key: '_wcpay_mode', values: ['test'] },
  // WooCommerce PayPal Payments, `PayPalGateway::ORDER_PAYMENT_MODE_META_KEY`.
  { key: '_ppcp_paypal_payment_mode', values: ['sandbox'] },
  // Payment Plugins for Stripe, `WC_Stripe_Constants::MODE`. The gateway of WooCommerce's own marks no order.
  { key: '_wc_stripe_mode', values: ['test'] },
  // Mollie Payments for WooCommerce, the mode of the payment as Mollie has it.
  { key: '_mollie_payment_mode', values: ['test'] },
  // Klarna (Kustom) Checkout and Klarna Payments; the latter once wrote the country before it.
  { key: '_wc_klarna_environment', values: ['test', 'us-test'] },
  // Authorize.Net, by the framework of SkyVerge.
  { key: '_wc_authorize_net_cim_credit_card_environment', values: ['test'] },
];

/** Whether an order of WooCommerce is marked as paid by no real money. Pure. */
export function isTestPayment(order: Members): boolean {
  return MARKS.some(({ key, values }) => {
    const mark = metaOf(order, key);
    return typeof mark === 'string' && values.includes(mark);
  });
}
