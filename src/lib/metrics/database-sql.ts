import { type Db, statement } from '../db.ts';

// `backend_xid` is set once a transaction has written. A prepared transaction has no session and is a writer too.
const OLDEST_WRITE = statement<{ began_at: Date | null }>(
  'metrics_oldest_write',
  `select least(
     (select min(xact_start) from pg_stat_activity where backend_xid is not null),
     (select min(prepared) from pg_prepared_xacts)
   ) as began_at`,
);

/**
 * When the oldest transaction that has written and not ended began; undefined when there is none.
 * Of all databases of the server, since any of them keeps events back and dead rows alive. A role without
 * `pg_read_all_stats` sees only its own sessions.
 */
export async function readOldestWrite(db: Db): Promise<Date | undefined> {
  return (await db.one(OLDEST_WRITE, []))?.began_at ?? undefined;
}

export type TableRows = { name: string; live: number; dead: number };

const TABLE_ROWS = statement<TableRows>(
  'metrics_table_rows',
  `select relname::text as name, n_live_tup as live, n_dead_tup as dead from pg_stat_user_tables
   where schemaname = current_schema() and relname = any($1::text[])`,
);

/** The live and the dead rows of some tables, as the server estimates them. */
export async function readTableRows(db: Db, tables: readonly string[]): Promise<TableRows[]> {
  return db.all(TABLE_ROWS, [tables]);
}
