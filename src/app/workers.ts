import { startNotingUses } from '../accounts/access/token-uses.ts';
import { joiningJobs } from '../accounts/joining/jobs.ts';
import { RESET_JOB } from '../accounts/joining/request-reset.ts';
import { SIGN_UP_JOB } from '../accounts/joining/sign-up.ts';
import { mailJobs } from '../accounts/mail/jobs.ts';
import { MAIL_JOB } from '../accounts/mail/sql.ts';
import { startRequestLog } from '../accounts/requests/request-log.ts';
import { startBucketWatch } from '../artwork/drop/bucket/watch-bucket.ts';
import { artworkJobs } from '../artwork/jobs.ts';
import { NORMALISE_JOB } from '../artwork/sql.ts';
import { STOCK_CHANGED } from '../catalogue/change-stock.ts';
import { shopOrderJobs } from '../channels/inbox/look-at-order.ts';
import { SHOP_ORDER_JOB } from '../channels/inbox/receive-order.ts';
import { INBOX_CHANGED, startInbox } from '../channels/inbox/run-inbox.ts';
import { SYNC_DUE, startSyncs } from '../channels/linked/run-syncs.ts';
import { SHOP_SYNC_JOB, SLOW_SHOP_SYNC_JOB, syncJobs } from '../channels/linked/sync-shop.ts';
import { BUYER_REQUEST_JOB } from '../channels/linked/take-privacy-request.ts';
import { startMailingAboutShops } from '../channels/mails/mail-about-shops.ts';
import { ORDER_FILES_CHANGED } from '../checkout/order-files/order-files.ts';
import { startOrderFiles } from '../checkout/order-files/run-order-files.ts';
import { startInvoicing } from '../invoices/issue-due.ts';
import { startCountingSpending } from '../invoices/spending/count-spending.ts';
import { together, type Worker } from '../lib/every.ts';
import { type JobHandler, startWorker } from '../lib/queue.ts';
import { startSearchFilling } from '../orders/search/fill-search.ts';
import { startLateDebits } from '../payments/late-debits.ts';
import { startLookingAtBalances } from '../payments/low-balance/look-at-balances.ts';
import { startPaymentSweep } from '../payments/sweep.ts';
import { startErasures } from '../privacy/erase/worker.ts';
import { startExportWatch } from '../privacy/exports/watch-exports.ts';
import { startRetention } from '../privacy/retention/sweep.ts';
import { buyerRequestJobs } from '../privacy/shops/buyer-requests.ts';
import { startAutoPromotion } from '../production/auto-promote.ts';
import { startCountingAwaited } from '../production/stock-overview/count-awaiting.ts';
import { DELIVERIES_RECORDED, REPLAYED_ATTEMPTED, startDeliveries } from '../webhooks/deliver.ts';
import { REPLAYS_CHANGED, startRecovery } from '../webhooks/recovery/run-replays.ts';
import { startBlobCollection } from './collect-blobs.ts';
import type { AppContext } from './context.ts';
import { startGivingBack } from './rest.ts';
import { startSampling } from './sample-figures.ts';
import { startNotingKey, startResealing } from './secrets/reseal.ts';
import { startPassingSweep } from './sweep-passing.ts';

/** One kind of background work: its name, the hints that wake it, and how it starts. */
export type WorkerEntry<Ctx> = {
  readonly name: string;
  readonly wokenBy: readonly string[];
  /** Whether a process with `--role api` runs it too. */
  readonly everywhere?: true;
  /** Returns undefined where the settings turn it off. */
  readonly start: (ctx: Ctx) => Worker | undefined;
};

