import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { notFound } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { SubscriptionDetail } from './schema.ts';
import { findSubscription, listRecentDeliveries } from './sql.ts';
import { subscriptionDetailView } from './view.ts';

/** Decisions, "Webhook reads". */
const RECENT_DELIVERIES_MAX = 20;

/** One subscription with its failure count and what was attempted last (spec 4.5). 404 when it is not the account's. */
export async function getSubscription(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  publicId: string,
): Promise<SubscriptionDetail> {
  const id = parseId('whk', publicId);
  const row = id === undefined ? undefined : await findSubscription(ctx.database, caller.accountId, id);
  if (row === undefined) throw notFound();
  const deliveries = await listRecentDeliveries(ctx.database, caller.accountId, row.id, RECENT_DELIVERIES_MAX);
  return subscriptionDetailView(row, deliveries);
}
