import type { PaymentMethodKind } from '../billing/postings.ts';
import type { Context } from '../lib/context.ts';
import { ApiError, noSuch, validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { keepProviderCustomer, readProviderCustomer, upsertPaymentMethod } from './method-sql.ts';
import type { PaymentProvider, ProviderResult } from './provider.ts';

const ASK_TIMEOUT_MS = 8_000;
const REFERENCE_CHARACTERS_MAX = 255;

/** Whether the provider confirmed the method; `unchecked` while there is none, or when it gave no answer. */
export type MethodCheck = 'checked' | 'unchecked';

/**
 * Sets what an account is charged by once its balance is used up. The provider is asked whose the method is; one that it does not
 * know, or knows as another kind, is 409, a malformed reference 422, an unknown account 404. When the provider cannot be asked the
 * method is stored all the same, and looked up when it is first charged.
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
  const found: ProviderResult<{ kind: PaymentMethodKind | undefined; customer: string }> =
    ctx.payments === undefined ? { kind: 'no_answer' } : await ctx.payments.findMethod(reference, ASK_TIMEOUT_MS);
  if (found.kind === 'rejected') {
    throw new ApiError('conflict', 'The payment provider knows no such method.');
  }
  if (found.kind === 'ok' && found.value.kind !== kind) {
    throw new ApiError('conflict', `The payment provider knows this method, and it is no ${kind}.`);
  }
  const customer = found.kind === 'ok' ? found.value.customer : '';
  const isKnown = await upsertPaymentMethod(ctx.database, { ...input, customer, now: ctx.clock.now() });
  if (!isKnown) throw noSuch('account');
  return found.kind === 'ok' ? 'checked' : 'unchecked';
}

/**
 * Whom the provider knows as the owner of a method, asked once and remembered; `""` for one without an owner. Undefined when the
 * provider gave no answer.
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
  if (customer !== '') await keepProviderCustomer(ctx.database, accountId, reference, customer);
  return customer;
}
