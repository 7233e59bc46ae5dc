import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import type { UnknownField } from '../lib/validation/validate.ts';
import { checkSubscription } from './check-subscription.ts';
import type { CreatedSubscription, CreateSubscriptionBody } from './schema.ts';
import { newSigningSecret } from './sign.ts';
import { insertSubscription, lockAndCountSubscriptions } from './subscription-sql.ts';
import { subscriptionView } from './view.ts';

/** Decisions, "Webhook target". */
export const SUBSCRIPTIONS_MAX = 20;

/**
 * Subscribes a URL to events of the account, from now on (spec 4.5).
 * The secret is returned this once and stored sealed. Throws 422 for a bad URL, an unknown event, or one subscription
 * too many, which is counted under the account's lock.
 */
export async function createSubscription(
  ctx: Pick<Context, 'asker' | 'database' | 'clock' | 'outbound' | 'secrets'>,
  caller: Caller,
  request: { readonly body: CreateSubscriptionBody; readonly unknownFields: readonly UnknownField[] },
): Promise<CreatedSubscription> {
  const { body, unknownFields } = request;
  const events = (await checkSubscription(ctx, body)) ?? [];
  const secret = newSigningSecret();
  const now = ctx.clock.now();
  const subscription = {
    id: newId(now.getTime()),
    accountId: caller.accountId,
    url: body.url,
    events,
    description: body.description ?? '',
    secretSealed: ctx.secrets.seal(secret),
    now,
  };
  const row = await ctx.database.transaction(async (tx) => {
    if ((await lockAndCountSubscriptions(tx, caller.accountId)) >= SUBSCRIPTIONS_MAX) throw tooMany();
    return insertSubscription(tx, subscription);
  });
  return { ...subscriptionView(row), secret, warnings: unknownFieldWarnings(unknownFields) };
}

function tooMany(): Error {
  const message = `An account can have at most ${SUBSCRIPTIONS_MAX} webhook subscriptions. Delete one first.`;
  return validationFailed([{ path: '', code: 'too_many', message }]);
}
