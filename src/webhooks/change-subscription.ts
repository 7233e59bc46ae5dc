import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import type { UnknownField } from '../lib/validation/validate.ts';
import { checkSubscription } from './check-subscription.ts';
import type { ChangedSubscription, ChangeSubscriptionBody } from './schema.ts';
import { findSubscription, updateSubscription } from './subscription-sql.ts';
import { subscriptionView } from './view.ts';

/**
 * Changes the members of a subscription that were sent (spec 4.5).
 * `active: false` pauses it and ends its open deliveries; it never gets the events that happen until it is resumed.
 * `active: true` resumes it and resets its failure count (spec 3.5). Throws 404 when it is not the account's, 422 for a
 * bad URL or an unknown event.
 */
export async function changeSubscription(
  ctx: Pick<Context, 'asker' | 'database' | 'clock' | 'outbound'>,
  caller: Caller,
  publicId: string,
  request: { readonly body: ChangeSubscriptionBody; readonly unknownFields: readonly UnknownField[] },
): Promise<ChangedSubscription> {
  const { body, unknownFields } = request;
  const id = parseId('whk', publicId);
  if (id === undefined || (await findSubscription(ctx.database, caller.accountId, id)) === undefined) throw notFound();
  const events = await checkSubscription(ctx, body);
  const row = await updateSubscription(ctx.database, caller.accountId, id, {
    url: body.url,
    events,
    description: body.description,
    active: body.active,
    now: ctx.clock.now(),
  });
  // It may have been removed while its new host was looked up.
  if (row === undefined) throw notFound();
  return { ...subscriptionView(row), warnings: unknownFieldWarnings(unknownFields) };
}
