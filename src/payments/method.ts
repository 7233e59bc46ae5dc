import type { PaymentMethodKind } from '../billing/postings.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, noSuch, validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { readProviderCustomer, storeProviderCustomer, upsertPaymentMethod } from './method-sql.ts';
import type { PaymentProvider, ProviderResult, SavedMethod } from './provider.ts';

const PROVIDER_TIMEOUT_MS = 8_000;
const REFERENCE_CHARACTERS_MAX = 255;

/** What is known of a method that the provider was not asked about. */
const UNKNOWN = { customer: '', label: '', expiresOn: null };

/** Whether the provider confirmed the method. `unchecked`: there is none, or it gave no answer. */
export type MethodCheck = 'checked' | 'unchecked';

/**
 * Sets the card or direct debit that pays what an account's balance does not.
 * The provider is asked for the method's owner. If it cannot be asked, the method is stored all the same, and looked
 * up when it is first charged. Throws 409 for a method that the provider does not know, or knows as another kind, 422
 * for a malformed reference, 404 for an unknown account.
 */
export async function setPaymentMethod(
  ctx: Pick<Context, 'database' | 'clock'> & { readonly payments: PaymentProvider | undefined },
  input: { accountId: Uuid; kind: PaymentMethodKind; reference: string },
): Promise<MethodCheck> {
  const { reference, kind } = input;
  if (!/^[\x21-\x7e]+$/.test(reference) || reference.length > REFERENCE_CHARACTERS_MAX) {
    throw validationFailed([
      { path: 'reference', code: 'pattern', message: "must be the provider's id of the method." },
    ]);
  }
  const found: ProviderResult<SavedMethod> =
    ctx.payments === undefined ? { kind: 'no_answer' } : await ctx.payments.findMethod(reference, PROVIDER_TIMEOUT_MS);
  if (found.kind === 'rejected') {
    throw new ApiError('conflict', 'The payment provider does not know this method.');
  }
  if (found.kind === 'ok' && found.value.kind !== kind) {
    throw new ApiError('conflict', `The payment provider lists this method as another kind, not ${kind}.`);
  }
  const { customer, label, expiresOn } = found.kind === 'ok' ? found.value : UNKNOWN;
  const method = { ...input, customer, label, expiresOn, now: ctx.clock.now() };
  const isKnown = await upsertPaymentMethod(ctx.database, method);
  if (!isKnown) throw noSuch('account');
  return found.kind === 'ok' ? 'checked' : 'unchecked';
}

/**
 * The provider's customer id of a method's owner, asked for once and then stored.
 * `""` for a method without an owner. Undefined if the provider gave no answer.
 */
export async function ownerOfMethod(
  ctx: Pick<Context, 'database'>,
  payments: PaymentProvider,
  method: { accountId: Uuid; reference: string },
  timeoutMs: number,
): Promise<string | undefined> {
  const { accountId, reference } = method;
  const known = await readProviderCustomer(ctx.database, accountId, reference);
  if (known !== '') return known;
  const found = await payments.findMethod(reference, timeoutMs);
  if (found.kind === 'no_answer') return undefined;
  const customer = found.kind === 'ok' ? found.value.customer : '';
  if (customer !== '') await storeProviderCustomer(ctx.database, accountId, reference, customer);
  return customer;
}
