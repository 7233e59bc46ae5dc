import type { Actor } from '../../accounts/access/act-on-access.ts';
import { openTask } from '../../accounts/open-task.ts';
import { BUYER_REQUEST_JOB, type BuyerRequest } from '../../channels/linked/take-privacy-request.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { Job } from '../../lib/queue/job.ts';
import type { JobHandler } from '../../lib/queue.ts';
import type { PrivacyContext } from '../context.ts';
import { requestErasure } from '../erase/request-erasure.ts';
import { forgetUnplaced } from '../erase/shop-orders-sql.ts';
import { listOrdersOfBuyer, type OrderOfBuyer } from './sql.ts';

const CONCURRENCY = 1;
const LEASE_SECONDS = 300;
const ATTEMPTS_MAX = 8;
/** The law gives a month. */
const DISCLOSE_WITHIN_MS = 25 * 86_400_000;
const NAMED_MAX = 100;

/** The job that does what a platform asks on behalf of a buyer of a connected shop. */
export function buyerRequestJobs(ctx: PrivacyContext): JobHandler[] {
  return [
    {
      kind: BUYER_REQUEST_JOB,
      concurrency: CONCURRENCY,
      leaseSeconds: LEASE_SECONDS,
      attemptsMax: ATTEMPTS_MAX,
      run: (job) => answerFor(ctx, job),
      giveUp: (job, reason) => leaveToPeople(ctx, job, reason),
    },
  ];
}

async function answerFor(ctx: PrivacyContext, job: Job): Promise<void> {
  const { channelId, topic, shopOrderIds } = job.payload as BuyerRequest;
  const of = { accountId: job.account_id, channelId };
  const orders = await listOrdersOfBuyer(ctx.database, of, shopOrderIds);
  if (orders.length === 0) return;
  if (topic === 'erase') await eraseAll(ctx, of, orders);
  else await askToDisclose(ctx, of, orders);
}

/** Erases what is placed as an operator would, under the ledger of erasures, and empties what is not. */
async function eraseAll(
  ctx: PrivacyContext,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  orders: readonly OrderOfBuyer[],
): Promise<void> {
  const ids = orders.map(({ id }) => id);
  await forgetUnplaced(ctx.database, accountId, ids, ctx.clock.now());
  const actor: Actor = { kind: 'platform', name: 'shopify' };
  const reason = `Shopify asks for it on behalf of a buyer of ${publicId('chan', channelId)}.`;
  for (const orderId of new Set(orders.flatMap(({ order_id: id }) => id ?? []))) {
    try {
      await requestErasure(ctx, actor, { subject: { scope: 'order', accountId, orderId }, reason, waitMs: 0 });
    } catch (error) {
      // The order has ended by its time, or the account was erased.
      if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    }
  }
}

/** What is held goes to the shop's people, who know the buyer; a person looks at it first. */
async function askToDisclose(
  ctx: PrivacyContext,
  { accountId, channelId }: { readonly accountId: Uuid; readonly channelId: Uuid },
  orders: readonly OrderOfBuyer[],
): Promise<void> {
  const now = ctx.clock.now();
  const placed = [...new Set(orders.flatMap(({ reference }) => reference ?? []))];
  const unplaced = orders.filter(({ order_id: id }) => id === null).map(({ id }) => publicId('sho', id));
  const held = [...placed.map((reference) => `order ${reference}`), ...unplaced.map((id) => `${id}, not placed`)];
  const named = held.slice(0, NAMED_MAX).join(', ');
  const note = `A buyer of the connected shop ${publicId('chan', channelId)} asks through Shopify what is held of them: ${named}. Disclose each order to the shop's people with ops POST /accounts/${publicId('acct', accountId)}/export-person '{"order":"…"}'.`;
  const dueAt = new Date(now.getTime() + DISCLOSE_WITHIN_MS);
  await ctx.database.transaction(async (tx) => {
    await openTask(tx, { accountId, orderId: null, kind: 'buyer_asks', note, dueAt }, now);
  });
}

async function leaveToPeople(ctx: PrivacyContext, job: Job, reason: string): Promise<void> {
  const { channelId, topic } = job.payload as BuyerRequest;
  const now = ctx.clock.now();
  const note = `What Shopify asks on behalf of a buyer of ${publicId('chan', channelId)} (${topic}) failed ${ATTEMPTS_MAX} times: ${reason} Mend the cause and do it by hand, within a month.`;
  await ctx.database.transaction(async (tx) => {
    await openTask(tx, { accountId: job.account_id, orderId: null, kind: 'buyer_asks', note }, now);
  });
}
