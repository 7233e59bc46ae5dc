import type Stripe from 'stripe';
import type { StripeSettings } from '../../lib/config.ts';
import type { Log } from '../../lib/log.ts';
import type { Intent, IntentState, PageState, PaymentPage, PaymentProvider, ProviderResult } from '../provider.ts';
import { pageKeyOf, parseCallback, safeIntegerOf } from './stripe-callback.ts';
import { methodPageParams, parseMethod, parseMethodPage, TYPE_OF } from './stripe-methods.ts';

/** A callback that was signed longer ago is rejected: it may be a replay. */
const CALLBACK_AGE_SECONDS_MAX = 300;

/**
 * Charges cards and direct debits (Bacs) through Stripe's own library.
 * It is the one outbound path beside `lib/outbound`: it calls only the host of the settings, follows no redirect, and
 * retries nothing by itself. The library is loaded with the first call, so a service that charges no card does not
 * hold it in memory.
 */
export function openStripe(settings: StripeSettings, log: Log): PaymentProvider {
  let loaded: Promise<Stripe> | undefined;
  const client = (): Promise<Stripe> => {
    loaded ??= loadClient(settings).catch((error: unknown) => {
      loaded = undefined;
      throw error;
    });
    return loaded;
  };
  const request = <T>(
    timeoutMs: number,
    call: (stripe: Stripe, options: Options) => Promise<T>,
  ): Promise<ProviderResult<T>> =>
    withTimeout(timeoutMs, async () => {
      try {
        return { kind: 'ok', value: await call(await client(), { timeout: timeoutMs, maxNetworkRetries: 0 }) };
      } catch (error) {
        return failureOf(error, log);
      }
    });
  const requestIntent = (timeoutMs: number, call: (stripe: Stripe, options: Options) => Promise<unknown>) =>
    request(timeoutMs, async (stripe, options) => {
      try {
        return parseIntent(await call(stripe, options));
      } catch (error) {
        // Stripe reports a decline as an error that carries the intent.
        const declined = declinedIntent(error);
        if (declined === undefined) throw error;
        return declined;
      }
    });

  return {
    findMethod: (reference, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parseMethod(await stripe.paymentMethods.retrieve(reference, {}, options)),
      ),
    forgetMethod: (reference, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parseMethod(await stripe.paymentMethods.detach(reference, {}, options)),
      ),
    createIntent: (intent, timeoutMs) =>
      requestIntent(timeoutMs, (stripe, options) =>
        stripe.paymentIntents.create(
          {
            amount: intent.amountPence,
            currency: 'gbp',
            payment_method: intent.reference,
            // Versions of the provider's API since 2026-09-30 refuse `payment_method_types`; this took its place.
            allowed_payment_method_types: [TYPE_OF[intent.method]],
            ...(intent.customer === '' ? {} : { customer: intent.customer }),
            confirm: false,
            description: intent.description,
            metadata: { platen_attempt: intent.key },
          },
          { ...options, idempotencyKey: intent.key },
        ),
      ),
    confirmIntent: (id, timeoutMs) =>
      requestIntent(timeoutMs, (stripe, options) =>
        stripe.paymentIntents.confirm(id, { off_session: true, error_on_requires_action: true }, options),
      ),
    readIntent: (id, timeoutMs) =>
      requestIntent(timeoutMs, (stripe, options) => stripe.paymentIntents.retrieve(id, {}, options)),
    cancelIntent: (id, timeoutMs) =>
      requestIntent(timeoutMs, (stripe, options) => stripe.paymentIntents.cancel(id, {}, options)),
    createPage: (page, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parsePage(await stripe.checkout.sessions.create(pageParams(page), { ...options, idempotencyKey: page.key })),
      ),
    readPage: (id, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parsePage(await stripe.checkout.sessions.retrieve(id, {}, options)),
      ),
    endPage: (id, timeoutMs) =>
      request(timeoutMs, async (stripe, options) => parsePage(await stripe.checkout.sessions.expire(id, {}, options))),
    createMethodPage: (page, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parseMethodPage(
          await stripe.checkout.sessions.create(methodPageParams(page), { ...options, idempotencyKey: page.key }),
        ),
      ),
    readMethodPage: (id, timeoutMs) =>
      request(timeoutMs, async (stripe, options) =>
        parseMethodPage(
          await stripe.checkout.sessions.retrieve(id, { expand: ['setup_intent.payment_method'] }, options),
        ),
      ),
    readCallback: async (body, signature, now) => {
      const { webhooks } = await client();
      try {
        const { webhookSecret } = settings;
        const age = CALLBACK_AGE_SECONDS_MAX;
        const event = webhooks.constructEvent(body, signature, webhookSecret, age, undefined, now.getTime());
        return parseCallback(event, log);
      } catch {
        return undefined;
      }
    },
  };
}

type Options = { readonly timeout: number; readonly maxNetworkRetries: 0; readonly idempotencyKey?: string };

async function loadClient(settings: StripeSettings): Promise<Stripe> {
  const { default: Library } = await import('stripe');
  const { secretKey, host, port, protocol } = settings;
  return new Library(secretKey, { host, port, protocol, maxNetworkRetries: 0, telemetry: false });
}

