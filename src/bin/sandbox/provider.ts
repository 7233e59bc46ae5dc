import type { PaymentMethodKind } from '../../billing/postings.ts';
import type {
  Intent,
  IntentState,
  PaymentPage,
  PaymentProvider,
  ProviderResult,
  SavedMethod,
} from '../../payments/provider.ts';

/** What becomes of a charge of a method, by its reference (docs/rehearse.md). */
const METHODS = {
  pm_card_ok: 'accepted',
  pm_card_declined: 'declined',
  /** No answer at first, so that the order waits; declined when it is asked for again. */
  pm_card_processing: 'processing',
} as const;
export type MagicMethod = keyof typeof METHODS;

const KIND: PaymentMethodKind = 'card';

/**
 * Opens the payment provider of a sandbox: no money moves, and the reference of the method decides.
 * An intent's id holds its method and amount, so a restarted sandbox knows the intents of the one before.
 */
export function openSandboxProvider(): PaymentProvider {
  /** Charges that were given no answer yet. Each leaves with its second request. */
  const processing = new Set<string>();

  function confirm(id: string): ProviderResult<Intent> {
    const found = readId(id);
    if (found === undefined) return UNKNOWN;
    const outcome = METHODS[found.method];
    if (outcome === 'accepted') return intentOf(id, 'accepted');
    if (outcome === 'processing' && !processing.delete(id)) {
      processing.add(id);
      return { kind: 'no_answer' };
    }
    return intentOf(id, 'declined');
  }

  return {
    findMethod: async (reference) => (isMagic(reference) ? { kind: 'ok', value: methodOf(reference) } : UNKNOWN),
    forgetMethod: async (reference) => (isMagic(reference) ? { kind: 'ok', value: methodOf(reference) } : UNKNOWN),
    createIntent: async ({ key, reference, amountPence }) =>
      isMagic(reference) ? intentOf(`pi_sandbox:${reference}:${amountPence}:${key}`, 'unconfirmed') : UNKNOWN,
    confirmIntent: async (id) => confirm(id),
    // An attempt that is still read has no known end, and confirming it again is harmless.
    readIntent: async (id) => intentOf(id, 'unconfirmed'),
    cancelIntent: async (id) => {
      processing.delete(id);
      return intentOf(id, 'cancelled');
    },
    // The page is paid as soon as it is made, and leads back at once.
    createPage: async ({ key, amountPence, paidUrl }) => ({
      kind: 'ok',
      value: { ...paidPage(`page_sandbox:${amountPence}:${key}`), state: 'open', url: paidUrl },
    }),
    readPage: async (id) => ({ kind: 'ok', value: paidPage(id) }),
    endPage: async (id) => ({ kind: 'ok', value: paidPage(id) }),
    // A method is saved as soon as its page is made, a card that is never declined.
    createMethodPage: async ({ key, method, savedUrl }) =>
      method === KIND ? { kind: 'ok', value: { id: `saving_sandbox:${key}`, state: 'open', url: savedUrl } } : UNKNOWN,
    readMethodPage: async (id) => ({
      kind: 'ok',
      value: { id, state: 'saved', url: null, method: methodOf('pm_card_ok') },
    }),
    readCallback: async () => undefined,
  };
}

const UNKNOWN = { kind: 'rejected', reason: 'The sandbox knows no such payment method.' } as const;

function methodOf(reference: MagicMethod): SavedMethod {
  return { reference, kind: KIND, customer: `cus_${reference}`, label: 'Sandbox ending in 4242', expiresOn: null };
}

function isMagic(reference: string): reference is MagicMethod {
  return Object.hasOwn(METHODS, reference);
}

function readId(id: string): { readonly method: MagicMethod; readonly amount: number } | undefined {
  const [prefix, method = '', amount] = id.split(':');
  return prefix === 'pi_sandbox' && isMagic(method) ? { method, amount: Number(amount) } : undefined;
}

function paidPage(id: string): PaymentPage {
  const [, amount, key] = id.split(':');
  return { id, state: 'paid', url: null, intentId: `pi_${key}`, amount: Number(amount), currency: 'gbp' };
}

function intentOf(id: string, state: IntentState): ProviderResult<Intent> {
  const found = readId(id);
  if (found === undefined) return UNKNOWN;
  const reason = state === 'declined' ? 'The card was declined (sandbox).' : '';
  return { kind: 'ok', value: { id, state, reason, amount: found.amount, currency: 'gbp', pageKey: null } };
}
