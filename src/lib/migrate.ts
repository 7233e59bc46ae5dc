import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { type Database, type Db, hasSqlState, statement } from './db.ts';

export type MigrationReport = {
  readonly applied: readonly string[];
  readonly version: number;
  /** Whether a dump has brought the database from another server since it was last opened. */
  readonly moved: boolean;
};

type Migration = { readonly version: number; readonly name: string; readonly text: string; readonly checksum: string };

const FOLDER = new URL('../../migrations/', import.meta.url);

const CREATE_TABLE = statement<never>(
  'migration_create_table',
  `create table if not exists schema_migration (
     version integer primary key,
     name text not null,
     checksum text not null,
     applied_at timestamptz not null
   )`,
);
const NO_TIMEOUTS = statement<never>(
  'migration_no_timeouts',
  "select set_config('statement_timeout', '0', true), set_config('lock_timeout', '0', true)",
);
const LOCK = statement<never>('migration_lock', 'lock table schema_migration in access exclusive mode');
const APPLIED = statement<{ version: number; name: string; checksum: string }>(
  'migration_applied',
  'select version, name, checksum from schema_migration order by version',
);
const RECORD = statement<never>(
  'migration_record',
  'insert into schema_migration (version, name, checksum, applied_at) values ($1, $2, $3, clock_timestamp())',
);

const CONTINUE_NUMBERS = statement<{ moved: boolean }>(
  'migration_continue_numbers',
  'select continue_transaction_numbers() as moved',
);

/**
 * Brings the schema up to date, and a database that came in a dump on a level with its new server.
 * Applies the numbered files of `migrations/`, forward only, each in a transaction of its own that
 * holds a lock on the list. Any number of nodes may do this at once: one applies, the others wait and
 * find it done. Throws when an applied file was changed afterwards, or when the database was made with
 * other files. A database that is ahead of this checkout is left as it is, since migrations only add.
 */
export async function migrate(database: Database): Promise<MigrationReport> {
  const migrations = await readMigrations();
  await createTable(database);
  const applied: string[] = [];
  for (const migration of migrations) {
    if (await database.transaction((tx) => applyOne(tx, migration))) applied.push(migration.name);
  }
  return { applied, version: migrations.at(-1)?.version ?? 0, moved: await continueNumbers(database) };
}

/**
 * Makes the numbers of transactions larger than all in the rows, if a dump has moved the database.
 * Must come before the first event is written there. Returns whether it did; the reasons stand in the migration.
 */
export async function continueNumbers(database: Database): Promise<boolean> {
  return await database.transaction(async (tx) => {
    await tx.all(NO_TIMEOUTS, []);
    return (await tx.one(CONTINUE_NUMBERS, []))?.moved === true;
  });
}

/** True when every migration of this checkout is applied (readiness). */
export async function isMigrated(database: Db): Promise<boolean> {
  const [migrations, rows] = await Promise.all([readMigrations(), database.all(APPLIED, [])]);
  const names = new Map(rows.map((row) => [row.version, row.name]));
  return migrations.every((migration) => names.get(migration.version) === migration.name);
}

async function applyOne(tx: Db, migration: Migration): Promise<boolean> {
  // An index on a large table may take long, and so may the wait for the node that builds it: no limit here.
  await tx.all(NO_TIMEOUTS, []);
  await tx.all(LOCK, []);
  const done = (await tx.all(APPLIED, [])).find((row) => row.version === migration.version);
  if (done !== undefined) {
    if (done.name !== migration.name) throw new Error(madeByAnotherLine(done.name, migration.name));
    if (done.checksum !== migration.checksum) {
      throw new Error(`${migration.name} was changed after it was applied; put a change into a new migration instead`);
    }
    return false;
  }
  await tx.all({ name: '', text: migration.text }, []);
  await tx.all(RECORD, [migration.version, migration.name, migration.checksum]);
  return true;
}

function madeByAnotherLine(applied: string, expected: string): string {
  return (
    `this database was made by a version before the first release (it carries ${applied}, this version has ${expected}) ` +
    'and cannot be brought up to date; start with an empty database, or move DATA_DIR away for the embedded one'
  );
}

async function createTable(database: Db): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await database.all(CREATE_TABLE, []);
      return;
    } catch (error) {
      // When two nodes create it at once, `if not exists` does not see the other's uncommitted table, nor the row type
      // that comes with it.
      if (attempt >= 3 || !hasSqlState(error, '23505', '42P07', '42710')) throw error;
    }
  }
}

let cached: Promise<Migration[]> | undefined;

function readMigrations(): Promise<Migration[]> {
  cached ??= loadMigrations();
  return cached;
}

async function loadMigrations(): Promise<Migration[]> {
  const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.sql')).toSorted();
  return Promise.all(
    names.map(async (name, index) => {
      const version = Number(name.slice(0, 4));
      if (version !== index + 1) throw new Error(`migrations/${name} breaks the numbering: ${index + 1} was expected`);
      const text = await readFile(new URL(name, FOLDER), 'utf8');
      return { version, name, text, checksum: createHash('sha256').update(text).digest('hex') };
    }),
  );
}
