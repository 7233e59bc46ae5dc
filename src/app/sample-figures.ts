import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { countFailures } from '../artwork/failed-sql.ts';
import { findBackupTaken } from '../backup/sql.ts';
import { readClosedUntil } from '../billing/days-sql.ts';
import { countPromisedShort } from '../catalogue/stock-sql.ts';
import { findOldestFailed } from '../channels/inbox/inbox-list-sql.ts';
import { findOldestUnreadable } from '../channels/inbox/unreadable-sql.ts';
import { countFaulty } from '../channels/mails/faulty-sql.ts';
import { FAILING_MS } from '../channels/mails/mail-about-shops.ts';
import { SUPPORTED_UNTIL } from '../channels/platforms/shopify/version.ts';
import { findFailingLongest } from '../channels/products/channel-product-sql.ts';
import { messageOf } from '../lib/error-message.ts';
import { every, type Worker } from '../lib/every.ts';
import { readOldestWrite, readTableRows } from '../lib/metrics/database-sql.ts';
import { createGauge } from '../lib/metrics/instruments.ts';
import { COUNTED_MAX, readQueueDepth } from '../lib/queue.ts';
import { countUnresolved } from '../payments/attempt-sql.ts';
import { readLedgerState } from '../privacy/ledger/ledger-state.ts';
import { readPasses } from '../privacy/retention/progress-sql.ts';
import { findFirstDeadline } from '../problems/sql.ts';
import { countShortPieces } from '../production/short/sql.ts';
import { countWantedShort } from '../production/sql.ts';
import { findFirstRequestDeadline } from '../refunds/asking/sql.ts';
import { readOutboxDepth } from '../webhooks/delivery-sql.ts';
import type { AppContext } from './context.ts';

type SampleContext = Pick<AppContext, 'database' | 'clock' | 'log' | 'config' | 'blobs'>;

/** A dozen statements of a few milliseconds on every node; scrapes are rarely more frequent. */
const POLL_MS = 30_000;
/** A start has other work for its first connections. */
const FIRST_MS = 2_000;

/** The tables whose rows are changed most: dead rows of these slow down every order. */
const HOT_TABLES = [
  'account_balance',
  'blob',
  'job',
  'order_line',
  'orders',
  'payment_attempt',
  'print_file',
  'print_job',
  'stock',
  'webhook_delivery',
  'webhook_subscription',
];

