import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { SubscriptionDetail } from './schema.ts';
import { findSubscriptionDetail } from './subscription-sql.ts';
import { subscriptionDetailView } from './view.ts';

/** Decisions, "Webhook reads". */
const RECENT_DELIVERIES_MAX = 20;

/**
 * One subscription with its failure count and latest deliveries (spec 4.5).
 * Throws 404 when it is not the account's.
 */
export async function getSubscription(
  ctx: Pick<Context, 'database' | 'clock'>,
  caller: Caller,
  publicId: string,
): Promise<SubscriptionDetail> {
  const id = parseId('whk', publicId);
  const found =
    id === undefined
      ? undefined
      : await findSubscriptionDetail(ctx.database, caller.accountId, id, RECENT_DELIVERIES_MAX);
  if (found === undefined) throw notFound();
  return subscriptionDetailView(found, ctx.clock.now());
}
