import type { Db } from '../db.ts';
import type { Uuid } from '../ids.ts';
import { listLines, listLinesOfAccount, type QueueClaim, readWaiting, returnToLines, takeJob } from './claim-sql.ts';
import { type Job, NO_ACCOUNT, NO_LINE, TIERS, type Tier } from './job.ts';

/** Jobs of one account that run at a time, over all workers, while other accounts wait. */
const SHARE_MAX = 2;
/** Jobs of the last tier that run at a time for an account, over all workers, free places or not. */
const SPARE_SHARE_MAX = 2;
/** Accounts of which a worker remembers the line; one that it forgot begins with any. */
const REMEMBERED_MAX = 1_000;
/** The account at which a worker left each tier, and the line at which it left each account. */
export type LastServed = Map<Tier | Uuid, Uuid>;

type ClaimTerms = QueueClaim & {
  /** The most jobs to claim. */
  readonly places: number;
  /** Jobs of one account that run at a time, over all workers, whether others wait or not. */
  readonly ofEachMax?: number;
  /** Jobs of one line within an account that run at a time, over all workers, for kinds that have lines. */
  readonly ofLineMax?: number;
};

/**
 * Leases due jobs of one kind, the best tier first, and in it one of each account in turn.
 * An account has at most `SHARE_MAX` running while another waits, and `ofEachMax` when none does. Jobs of the last tier
 * are leased when none of a better one waits, and never more than `SPARE_SHARE_MAX` of an account. The shares are
 * counted before the lease, so workers that claim at the same moment may exceed them by one each. `turns` is moved on.
 * Where an account has several lines, its turn is that of the line with the fewest jobs running, and of such lines of
 * each in turn: so a new line has its job next, and many lines give their account no larger share.
 */
export async function claimInTurn(db: Db, terms: ClaimTerms, turns: LastServed): Promise<Job[]> {
  const { kind, now } = terms;
  await returnToLines(db, kind, now);
  const waiting = await readWaiting(db, kind);
  const tiers = waiting.tiers.filter((tier) => tier !== null);
  if (tiers.length === 0) return [];
  const ofEachMax = terms.ofEachMax ?? Number.POSITIVE_INFINITY;
  const running = new Map<Uuid, Running>();
  for (const { account_id: accountId, line, jobs } of waiting.running) countRunning(running, accountId, line, jobs);
  const claim: Claim = { db, terms, turns, running, lines: new Map(), jobs: [] };
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
  readonly running: Map<Uuid, Running>;
  /** The lines of accounts in which jobs waited when they were listed, by tier and account. */
  readonly lines: Map<string, Set<Uuid>>;
  readonly jobs: Job[];
};

/** Jobs of an account that run, in all and by line. */
type Running = { inAll: number; readonly byLine: Map<Uuid, number> };

function countRunning(running: Map<Uuid, Running>, accountId: Uuid, line: Uuid, jobs: number): void {
  const of = running.get(accountId) ?? { inAll: 0, byLine: new Map() };
  running.set(accountId, of);
  of.inAll += jobs;
  of.byLine.set(line, (of.byLine.get(line) ?? 0) + jobs);
}

/** Takes one job of each account in turn, round after round, until the places or the lines end. */
async function serve(claim: Claim, tier: Tier, shareMax: number): Promise<void> {
  const { db, terms, turns, running, jobs } = claim;
  for (let took = true; took && jobs.length < terms.places; ) {
    took = false;
    const after = turns.get(tier) ?? NO_ACCOUNT;
    for (const accountId of await listLines(db, terms.kind, tier, after)) {
      if (jobs.length >= terms.places) break;
      if ((running.get(accountId)?.inAll ?? 0) >= shareMax) continue;
      const job = await takeOfAccount(claim, tier, accountId);
      if (job === undefined) continue;
      took = true;
      jobs.push(job);
      turns.set(tier, accountId);
    }
  }
}

/** Takes the next job of an account, of the line whose turn it is; undefined when each has its share. */
async function takeOfAccount(claim: Claim, tier: Tier, accountId: Uuid): Promise<Job | undefined> {
  const { db, terms, running } = claim;
  const lines = await linesOf(claim, tier, accountId);
  for (const line of inTurn(claim, accountId, lines)) {
    const job = await takeJob(db, terms, { tier, accountId, line });
    if (job === undefined) {
      lines.delete(line);
      continue;
    }
    countRunning(running, accountId, line, 1);
    if (line !== NO_LINE) remember(claim.turns, accountId, line);
    return job;
  }
  return undefined;
}

async function linesOf({ db, terms, lines }: Claim, tier: Tier, accountId: Uuid): Promise<Set<Uuid>> {
  const key = `${tier} ${accountId}`;
  const known = lines.get(key);
  if (known !== undefined) return known;
  const { kind, ofLineMax } = terms;
  const listed = new Set(ofLineMax === undefined ? [NO_LINE] : await listLinesOfAccount(db, kind, tier, accountId));
  lines.set(key, listed);
  return listed;
}

/** The lines of an account that have not their share yet, that with the fewest jobs running first. */
function inTurn({ terms, turns, running }: Claim, accountId: Uuid, lines: ReadonlySet<Uuid>): Uuid[] {
  const { ofLineMax = Number.POSITIVE_INFINITY } = terms;
  const runs = (line: Uuid): number => running.get(accountId)?.byLine.get(line) ?? 0;
  const free = [...lines].filter((line) => runs(line) < ofLineMax);
  const last = turns.get(accountId) ?? NO_LINE;
  const behindFirst = [...free.filter((line) => line > last), ...free.filter((line) => line <= last)];
  return behindFirst.toSorted((one, other) => runs(one) - runs(other));
}

function remember(turns: LastServed, accountId: Uuid, line: Uuid): void {
  turns.delete(accountId);
  turns.set(accountId, line);
  if (turns.size <= REMEMBERED_MAX) return;
  for (const key of turns.keys()) {
    if (typeof key !== 'string') continue;
    turns.delete(key);
    return;
  }
}
