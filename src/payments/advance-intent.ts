import type { PaymentMethodKind } from '../billing/postings.ts';
import type { Context } from '../lib/context.ts';
import type { Uuid } from '../lib/ids.ts';
import { ownerOfMethod } from './method.ts';
import { type Intent, type PaymentProvider, type ProviderResult, takesPence } from './provider.ts';

/** `charge` takes the money, `read` only finds out how it ended, `stop` ends it without a charge. */
export type Goal = 'charge' | 'read' | 'stop';

/** One charge of a saved method, whatever it is for. */
export type Charge = {
  /** The row's id, which is the provider's idempotency key. */
  readonly key: Uuid;
  readonly accountId: Uuid;
  readonly method: PaymentMethodKind;
  /** The provider's id of the method. */
  readonly reference: string;
  readonly amountPence: number;
  readonly description: string;
  /** Null until an intent was made and its id stored. */
  readonly intentId: string | null;
  /** Whether it is too old to be advanced: the provider forgets keys after a day. */
  readonly isOld: boolean;
  /** Stores the id of its intent; false if it has ended or has another. */
  readonly storeIntentId: (intentId: string) => Promise<boolean>;
};

/** How a charge ended. `mismatch`: it took another amount or currency, and none of it may be booked. */
export type ChargeEnd =
  | { readonly kind: 'paid'; readonly intentId: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'mismatch'; readonly intent: Intent };

/**
 * Advances a charge in three steps: make an intent, store its id, confirm it by that id.
 * The intent takes no money until it is confirmed. Each step starts once the one before is known, so the next call
 * carries on after a crash between any two. Returns how it ended; undefined if that is not known yet.
 */
export async function advanceIntent(
  ctx: Pick<Context, 'database'>,
  payments: PaymentProvider,
  charge: Charge,
  goal: Goal,
  leftMs: () => number,
): Promise<ChargeEnd | undefined> {
  // Without a stored id nothing was ever confirmed, and at this age nothing will be.
  if (charge.intentId === null && charge.isOld) return NEVER_CONFIRMED;
  if (charge.intentId === null && goal === 'read') return undefined;
  const result =
    charge.intentId === null
      ? await createIntent(ctx, payments, charge, leftMs)
      : await payments.readIntent(charge.intentId, leftMs());
  if (result.kind === 'no_answer') return undefined;
  // An intent whose id is stored exists, so a refusal to read it is temporary. After a refusal to make one there is
  // none.
  if (result.kind === 'rejected') return charge.intentId === null ? failed(result.reason) : undefined;
  const intent = result.value;
  if (intent.state !== 'unconfirmed' && intent.state !== 'unfinished') return endOf(charge, intent);
  if (goal === 'read') return undefined;
  if (charge.isOld && intent.state === 'unconfirmed') return NEVER_CONFIRMED;
  const mayBeCharged = goal === 'charge' && intent.state === 'unconfirmed' && takesPence(intent, charge.amountPence);
  const stopping = { payments, charge, intentId: intent.id, leftMs };
  if (!mayBeCharged) return stop(stopping);
  const confirmed = await payments.confirmIntent(intent.id, leftMs());
  if (confirmed.kind === 'no_answer') return undefined;
  if (confirmed.kind === 'ok' && confirmed.value.state !== 'unfinished') return endOf(charge, confirmed.value);
  const reason = confirmed.kind === 'rejected' ? confirmed.reason : 'The payment needs the customer to confirm it.';
  return stop(stopping, reason);
}

/**
 * Makes the intent of a charge and stores its id, before it can take anything.
 * Idempotent: the row's id is the provider's idempotency key.
 */
async function createIntent(
  ctx: Pick<Context, 'database'>,
  payments: PaymentProvider,
  charge: Charge,
  leftMs: () => number,
): Promise<ProviderResult<Intent>> {
  const { key, accountId, method, reference, amountPence, description } = charge;
  const customer = await ownerOfMethod(ctx, payments, { accountId, reference }, leftMs());
  if (customer === undefined) return { kind: 'no_answer' };
  const asked = { key, method, reference, customer, amountPence, description };
  const result = await payments.createIntent(asked, leftMs());
  if (result.kind !== 'ok') return result;
  // If another call has ended the charge meanwhile, its intent must not be confirmed.
  return (await charge.storeIntentId(result.value.id)) ? result : { kind: 'no_answer' };
}

type Stopping = {
  readonly payments: PaymentProvider;
  readonly charge: Charge;
  readonly intentId: string;
  readonly leftMs: () => number;
};

/** Cancels an intent. It may be paid at the same moment: its state after the call counts. */
async function stop(
  { payments, charge, intentId, leftMs }: Stopping,
  reason = 'The payment was stopped before it took place.',
): Promise<ChargeEnd | undefined> {
  const cancelled = await payments.cancelIntent(intentId, leftMs());
  const result = cancelled.kind === 'ok' ? cancelled : await payments.readIntent(intentId, leftMs());
  if (result.kind !== 'ok') return undefined;
  return result.value.state === 'cancelled' ? failed(reason) : endOf(charge, result.value);
}

/** Maps an intent's state to the end of its charge; undefined while it can still end either way. */
function endOf({ amountPence }: Charge, intent: Intent): ChargeEnd | undefined {
  if (intent.state === 'accepted') {
    return takesPence(intent, amountPence) ? { kind: 'paid', intentId: intent.id } : { kind: 'mismatch', intent };
  }
  if (intent.state === 'declined') return failed(intent.reason);
  return intent.state === 'cancelled' ? failed('The payment was cancelled.') : undefined;
}

function failed(reason: string): ChargeEnd {
  return { kind: 'failed', reason };
}

const NEVER_CONFIRMED = failed('The payment was never made.');
