import { type Db, statement } from '../lib/db.ts';

// Statements of one connection that is in backup mode; the server keeps that mode with the connection.

export const SERVER = `
  select current_setting('server_version') as version,
    (select system_identifier::text from pg_control_system()) as system_identifier,
    (select setting from pg_settings where name = 'wal_segment_size') as segment_bytes`;

export const CLOCK = 'select clock_timestamp() as now';

// Temporary, and with the log reserved at once: from the last checkpoint before the start of the backup.
export const CREATE_SLOT = 'select pg_create_physical_replication_slot($1, true, true)';

// Fast: a checkpoint at once, in place of the next that is due.
export const START = 'select pg_backup_start($1, true)::text as lsn';

// The log is copied here, so the server need not wait for an archive.
export const STOP = 'select lsn::text, labelfile, spcmapfile from pg_backup_stop(false)';

export const SLOT_STATE = 'select wal_status as state from pg_replication_slots where slot_name = $1';

const RESTORED = statement<{ system_identifier: string; is_whole: boolean }>(
  'backup_restored',
  `select (select system_identifier::text from pg_control_system()) as system_identifier,
     pg_current_wal_lsn() >= $1::pg_lsn as is_whole`,
);

/** Tells which cluster this is, and whether it has come as far in its log as a position. */
export async function readRestored(db: Db, lsn: string): Promise<{ systemIdentifier: string; isWhole: boolean }> {
  const row = await db.one(RESTORED, [lsn]);
  return { systemIdentifier: row?.system_identifier ?? '', isWhole: row?.is_whole === true };
}

const COUNTS = statement<{ accounts: number; orders: number; postings: number; events: number }>(
  'backup_counts',
  `select (select count(*) from account) as accounts, (select count(*) from orders) as orders,
     (select count(*) from posting) as postings, (select count(*) from event) as events`,
);

export type Counts = {
  readonly accounts: number;
  readonly orders: number;
  readonly postings: number;
  readonly events: number;
};

/** Counts what a shop cannot lose; reads whole tables. */
export async function countRows(db: Db): Promise<Counts> {
  return (await db.one(COUNTS, [])) ?? { accounts: 0, orders: 0, postings: 0, events: 0 };
}

const TAKEN = statement<{ taken_at: Date }>('backup_taken_at', 'select taken_at from backup_taken');

/** When the last whole backup was taken, as far as this database knows. */
export async function findBackupTaken(db: Db): Promise<Date | undefined> {
  return (await db.one(TAKEN, []))?.taken_at;
}

const SET_TAKEN = statement<never>(
  'backup_set_taken',
  `insert into backup_taken (taken_at) values ($1)
   on conflict (is_only_row) do update set taken_at = greatest(backup_taken.taken_at, excluded.taken_at)`,
);

/** Notes that a whole backup was taken. */
export async function setBackupTaken(db: Db, takenAt: Date): Promise<void> {
  await db.all(SET_TAKEN, [takenAt]);
}
