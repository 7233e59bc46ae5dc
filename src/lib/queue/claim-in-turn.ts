import type { Db } from '../db.ts';
import type { Uuid } from '../ids.ts';
import { listLines, type QueueClaim, readWaiting, returnToLines, takeJob } from './claim-sql.ts';
import { type Job, NO_ACCOUNT, TIERS, type Tier } from './job.ts';

/** Jobs of one account that run at a time, over all workers, while other accounts wait. */
const SHARE_MAX = 2;
/** Jobs of the last tier that run at a time for an account, over all workers, free places or not. */
const SPARE_SHARE_MAX = 2;
/** The account at which each tier was left, in the memory of a worker. */
export type LastServed = Map<Tier, Uuid>;

type ClaimTerms = QueueClaim & {
  /** The most jobs to claim. */
  readonly places: number;
  /** Jobs of one account that run at a time, over all workers, whether others wait or not. */
  readonly ofEachMax?: number;
};

/**
 * Leases due jobs of one kind, the best tier first, and in it one of each account in turn.
 * An account has at most `SHARE_MAX` running while another waits, and `ofEachMax` when none does. Jobs of the last tier
 * are leased when none of a better one waits, and never more than `SPARE_SHARE_MAX` of an account. The shares are
 * counted before the lease, so workers that claim at the same moment may exceed them by one each. `turns` is moved on.
 */
export async function claimInTurn(db: Db, terms: ClaimTerms, turns: LastServed): Promise<Job[]> {
  const { kind, now } = terms;
  await returnToLines(db, kind, now);
  const waiting = await readWaiting(db, kind);
  const tiers = waiting.tiers.filter((tier) => tier !== null);
  if (tiers.length === 0) return [];
  const ofEachMax = terms.ofEachMax ?? Number.POSITIVE_INFINITY;
  const running = new Map(waiting.running.map(({ account_id: accountId, jobs }) => [accountId, jobs]));
  const claim: Claim = { db, terms, turns, running, jobs: [] };
  const better = tiers.filter((tier) => tier !== TIERS.spare);
  for (const tier of better) await serve(claim, tier, Math.min(SHARE_MAX, ofEachMax));
  // All that still wait have their share already, so the places that are left are theirs.
  for (const tier of better) await serve(claim, tier, ofEachMax);
  if (tiers.includes(TIERS.spare)) await serve(claim, TIERS.spare, Math.min(SPARE_SHARE_MAX, ofEachMax));
  return claim.jobs;
}

type Claim = {
  readonly db: Db;
  readonly terms: ClaimTerms;
  readonly turns: LastServed;
  /** Jobs that run, by account, those just claimed included. */
  readonly running: Map<Uuid, number>;
  readonly jobs: Job[];
};

/** Takes one job of each account in turn, round after round, until the places or the lines end. */
async function serve(claim: Claim, tier: Tier, shareMax: number): Promise<void> {
  const { db, terms, turns, running, jobs } = claim;
  for (let took = true; took && jobs.length < terms.places; ) {
    took = false;
    const after = turns.get(tier) ?? NO_ACCOUNT;
    for (const accountId of await listLines(db, terms.kind, tier, after)) {
      if (jobs.length >= terms.places) break;
      const runs = running.get(accountId) ?? 0;
      if (runs >= shareMax) continue;
      const job = await takeJob(db, terms, tier, accountId);
      if (job === undefined) continue;
      took = true;
      jobs.push(job);
      running.set(accountId, runs + 1);
      turns.set(tier, accountId);
    }
  }
}
