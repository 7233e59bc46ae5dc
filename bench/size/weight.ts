import type pg from 'pg';

/** What a table takes on the disk, its long values with it. */
export type TableBytes = {
  readonly name: string;
  readonly rows: number;
  readonly heap: number;
  readonly indexes: number;
};

/** Weighs every table of a database, the heaviest first. */
export async function bytesOf(client: pg.Client): Promise<TableBytes[]> {
  const { rows } = await client.query<TableBytes>(
    `select relname as name, greatest(reltuples, 0)::float8 as rows, pg_table_size(oid)::float8 as heap, pg_indexes_size(oid)::float8 as indexes
     from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
     order by pg_total_relation_size(oid) desc`,
  );
  return rows;
}