const upTo = `counted up to ${COUNTED_MAX}.`;
const jobs = createGauge({ name: 'platen_queue_jobs', help: `Unfinished jobs by kind, ${upTo}`, labels: ['kind'] });
const oldestJob = createGauge({
  name: 'platen_queue_oldest_due_seconds',
  help: 'For how long the oldest job of a kind has been due; 0 when none is.',
  labels: ['kind'],
});
const deliveries = createGauge({
  name: 'platen_webhook_deliveries_waiting',
  help: `Deliveries still to be sent, ${upTo} In the lane receiver they wait for their own receiver.`,
  labels: ['lane'],
});
const oldestDelivery = createGauge({
  name: 'platen_webhook_oldest_due_seconds',
  help: 'For how long the oldest delivery that waits for no receiver has been due; 0 when none is.',
  labels: [],
});
const attempts = createGauge({
  name: 'platen_payment_attempts_under_way',
  help: `Charges of cards and direct debits whose end is not known, by state, ${upTo}`,
  labels: ['state'],
});
const oldestAttempt = createGauge({
  name: 'platen_payment_oldest_under_way_seconds',
  help: 'For how long the oldest charge has been under way; 0 when none is.',
  labels: [],
});
const closeLag = createGauge({
  name: 'platen_ledger_close_lag_seconds',
  help: 'The time since the end of the last closed day of the books: from one hour to 26 as a rule.',
  labels: [],
});
const shortSkus = createGauge({
  name: 'platen_stock_short_skus',
  help: 'Variants with more promised than on hand, and variants that automatic promotion waits for.',
  labels: ['reason'],
});
const shortPieces = createGauge({
  name: 'platen_production_short_pieces',
  help: `Spoiled pieces for which no blank is left, of the first ${COUNTED_MAX} lines that wait.`,
  labels: [],
});
const problemOverdue = createGauge({
  name: 'platen_problems_overdue_seconds',
  help: 'For how long the open problem whose deadline passed first has waited beyond it; 0 when none has.',
  labels: [],
});
const shopOrderFailed = createGauge({
  name: 'platen_shop_orders_failed_seconds',
  help: 'The age of the oldest order of a connected shop that was given up, or whose report its shop refuses; 0 when there is none.',
  labels: [],
});
const shopOrderUnreadable = createGauge({
  name: 'platen_shop_orders_unreadable_seconds',
  help: 'For how long the oldest order that its connected shop does not give out has waited for its people; 0 when there is none.',
  labels: [],
});
const shopsFaulty = createGauge({
  name: 'platen_shops',
  help: `Linked shops, and those of them that have failed for an hour, ${upTo}`,
  labels: ['state'],
});
const shopFaulty = createGauge({
  name: 'platen_shop_faulty_seconds',
  help: 'For how long the linked shop that has failed longest has; 0 while none has for an hour.',
  labels: [],
});
const shopProductFailing = createGauge({
  name: 'platen_shop_products_failing_seconds',
  help: 'For how long the product that a connected shop has refused longest has failed there; 0 when there is none.',
  labels: [],
});
const shopApiEnds = createGauge({
  name: 'platen_shop_api_supported_until_timestamp_seconds',
  help: 'Until when a platform of shops supports the version of its API that is called, in Unix time, while it is used.',
  labels: ['platform'],
});
const requestOverdue = createGauge({
  name: 'platen_cancellation_requests_overdue_seconds',
  help: 'For how long the open request to cancel whose deadline passed first has waited beyond it; 0 when none has.',
  labels: [],
});
const artworkFailures = createGauge({
  name: 'platen_print_files_given_up',
  help: `Print files that were given up and that an order waits for, ${upTo}`,
  labels: [],
});
const oldestWrite = createGauge({
  name: 'platen_database_oldest_write_seconds',
  help: 'The age of the oldest transaction that has written and not ended; 0 when there is none.',
  labels: [],
});
const tableRows = createGauge({
  name: 'platen_database_rows',
  help: 'Live and dead rows of the tables that change most, as PostgreSQL estimates them.',
  labels: ['table', 'state'],
});
const retentionAge = createGauge({
  name: 'platen_retention_pass_age_seconds',
  help: 'The time since the sweep last came to the end of what ends, or began with it, by walk.',
  labels: ['walk'],
});
const ledgerEntries = createGauge({
  name: 'platen_erasure_ledger_entries',
  help: 'Entries of the ledger of erasures, in its file and as the database knows them.',
  labels: ['place'],
});
const ledgerWritten = createGauge({
  name: 'platen_erasure_ledger_written_timestamp_seconds',
  help: 'When the last entry was written that the database knows, in Unix time; 0 before the first.',
  labels: [],
});
const ledgerUsable = createGauge({
  name: 'platen_erasure_ledger_usable',
  help: '1 while this node can write the ledger of erasures, and it has what the database knows; else 0.',
  labels: [],
});
const backupTaken = createGauge({
  name: 'platen_backup_taken_timestamp_seconds',
  help: 'When `platen backup` last took a whole backup of the embedded database, in Unix time; 0 before the first.',
  labels: [],
});
const diskFree = createGauge({
  name: 'platen_disk_free_bytes',
  help: 'Free space where this node keeps the blobs, and its embedded database if it has one.',
  labels: ['store'],
});
const diskSize = createGauge({
  name: 'platen_disk_size_bytes',
  help: 'The size of the file systems of platen_disk_free_bytes.',
  labels: ['store'],
});
const sampledAt = createGauge({
  name: 'platen_sampled_timestamp_seconds',
  help: 'When the database was last sampled for these figures, in Unix time; 0 before the first time.',
  labels: [],
});

/** What shows nothing while the database cannot be sampled. */
const SAMPLED = [
  ...[jobs, oldestJob, deliveries, oldestDelivery, attempts, oldestAttempt, closeLag, shortSkus],
  ...[
    shortPieces,
    shopOrderUnreadable,
    shopOrderFailed,
    shopsFaulty,
    shopFaulty,
    shopProductFailing,
    problemOverdue,
    requestOverdue,
    artworkFailures,
    oldestWrite,
    tableRows,
    retentionAge,
  ],
  ...[ledgerEntries, ledgerWritten, ledgerUsable, backupTaken],
];

/**
 * Samples the database and the disk once into the gauges of this process.
 * When that fails, the gauges show nothing, `platen_sampled_timestamp_seconds` stands still, and the error is thrown.
 * Each statement costs the same at any number of orders.
 */
export async function sampleFigures(ctx: SampleContext, jobKinds: readonly string[]): Promise<void> {
  await sampleDisks(ctx);
  try {
    await sampleWork(ctx, jobKinds);
    await sampleTrade(ctx);
    await sampleServer(ctx);
    await sampleKeeping(ctx);
  } catch (error) {
    for (const gauge of SAMPLED) gauge.clear();
    throw error;
  }
  sampledAt.set({}, ctx.clock.now().getTime() / 1_000);
}

