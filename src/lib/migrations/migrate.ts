import { type Database, type Db, hasSqlState, statement } from '../db.ts';
import { unavailable } from '../errors.ts';
import { type Log, silentLog } from '../log.ts';
import { applyMigration } from './apply.ts';
import { MIGRATIONS, type Migration, readMigrations } from './files.ts';
import { ENDED, type MigrationRun, pauseUnless, takeLock, withShortLocks } from './run.ts';
import { type AppliedRow, CREATE_TABLES, listApplied } from './sql.ts';
import { watchSession } from './watch.ts';

export type MigrationReport = {
  readonly applied: readonly string[];
  readonly version: number;
  /** Whether a dump has brought the database from another server since it was last opened. */
  readonly moved: boolean;
};

export type MigrateOptions = {
  /** Gets a line every few seconds while a migration is under way. */
  readonly say?: (line: string) => void;
  readonly log?: Log;
  /** Ends it early; it goes on from there when it is called again. */
  readonly signal?: AbortSignal;
  readonly folder?: URL;
};

/**
 * Brings the schema up to date, and a database that came in a dump on a level with its new server.
 * Applies the numbered files of `migrations/`, forward only, on a session of its own that has no limit but theirs. Any
 * number of nodes may do this at once: one applies, the others wait and find it done, and no request waits for it. A
 * process that is killed in the middle leaves what the next one goes on from. Throws when an applied file was changed
 * afterwards, when the database was made with other files, and 503 when the database is lost or the signal ends it. A
 * database that is ahead of this checkout is left as it is, since migrations only add.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrationReport> {
  const migrations = await readMigrations(options.folder ?? MIGRATIONS);
  await createTables(database);
  const applied = await applyMissing(database, migrations, options);
  return { applied, version: migrations.at(-1)?.version ?? 0, moved: await continueNumbers(database) };
}

/** True when every migration of this checkout is applied (readiness). Waits for none that is under way. */
export async function isMigrated(database: Db): Promise<boolean> {
  const [migrations, rows] = await Promise.all([readMigrations(MIGRATIONS), listApplied(database)]);
  const names = new Map(rows.map((row) => [row.version, row.name]));
  return migrations.every((migration) => names.get(migration.version) === migration.name);
}

const IS_MOVED = statement<{ moved: boolean }>('migration_is_moved', 'select is_on_another_server() as moved');

/**
 * Makes the numbers of transactions larger than all in the rows, if a dump has moved the database.
 * Must come before the first event is written there. Returns whether it did; the reasons stand in the migration. Waits
 * for transactions that write, however long they take.
 */
export async function continueNumbers(database: Database): Promise<boolean> {
  if ((await database.one(IS_MOVED, []))?.moved !== true) return false;
  const session = await database.session('platen migrate, the numbers');
  const never = new AbortController().signal;
  try {
    return await withShortLocks({ session, pause: (ms) => pauseUnless(never, ms) }, ['orders', 'event'], async () => {
      const [row] = await session.query<{ moved: boolean }>('select continue_transaction_numbers() as moved');
      return row?.moved === true;
    });
  } finally {
    await session.close();
  }
}

async function applyMissing(
  database: Database,
  migrations: readonly Migration[],
  { say = () => {}, log = silentLog, signal = new AbortController().signal }: MigrateOptions,
): Promise<string[]> {
  const listMissing = async (): Promise<Migration[]> => missingOf(migrations, await listApplied(database));
  if ((await listMissing()).length === 0) return [];
  const isDone = async (): Promise<boolean> => (await listMissing()).length === 0;
  const lock = await takeLock(database, { isDone, say, signal });
  if (lock === undefined) return [];
  try {
    return await withSession(
      database,
      { say, log, mustEnd: () => signal.aborted || !lock.isHeld(), signal },
      async (run) => {
        const applied: string[] = [];
        for (const migration of await listMissing()) {
          await applyMigration(run, migration);
          applied.push(migration.name);
        }
        return applied;
      },
    );
  } finally {
    await lock.release();
  }
}

async function withSession<T>(
  database: Database,
  options: { say: (line: string) => void; log: Log; mustEnd: () => boolean; signal: AbortSignal },
  work: (run: MigrationRun) => Promise<T>,
): Promise<T> {
  const { mustEnd, signal } = options;
  const session = await database.session('platen migrate');
  const watch = watchSession({ ...options, database, pid: session.pid });
  const check = (): void => {
    if (mustEnd()) throw unavailable(ENDED);
  };
  const pause = async (ms: number): Promise<void> => {
    await pauseUnless(signal, ms);
    check();
  };
  try {
    return await work({ session, watch, check, pause });
  } finally {
    await watch.stop();
    await session.close();
  }
}

function missingOf(migrations: readonly Migration[], rows: readonly AppliedRow[]): Migration[] {
  return migrations.filter(({ version, name, checksum }) => {
    const done = rows.find((row) => row.version === version);
    if (done === undefined) return true;
    if (done.name !== name) throw new Error(madeByAnotherLine(done.name, name));
    if (done.checksum !== checksum) {
      throw new Error(`${name} was changed after it was applied; put a change into a new migration instead`);
    }
    return false;
  });
}

function madeByAnotherLine(applied: string, expected: string): string {
  return (
    `this database was made by a version before the first release (it carries ${applied}, this version has ${expected}) ` +
    'and cannot be brought up to date; start with an empty database, or move DATA_DIR away for the embedded one'
  );
}

async function createTables(database: Database): Promise<void> {
  for (const create of CREATE_TABLES) await createTable(() => database.all(create, []));
}

async function createTable(create: () => Promise<unknown>): Promise<void> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      await create();
      return;
    } catch (error) {
      // When two nodes create it at once, `if not exists` does not see the other's uncommitted table, nor the row type
      // that comes with it.
      if (attempt >= 3 || !hasSqlState(error, '23505', '42P07', '42710')) throw error;
    }
  }
}