/** All background work of a process, in starting order. */
export const WORKERS: readonly WorkerEntry<AppContext>[] = [
  {
    name: 'jobs',
    wokenBy: [
      NORMALISE_JOB,
      MAIL_JOB,
      RESET_JOB,
      SIGN_UP_JOB,
      SHOP_ORDER_JOB,
      SHOP_SYNC_JOB,
      SLOW_SHOP_SYNC_JOB,
      BUYER_REQUEST_JOB,
    ],
    start: (ctx) => startWorker({ ...ctx, handlers: jobHandlers(ctx) }),
  },
  { name: 'deliveries', wokenBy: [DELIVERIES_RECORDED], start: (ctx) => startDeliveries(ctx) },
  { name: 'webhook recovery', wokenBy: [REPLAYS_CHANGED, REPLAYED_ATTEMPTED], start: (ctx) => startRecovery(ctx) },
  {
    name: 'automatic promotion',
    wokenBy: [STOCK_CHANGED],
    start: (ctx) => (ctx.config.autoPromote ? startAutoPromotion(ctx) : undefined),
  },
  { name: 'order files', wokenBy: [ORDER_FILES_CHANGED], start: (ctx) => startOrderFiles(ctx) },
  { name: 'connected shops', wokenBy: [INBOX_CHANGED], start: (ctx) => startInbox(ctx) },
  { name: 'linked shops', wokenBy: [SYNC_DUE], start: (ctx) => startSyncs(ctx) },
  { name: 'mails about shops', wokenBy: [], start: (ctx) => startMailingAboutShops(ctx) },
  { name: 'payment sweep', wokenBy: [], start: (ctx) => startPaymentSweep(ctx) },
  { name: 'low balances', wokenBy: [], start: (ctx) => startLookingAtBalances(ctx) },
  { name: 'late direct debits', wokenBy: [], start: (ctx) => startLateDebits(ctx) },
  { name: 'order search', wokenBy: [], start: (ctx) => startSearchFilling(ctx) },
  { name: 'awaited stock', wokenBy: [], start: (ctx) => startCountingAwaited(ctx) },
  { name: 'invoicing', wokenBy: [], start: (ctx) => startInvoicing(ctx) },
  { name: 'spending', wokenBy: [], start: (ctx) => startCountingSpending(ctx) },
  {
    name: 'retention',
    wokenBy: [],
    start: (ctx) => (ctx.config.retentionSweep ? startRetention(ctx) : undefined),
  },
  { name: 'exports', wokenBy: [], start: (ctx) => startExportWatch(ctx) },
  { name: 'erasures', wokenBy: [], start: (ctx) => startErasures(ctx) },
  { name: 'blob collection', wokenBy: [], start: (ctx) => startBlobCollection(ctx) },
  { name: 'old proofs', wokenBy: [], start: (ctx) => startPassingSweep(ctx) },
  { name: 'bucket of dropped files', wokenBy: [], start: (ctx) => startBucketWatch(ctx) },
  { name: 'sealing anew', wokenBy: [], start: (ctx) => startResealing(ctx) },
  { name: 'memory at rest', wokenBy: [], everywhere: true, start: (ctx) => startGivingBack(ctx) },
  // An API node seals, too.
  { name: 'key in use', wokenBy: [], everywhere: true, start: (ctx) => startNotingKey(ctx) },
  // Each node notes the tokens that it was shown.
  { name: 'token uses', wokenBy: [], everywhere: true, start: (ctx) => startNotingUses(ctx) },
  // Each node writes the requests that it has answered.
  { name: 'request log', wokenBy: [], everywhere: true, start: (ctx) => startRequestLog(ctx) },
  {
    name: 'figures',
    wokenBy: [],
    // An API node must see that no worker works.
    everywhere: true,
    start: (ctx) => startSampling(ctx, { jobKinds: jobHandlers(ctx).map(({ kind }) => kind) }),
  },
];

/** Every kind of job. */
function jobHandlers(ctx: AppContext): JobHandler[] {
  return [
    ...artworkJobs(ctx),
    ...mailJobs(ctx),
    ...joiningJobs(ctx),
    ...shopOrderJobs(ctx),
    ...syncJobs(ctx),
    ...buyerRequestJobs(ctx),
  ];
}

/**
 * Starts the workers that the settings allow, as one worker.
 * It passes on the hints of the process and stops all of them at once.
 */
export function startWorkers<Ctx>(ctx: Ctx, workers: readonly WorkerEntry<Ctx>[]): Worker {
  return together(
    workers.flatMap(({ start, wokenBy }) => {
      const worker = start(ctx);
      return worker === undefined ? [] : [{ worker, wokenBy }];
    }),
  );
}
