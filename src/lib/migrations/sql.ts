import { type Db, statement } from '../db.ts';

/** A migration that is applied. */
export type AppliedRow = { readonly version: number; readonly name: string; readonly checksum: string };

/** Where a migration stands: its next step, and within batches the cursor and the rows so far. */
export type Standing = { readonly step: number; readonly cursor: string | null; readonly rows: number };

export type StepRow = Standing & { readonly checksum: string };

/** What the server's process of a migration does at the moment. */
export type ProgressRow = {
  readonly waits: boolean;
  /** Who holds the lock that it waits for. */
  readonly holders: string | null;
  readonly phase: string | null;
  readonly done: number | null;
  readonly total: number | null;
};

export const CREATE_TABLES = [
  statement<never>(
    'migration_create_table',
    `create table if not exists schema_migration (
       version integer primary key,
       name text not null,
       checksum text not null,
       applied_at timestamptz not null
     )`,
  ),
  // One row at most: the migration that is being applied. Its lock is what keeps a second migrator out.
  statement<never>(
    'migration_create_steps',
    `create table if not exists schema_migration_step (
       version integer primary key,
       checksum text not null,
       step integer not null,
       "cursor" text,
       rows bigint not null default 0
     )`,
  ),
];

/**
 * The lock of the one migrator.
 * It conflicts with itself, and neither with readers nor with the rows that its other session writes. Taking it takes
 * no transaction number and keeps no snapshot, so it may be held for hours.
 */
export const LOCK_STEPS = 'begin; lock table schema_migration_step in share update exclusive mode nowait';

/** Those of some names that are tables of rows now, each quoted as need be. */
export const EXISTING_TABLES = `select c.oid::regclass::text as name from pg_class c
  where c.oid in (select to_regclass(name)::oid from unnest($1::text[]) as name) and c.relkind = 'r' order by 1`;

/** The longest wait for a lock from here to the end of the transaction. */
export const LIMIT_LOCKS = "select set_config('lock_timeout', $1, true)";

const APPLIED = statement<AppliedRow>(
  'migration_applied',
  'select version, name, checksum from schema_migration order by version',
);

export const FIND_STEP = 'select checksum, step, "cursor", rows from schema_migration_step where version = $1';

/** Begins a migration in steps. Fails on its key if another has begun it. */
export const BEGIN_STEPS = 'insert into schema_migration_step (version, checksum, step) values ($1, $2, 0)';

/** Moves on from a step and a cursor; returns nothing if another migrator has moved on from there. */
export const ADVANCE = `update schema_migration_step set step = $4, "cursor" = $5, rows = $6
  where version = $1 and step = $2 and "cursor" is not distinct from $3 returning version`;

export const END_STEPS = 'delete from schema_migration_step where version = $1';

export const RECORD =
  'insert into schema_migration (version, name, checksum, applied_at) values ($1, $2, $3, clock_timestamp())';

/** Whether an index of this name is there, and can be used. */
export const INDEX_STATE =
  'select indisvalid and indisready as is_valid from pg_index where indexrelid = to_regclass($1)::oid';

const UNDER_WAY = statement<ProgressRow>(
  'migration_under_way',
  `select coalesce(a.wait_event_type = 'Lock', false) as waits, (
     select string_agg(format('process %s (%s, %s)', b.pid, coalesce(nullif(b.application_name, ''), b.backend_type), b.state), ', ')
     from pg_stat_activity b where b.pid = any(pg_blocking_pids($1))
   ) as holders, p.phase,
   case when p.blocks_total > 0 then p.blocks_done else p.tuples_done end as done,
   case when p.blocks_total > 0 then p.blocks_total else p.tuples_total end as total
   from pg_stat_activity a left join pg_stat_progress_create_index p on p.pid = a.pid where a.pid = $1`,
);

const CANCEL = statement<never>('migration_cancel', 'select pg_cancel_backend($1)');

/** Reads which migrations are applied. It waits for no migration. */
export function listApplied(db: Db): Promise<AppliedRow[]> {
  return db.all(APPLIED, []);
}

/** Reads what a server's process does, in a short transaction of its own. */
export function findUnderWay(db: Db, pid: number): Promise<ProgressRow | undefined> {
  return db.one(UNDER_WAY, [pid]);
}

/** Ends the statement that a server's process runs. */
export async function cancelStatement(db: Db, pid: number): Promise<void> {
  await db.all(CANCEL, [pid]);
}
