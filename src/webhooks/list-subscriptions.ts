import type { Caller } from '../lib/caller.ts';
import type { Context } from '../lib/context.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import type { Subscription } from './schema.ts';
import { listSubscriptionRows } from './subscription-sql.ts';
import { subscriptionView } from './view.ts';

/** A page of the account's subscriptions, newest first (decisions, "Webhook reads"). */
export async function listSubscriptions(
  ctx: Pick<Context, 'database'>,
  caller: Caller,
  query: { readonly limit?: string | undefined; readonly cursor?: string | undefined },
): Promise<Page<Subscription>> {
  const { limit, after } = readPage('whk', query);
  const rows = await listSubscriptionRows(ctx.database, caller.accountId, after, limit + 1);
  return toPage(rows, limit, subscriptionView, (view) => view.id);
}
