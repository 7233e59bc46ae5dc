import type { Db } from '../../lib/db.ts';
import type { Uuid } from '../../lib/ids.ts';
import { SUBSCRIPTIONS_MAX } from '../create-subscription.ts';
import { PACED_FROM } from '../record.ts';
import type { Subscription } from '../schema.ts';
import { listSubscriptionRows } from '../subscription-sql.ts';
import { subscriptionView } from '../view.ts';

/**
 * Subscriptions of an account that need a person.
 * Those that the service has disabled, and those that have failed so often that they are slowed. One that was paused
 * on purpose is none of them. An account has so few that all are read.
 */
export async function findTroubledSubscriptions(db: Db, accountId: Uuid): Promise<Subscription[]> {
  const all = await listSubscriptionRows(db, accountId, undefined, SUBSCRIPTIONS_MAX);
  return all
    .filter(
      ({ active, disabled_reason: reason, failure_count: failures }) =>
        reason !== null || (active && failures >= PACED_FROM),
    )
    .map(subscriptionView);
}
