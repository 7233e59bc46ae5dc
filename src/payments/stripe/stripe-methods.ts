import type Stripe from 'stripe';
import type { PaymentMethodKind } from '../../billing/postings.ts';
import type { MethodPage, PaymentProvider, SavedMethod } from '../provider.ts';

// Methods that Stripe keeps, and the pages on which people save them.

/** What Stripe calls each kind. */
export const TYPE_OF = { card: 'card', direct_debit: 'bacs_debit' } as const satisfies Record<
  PaymentMethodKind,
  string
>;
const KIND_OF: ReadonlyMap<string, PaymentMethodKind> = new Map([
  ['card', 'card'],
  ['bacs_debit', 'direct_debit'],
]);

/** Parses a payment method as it came over the wire; throws for anything else. */
export function parseMethod(value: unknown): SavedMethod {
  const given = value as Partial<Stripe.PaymentMethod>;
  const { id, type, customer, card, bacs_debit: debit } = given;
  if (typeof id !== 'string' || typeof type !== 'string') throw new Error('the provider answered with no method');
  const owner = typeof customer === 'string' ? customer : (customer?.id ?? '');
  const kind = KIND_OF.get(type);
  if (kind === 'card') {
    const label = labelOf(card?.display_brand ?? card?.brand, 'Card', card?.last4);
    return { reference: id, kind, customer: owner, label, expiresOn: endOfMonth(card?.exp_year, card?.exp_month) };
  }
  const label = kind === undefined ? '' : labelOf(undefined, 'Bank account', debit?.last4);
  return { reference: id, kind, customer: owner, label, expiresOn: null };
}

const LAST_FOUR = /^[0-9A-Za-z]{1,8}$/;
const BRAND = /^[a-z][a-z0-9_ ]{0,29}$/i;

/** What the provider calls a brand is shown only in the usual form: it is text from outside. */
function labelOf(brand: unknown, otherwise: string, lastFour: unknown): string {
  if (typeof lastFour !== 'string' || !LAST_FOUR.test(lastFour)) return '';
  const known = typeof brand === 'string' && brand !== 'unknown' && BRAND.test(brand);
  const name = known ? brand.replaceAll('_', ' ') : otherwise;
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} ending in ${lastFour}`;
}

function endOfMonth(year: unknown, month: unknown): string | null {
  const isYear = typeof year === 'number' && Number.isInteger(year) && year >= 2000 && year <= 2999;
  const isMonth = typeof month === 'number' && Number.isInteger(month) && month >= 1 && month <= 12;
  return isYear && isMonth ? new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10) : null;
}

/** What a page is asked for with: a Checkout Session in mode `setup`. */
export function methodPageParams(
  page: Parameters<PaymentProvider['createMethodPage']>[0],
): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'setup',
    currency: 'gbp',
    // Versions of the provider's API since 2026-09-30 refuse `payment_method_types`; this took its place.
    allowed_payment_method_types: [TYPE_OF[page.method]],
    // A method without an owner could be charged once only.
    ...(page.customer === '' ? { customer_creation: 'always' } : { customer: page.customer }),
    client_reference_id: page.key,
    setup_intent_data: { metadata: { platen_saving: page.key } },
    success_url: page.savedUrl,
    cancel_url: page.leftUrl,
    expires_at: Math.floor(page.endsAt.getTime() / 1_000),
  };
}

/** Parses a Checkout Session in mode `setup` as it came over the wire; throws for anything else. */
export function parseMethodPage(value: unknown): MethodPage {
  const { id, status, url, setup_intent: intent } = value as Partial<Stripe.Checkout.Session>;
  if (typeof id !== 'string' || typeof status !== 'string') throw new Error('the provider answered with no page');
  if (status === 'open') return { id, state: 'open', url: typeof url === 'string' ? url : null };
  if (status !== 'complete') return { id, state: 'ended', url: null };
  // The intent is expanded where a page is read; its method is then a whole one.
  if (typeof intent !== 'object' || intent === null) return { id, state: 'saving', url: null };
  if (intent.status === 'succeeded' && typeof intent.payment_method === 'object' && intent.payment_method !== null) {
    return { id, state: 'saved', url: null, method: parseMethod(intent.payment_method) };
  }
  const isOver = intent.status === 'canceled' || intent.status === 'requires_payment_method';
  return { id, state: isOver ? 'ended' : 'saving', url: null };
}