/** The library's own time-out starts again with each byte; this one does not. */
async function withTimeout<T>(timeoutMs: number, work: () => Promise<ProviderResult<T>>): Promise<ProviderResult<T>> {
  if (timeoutMs <= 0) return { kind: 'no_answer' };
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<ProviderResult<T>>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'no_answer' }), timeoutMs);
  });
  try {
    return await Promise.race([work(), tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

const STATE_OF: ReadonlyMap<string, IntentState> = new Map([
  ['requires_confirmation', 'unconfirmed'],
  ['succeeded', 'accepted'],
  ['processing', 'accepted'],
  ['requires_payment_method', 'declined'],
  ['canceled', 'cancelled'],
]);

/** Parses an intent as it came over the wire; throws for anything else. */
function parseIntent(value: unknown): Intent {
  const given = value as Partial<Stripe.PaymentIntent>;
  const { id, status, currency, last_payment_error: failure } = given;
  if (typeof id !== 'string' || typeof status !== 'string') throw new Error('the provider answered with no intent');
  const state = STATE_OF.get(status) ?? 'unfinished';
  const reason = state === 'declined' ? reasonOf(failure?.message) : '';
  const amount = status === 'succeeded' ? (given.amount_received ?? given.amount) : given.amount;
  return {
    id,
    state,
    reason,
    amount: safeIntegerOf(amount) ?? null,
    currency: CURRENCY.test(currency ?? '') ? (currency ?? '') : '',
    pageKey: pageKeyOf(given),
  };
}

const CURRENCY = /^[a-z]{3}$/;

/** What a page of Stripe's is asked for with: a Checkout Session in mode `payment`. */
function pageParams(page: Parameters<PaymentProvider['createPage']>[0]): Stripe.Checkout.SessionCreateParams {
  return {
    mode: 'payment',
    // Versions of the provider's API since 2026-09-30 refuse `payment_method_types`; this took its place.
    allowed_payment_method_types: ['card'],
    // The currency of the account, whatever that of the card: any other amount would not be booked.
    adaptive_pricing: { enabled: false },
    line_items: [
      {
        quantity: 1,
        price_data: {
          currency: 'gbp',
          unit_amount: page.amountPence,
          product_data: { name: page.description },
        },
      },
    ],
    client_reference_id: page.key,
    payment_intent_data: { description: page.description, metadata: { platen_top_up: page.key } },
    success_url: page.paidUrl,
    cancel_url: page.leftUrl,
    expires_at: Math.floor(page.endsAt.getTime() / 1_000),
  };
}

/** Parses a Checkout Session as it came over the wire; throws for anything else. */
function parsePage(value: unknown): PaymentPage {
  const given = value as Partial<Stripe.Checkout.Session>;
  const { id, status, url, currency, payment_intent: intent } = given;
  if (typeof id !== 'string' || typeof status !== 'string') throw new Error('the provider answered with no page');
  const state = stateOf(status, given.payment_status);
  return {
    id,
    state,
    url: state === 'open' && typeof url === 'string' ? url : null,
    intentId: typeof intent === 'string' ? intent : (intent?.id ?? null),
    amount: safeIntegerOf(given.amount_total) ?? null,
    currency: typeof currency === 'string' ? currency : '',
  };
}

/** A session that is complete without being paid waits for a payment that takes its time. */
function stateOf(status: string, paymentStatus: unknown): PageState {
  if (paymentStatus === 'paid') return 'paid';
  if (status === 'complete') return 'paying';
  return status === 'expired' ? 'ended' : 'open';
}

function declinedIntent(error: unknown): Intent | undefined {
  if (!isStripeError(error) || error.type !== 'StripeCardError' || error.payment_intent === undefined) return undefined;
  const intent = parseIntent(error.payment_intent);
  return { ...intent, reason: reasonOf(error.message) };
}

const REASON_CHARACTERS_MAX = 200;

function reasonOf(message: string | undefined): string {
  // PostgreSQL stores no NUL, and half of a surrogate pair is not valid text.
  const text = message?.replaceAll('\0', ' ').trim() ?? '';
  return text === '' ? 'The payment was declined.' : text.slice(0, REASON_CHARACTERS_MAX).toWellFormed();
}

type StripeFailure = Pick<Stripe.errors.StripeError, 'type' | 'code' | 'statusCode' | 'message' | 'payment_intent'>;

function isStripeError(error: unknown): error is StripeFailure {
  return error instanceof Error && 'type' in error && typeof error.type === 'string' && error.type.startsWith('Stripe');
}

/** Maps an error. A refused request did nothing; after any other error the outcome is unknown. */
function failureOf(error: unknown, log: Log): { kind: 'rejected'; reason: string } | { kind: 'no_answer' } {
  const failure = isStripeError(error) ? error : undefined;
  // The message of a failed authentication is never logged: it repeats a part of the key.
  const isRefusal =
    failure !== undefined && REFUSALS.has(failure.type) && [400, 402, 404].includes(failure.statusCode ?? 0);
  log.warn(
    {
      type: failure?.type ?? 'unknown',
      code: failure?.code,
      status: failure?.statusCode,
      ...(isRefusal ? { detail: failure.message } : {}),
    },
    'the payment provider did not do what was asked',
  );
  if (!isRefusal) return { kind: 'no_answer' };
  const isDecline = failure.type === 'StripeCardError';
  return { kind: 'rejected', reason: isDecline ? reasonOf(failure.message) : 'The payment method cannot be charged.' };
}

const REFUSALS: ReadonlySet<string> = new Set([
  'StripeInvalidRequestError',
  'StripeCardError',
  'StripeIdempotencyError',
]);