async function sampleWork({ database, clock }: SampleContext, jobKinds: readonly string[]): Promise<void> {
  const now = clock.now();
  for (const kind of jobKinds) {
    const depth = await readQueueDepth(database, kind, now);
    jobs.set({ kind }, depth.jobs);
    oldestJob.set({ kind }, secondsSince(depth.oldest_due_at, now));
  }
  const outbox = await readOutboxDepth(database, now);
  deliveries.set({ lane: 'open' }, outbox.open);
  deliveries.set({ lane: 'receiver' }, outbox.in_lanes);
  oldestDelivery.set({}, secondsSince(outbox.oldest_due_at, now));
  artworkFailures.set({}, await countFailures(database));
  for (const { name, completed_at: at } of await readPasses(database)) {
    retentionAge.set({ walk: name }, secondsSince(at, now));
  }
}

async function sampleTrade({ database, clock, config }: SampleContext): Promise<void> {
  const now = clock.now();
  const underWay = await countUnresolved(database);
  attempts.set({ state: 'open' }, underWay.open);
  attempts.set({ state: 'unknown' }, underWay.unknown);
  oldestAttempt.set({}, secondsSince(underWay.began_at, now));
  closeLag.set({}, secondsSince((await readClosedUntil(database)) ?? null, now));
  shortSkus.set({ reason: 'promised' }, await countPromisedShort(database));
  shortSkus.set({ reason: 'wanted' }, await countWantedShort(database));
  shortPieces.set({}, await countShortPieces(database));
  shopOrderUnreadable.set({}, secondsSince((await findOldestUnreadable(database)) ?? null, now));
  shopOrderFailed.set({}, secondsSince((await findOldestFailed(database)) ?? null, now));
  const shops = await countFaulty(database, new Date(now.getTime() - FAILING_MS), COUNTED_MAX);
  shopsFaulty.set({ state: 'linked' }, shops.linked);
  shopsFaulty.set({ state: 'faulty' }, shops.faulty);
  shopFaulty.set({}, secondsSince(shops.since, now));
  shopProductFailing.set({}, secondsSince((await findFailingLongest(database)) ?? null, now));
  if (config.shopify !== undefined) shopApiEnds.set({ platform: 'shopify' }, SUPPORTED_UNTIL.getTime() / 1_000);
  problemOverdue.set({}, secondsSince((await findFirstDeadline(database)) ?? null, now));
  requestOverdue.set({}, secondsSince((await findFirstRequestDeadline(database)) ?? null, now));
}

async function sampleServer({ database, clock }: SampleContext): Promise<void> {
  oldestWrite.set({}, secondsSince((await readOldestWrite(database)) ?? null, clock.now()));
  for (const { name, live, dead } of await readTableRows(database, HOT_TABLES)) {
    tableRows.set({ table: name, state: 'live' }, live);
    tableRows.set({ table: name, state: 'dead' }, dead);
  }
}

async function sampleKeeping(ctx: SampleContext): Promise<void> {
  const { usable, inFile, inDatabase, writtenAt } = await readLedgerState(ctx);
  ledgerEntries.clear();
  if (inFile !== undefined) ledgerEntries.set({ place: 'file' }, inFile);
  ledgerEntries.set({ place: 'database' }, inDatabase);
  ledgerWritten.set({}, (writtenAt?.getTime() ?? 0) / 1_000);
  ledgerUsable.set({}, usable ? 1 : 0);
  // Backups of another server are taken by others.
  if (ctx.config.databaseUrl !== undefined) return;
  backupTaken.set({}, ((await findBackupTaken(ctx.database))?.getTime() ?? 0) / 1_000);
}

async function sampleDisks({ config, blobs, log }: SampleContext): Promise<void> {
  diskFree.clear();
  diskSize.clear();
  const stores = [{ store: 'blobs', folder: dirname(blobs.scratchPath()) }];
  if (config.databaseUrl === undefined) stores.push({ store: 'data', folder: config.dataDir });
  for (const { store, folder } of stores) {
    try {
      const { bavail, blocks, bsize } = await statfs(folder);
      diskFree.set({ store }, bavail * bsize);
      diskSize.set({ store }, blocks * bsize);
    } catch (error) {
      // A folder that the first blob will make is not there yet.
      log.debug({ store, error: messageOf(error) }, 'free space could not be read');
    }
  }
}

function secondsSince(time: Date | null, now: Date): number {
  return time === null ? 0 : Math.max(0, (now.getTime() - time.getTime()) / 1_000);
}

/**
 * Starts the sampling of this process.
 * Every node samples for itself, so that no node's metrics depend on another's; they claim nothing.
 */
export function startSampling(
  ctx: SampleContext,
  { jobKinds, firstMs = FIRST_MS }: { jobKinds: readonly string[]; firstMs?: number },
): Worker {
  sampledAt.set({}, 0);
  return every({
    log: ctx.log,
    firstMs,
    pollMs: POLL_MS,
    failed: 'figures for the metrics could not be sampled',
    run: async () => {
      await sampleFigures(ctx, jobKinds);
      return undefined;
    },
  });
}
