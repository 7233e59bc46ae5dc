import { collectUnusedBlobs } from '../../src/app/collect-blobs.ts';
import type { AppContext } from '../../src/app/context.ts';
import { sampleFigures } from '../../src/app/sample-figures.ts';
import { resealBatch, SEALED_STORES } from '../../src/app/secrets/reseal.ts';
import { WORKERS } from '../../src/app/workers.ts';
import { NORMALISE_JOB } from '../../src/artwork/sql.ts';
import { closeDays } from '../../src/billing/close-days.ts';
import { runInbox } from '../../src/channels/inbox/run-inbox.ts';
import { runSyncs } from '../../src/channels/linked/run-syncs.ts';
import { mailAboutShops } from '../../src/channels/mails/mail-about-shops.ts';
import { runOrderFiles } from '../../src/checkout/order-files/run-order-files.ts';
import { issueDueDocuments } from '../../src/invoices/issue-due.ts';
import { countIssued } from '../../src/invoices/spending/count-spending.ts';
import type { Database } from '../../src/lib/db.ts';
import { FIRST_ID, newId, type Uuid } from '../../src/lib/ids.ts';
import { claimInTurn } from '../../src/lib/queue/claim-in-turn.ts';
import { fillContacts, fillRecent, fillSettled } from '../../src/orders/search/fill-search.ts';
import { claimAttempts, claimFailedAttempts } from '../../src/payments/attempt-sql.ts';
import { claimWatched } from '../../src/payments/late-debits-sql.ts';
import { lookAtBalances } from '../../src/payments/low-balance/look-at-balances.ts';
import { claimCardTopUps } from '../../src/payments/top-ups/top-up-sql.ts';
import { runErasures } from '../../src/privacy/erase/worker.ts';
import { lookAtExports } from '../../src/privacy/exports/watch-exports.ts';
import { WALKS } from '../../src/privacy/retention/walks.ts';
import { lockNextDue } from '../../src/production/sql.ts';
import { countAwaiting } from '../../src/production/stock-overview/count-awaiting.ts';
import { claimDue, claimFromLanes, lookForDeliveries } from '../../src/webhooks/claim-sql.ts';
import { moveNextSecrets } from '../../src/webhooks/recovery/next-secret-sql.ts';
import { stepReplays } from '../../src/webhooks/recovery/run-replays.ts';

/** One round of something that runs by itself. What it writes is undone. */
export type Sweep = { readonly name: string; readonly run: (ctx: AppContext) => Promise<unknown> };

/** Everything that is kept is past its end then, so that each walk finds as much as it looks for. */
const FAR_MS = 20 * 365 * 86_400_000;
const WALK_ROWS = 500;

const claimTerms = (ctx: AppContext) => {
  const now = ctx.clock.now();
  return {
    now,
    leaseUntil: new Date(now.getTime() + 60_000),
    leaseToken: newId(),
    limit: 100,
    inFlight: new Map<Uuid, number>(),
    inFlightMax: 4,
    accountInFlight: new Map<Uuid, number>(),
    accountInFlightMax: 16,
    pacedFrom: 3,
  };
};

