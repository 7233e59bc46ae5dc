import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { countUnderWay } from '../../orders/search/count-orders.ts';
import { readMoneyTrouble } from '../../payments/money/money-trouble.ts';
import { findTroubledSubscriptions } from '../../webhooks/recovery/find-troubled.ts';
import { SEEING_WEBHOOKS } from '../../webhooks/schema.ts';
import { listAnsweredProblems } from '../sql.ts';
import { problemView } from '../view.ts';
import type { Home } from './home-schema.ts';

/** For so long an answer is shown to the customer who has not asked for it. */
const ANSWERED_MS = 7 * 86_400_000;
const ANSWERED_MAX = 8;

/** What is under way of an account, what the shop has answered, and what needs a person. */
export async function getHome(
  ctx: Pick<Context, 'database' | 'clock' | 'config' | 'secrets'>,
  caller: SignedIn,
): Promise<Home> {
  const { accountId } = caller;
  const since = new Date(ctx.clock.now().getTime() - ANSWERED_MS);
  const answered = await listAnsweredProblems(ctx.database, accountId, { since, limit: ANSWERED_MAX + 1 });
  return {
    orders: await countUnderWay(ctx.database, accountId),
    answered_problems: answered.slice(0, ANSWERED_MAX).map((row) => problemView(ctx, row)),
    has_more_answered: answered.length > ANSWERED_MAX,
    troubled_webhooks: seesWebhooks(caller) ? await findTroubledSubscriptions(ctx.database, accountId) : [],
    money: await readMoneyTrouble(ctx, caller),
  };
}

function seesWebhooks({ person }: SignedIn): boolean {
  return SEEING_WEBHOOKS.rolesOfPeople.some((role) => role === person.role);
}
