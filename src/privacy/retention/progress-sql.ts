import { type Db, statement } from '../../lib/db.ts';

/** How far a walk has come. */
export type WalkRow = { place: string | null; completed_at: Date | null };

const OPEN = statement<never>(
  'privacy_open_walk',
  'insert into retention_walk (name, opened_at) select unnest($1::text[]), $2 on conflict (name) do nothing',
);

/** Makes the rows of walks that have none. */
export async function openWalks(db: Db, names: readonly string[], now: Date): Promise<void> {
  await db.all(OPEN, [names, now]);
}

const LOCK = statement<WalkRow>(
  'privacy_lock_walk',
  'select place, completed_at from retention_walk where name = $1 for update skip locked',
);

/** Locks a walk; undefined while another process works on it. */
export async function lockWalk(tx: Db, name: string): Promise<WalkRow | undefined> {
  return tx.one(LOCK, [name]);
}

const ADVANCE = statement<never>(
  'privacy_advance_walk',
  `update retention_walk set place = $2, completed_at = coalesce($3, completed_at), dropped = dropped + $4,
     ended_through = greatest(ended_through, $5)
   where name = $1`,
);

/** Saves how far a locked walk has come, and the time before which what it ends may be gone. */
export async function advanceWalk(
  tx: Db,
  walk: { name: string; place: string | null; completedAt: Date | null; dropped: number; endedThrough: Date },
): Promise<void> {
  await tx.all(ADVANCE, [walk.name, walk.place, walk.completedAt, walk.dropped, walk.endedThrough]);
}

export type PassRow = { name: string; completed_at: Date };

const PASSES = statement<PassRow>(
  'privacy_passes',
  'select name, coalesce(completed_at, opened_at) as completed_at from retention_walk order by name',
);

/** When the last pass of each walk ended, or the walk was opened. */
export async function readPasses(db: Db): Promise<PassRow[]> {
  return db.all(PASSES, []);
}

const REPORT = statement<{ name: string; dropped: number }>(
  'privacy_report_day',
  `with due as (
     update retention_report set logged_at = $1 where logged_at <= $2 returning 1
   ),
   before as materialized (
     select w.name, w.dropped, w.reported from retention_walk w, due for update of w
   ),
   noted as (
     update retention_walk w set reported = b.dropped from before b where w.name = b.name
   )
   select name, (dropped - reported) as dropped from before order by name`,
);

/**
 * What each walk has dropped since the last report.
 * Empty when another process has reported since the time.
 */
export async function takeReport(
  db: Db,
  report: { now: Date; since: Date },
): Promise<{ name: string; dropped: number }[]> {
  return db.all(REPORT, [report.now, report.since]);
}

const PLACES = statement<{ name: string; place: string }>(
  'privacy_places',
  'select name, place from retention_walk where place is not null',
);

/** Where each walk goes on, by its name. */
export async function readPlaces(db: Db): Promise<ReadonlyMap<string, string>> {
  return new Map((await db.all(PLACES, [])).map(({ name, place }) => [name, place]));
}