/** By worker, so that one that is missing is an error. Those without statements of their own have none. */
const ROUNDS: Readonly<Record<string, Readonly<Record<string, Sweep['run']>>>> = {
  jobs: {
    claim: ({ database, clock }) =>
      claimInTurn(
        database,
        { kind: NORMALISE_JOB, now: clock.now(), leaseSeconds: 60, leaseToken: newId(), places: 2 },
        new Map(),
      ),
  },
  deliveries: {
    look: ({ database, clock }) => lookForDeliveries(database, clock.now()),
    'claim what is due': (ctx) => claimDue(ctx.database, claimTerms(ctx), FIRST_ID as Uuid),
    'claim from lanes': (ctx) => claimFromLanes(ctx.database, claimTerms(ctx), FIRST_ID as Uuid),
  },
  'webhook recovery': {
    'running replays': (ctx) => stepReplays(ctx),
    'secrets to move': ({ database, clock }) => moveNextSecrets(database, new Date(clock.now().getTime() + FAR_MS)),
  },
  'automatic promotion': {
    'next order': ({ database, clock }) =>
      lockNextDue(database, {
        now: new Date(clock.now().getTime() + FAR_MS),
        after: { cancellableUntil: new Date(0), id: FIRST_ID as Uuid },
      }),
  },
  'order files': { 'next file': (ctx) => runOrderFiles(ctx) },
  'connected shops': { 'due orders': (ctx) => runInbox(ctx) },
  'linked shops': { 'due syncs': (ctx) => runSyncs(ctx) },
  'mails about shops': { look: (ctx) => mailAboutShops(ctx) },
  'payment sweep': {
    'charges under way': ({ database, clock }) => claimAttempts(database, clock.now()),
    'charges that failed': ({ database, clock }) => claimFailedAttempts(database, clock.now()),
    'top-ups by card': ({ database, clock }) => claimCardTopUps(database, clock.now()),
  },
  'low balances': { look: (ctx) => lookAtBalances(ctx) },
  'late direct debits': { watched: ({ database, clock }) => claimWatched(database, clock.now()) },
  'order search': {
    'of the last seconds': (ctx) => fillRecent(ctx),
    settled: (ctx) => fillSettled(ctx),
    contacts: (ctx) => fillContacts(ctx),
  },
  'awaited stock': { count: (ctx) => countAwaiting(ctx) },
  invoicing: { 'documents that are due': (ctx) => issueDueDocuments(ctx), 'closing days': (ctx) => closeDays(ctx) },
  spending: { documents: (ctx) => countIssued(ctx) },
  retention: Object.fromEntries(
    WALKS.map((walk) => [
      walk.name,
      ({ database, config, clock }: AppContext) =>
        walk.find(database, { config, now: new Date(clock.now().getTime() + FAR_MS) }, undefined, WALK_ROWS),
    ]),
  ),
  exports: { look: (ctx) => lookAtExports(ctx) },
  erasures: { round: (ctx) => runErasures(ctx) },
  'blob collection': { round: (ctx) => collectUnusedBlobs(ctx, undefined) },
  // Files alone.
  'old proofs': {},
  'sealing anew': {
    round: async (ctx) => {
      for (const store of SEALED_STORES) await resealBatch(ctx, store);
    },
  },
  'memory at rest': {},
  // A row a minute, of as many tokens as were used.
  // A bucket is asked, not the database.
  'bucket of dropped files': {},
  'key in use': {},
  'token uses': {},
  // A row for each request that was answered.
  'request log': {},
  figures: { sample: (ctx) => sampleFigures(ctx, [NORMALISE_JOB]) },
};

/** Every round that is measured; throws when a worker of the service has none. */
export function sweeps(): Sweep[] {
  const missing = WORKERS.filter(({ name }) => ROUNDS[name] === undefined).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`bench/size/sweeps.ts does not say what these do: ${missing.join(', ')}`);
  return Object.entries(ROUNDS).flatMap(([worker, rounds]) =>
    Object.entries(rounds).map(([name, run]) => ({ name: `${worker}: ${name}`, run })),
  );
}

/** Runs a round in a transaction that is undone; the milliseconds that it took without the undoing. */
export async function timedSweep(ctx: AppContext, { run }: Sweep): Promise<number> {
  let ms = Number.NaN;
  await ctx.database
    .transaction(async (tx) => {
      const database: Database = {
        ...ctx.database,
        ...tx,
        transaction: (work) => work(tx),
        of: () => database,
        priority: ctx.database.priority,
      };
      const startedAt = performance.now();
      await run({ ...ctx, database });
      ms = performance.now() - startedAt;
      throw new Undone();
    })
    .catch((error: unknown) => {
      if (!(error instanceof Undone)) throw error;
    });
  return ms;
}

class Undone extends Error {}
