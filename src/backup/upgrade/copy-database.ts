import pg from 'pg';
import type { DatabaseAddress } from '../../lib/db.ts';
import type { Progress } from '../progress.ts';
import { copyTable } from './copy-table.ts';
import { DATABASE_SIZE, digestOfRows, LOAD, SEQUENCES, SET_SEQUENCE, SNAPSHOT, TABLES_TO_COPY } from './upgrade-sql.ts';

/** Each row as text in the same form on both servers. */
const FORM = Object.entries({
  timezone: 'UTC',
  datestyle: 'ISO,YMD',
  intervalstyle: 'postgres',
  bytea_output: 'hex',
  extra_float_digits: '1',
})
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

type Table = { readonly name: string; readonly columns: string; readonly bytes: number };

export type CopiedDatabase = { readonly tables: number; readonly rows: number; readonly bytes: number };

/**
 * Copies all rows from one server to another that has the same schema, and proves it.
 * Each table's number of rows and digest must agree before the one transaction of the copy is committed. Throws a
 * one-line Error otherwise. Nothing is written on the first server.
 */
export async function copyDatabase(
  addresses: { readonly from: DatabaseAddress; readonly to: DatabaseAddress },
  progress: Progress,
): Promise<CopiedDatabase> {
  const [from, to] = [await connect(addresses.from), await connect(addresses.to)];
  try {
    await from.query(SNAPSHOT);
    const tables = await readTables(from);
    const there = await readTables(to);
    if (formOf(tables) !== formOf(there)) {
      throw new Error('the two databases do not have the same tables: run it with the version of Platen that ran last');
    }
    const ofBytes = tables.reduce((sum, { bytes }) => sum + bytes, 0);
    let copied = 0;
    await to.query(LOAD);
    await to.query(`truncate ${tables.map(({ name }) => name).join(', ')}`);
    progress.begin('Copying the rows');
    for (const table of tables) {
      await copyTable(from, to, table, (bytes) => {
        copied += bytes;
        progress.add(bytes, ofBytes);
      });
    }
    const sequences = (await from.query<{ name: string; last: string | null }>(SEQUENCES)).rows;
    for (const { name, last } of sequences) {
      if (last !== null) await to.query(SET_SEQUENCE, [name, last]);
    }
    progress.begin('Comparing the rows');
    let rows = 0;
    for (const table of tables) rows += await compare(from, to, table);
    await to.query('commit');
    progress.begin('Gathering statistics');
    await to.query('analyze');
    return { tables: tables.length, rows, bytes: copied };
  } finally {
    await Promise.all([from.end(), to.end()]);
  }
}

/** How large a database is. */
export async function sizeOfDatabase(address: DatabaseAddress): Promise<number> {
  const client = await connect(address);
  try {
    return (await client.query<{ bytes: number }>(DATABASE_SIZE)).rows[0]?.bytes ?? 0;
  } finally {
    await client.end();
  }
}

async function connect(address: DatabaseAddress): Promise<pg.Client> {
  const client = new pg.Client({
    ...address,
    application_name: 'platen upgrade-database',
    statement_timeout: 0,
    options: FORM,
  });
  // The next statement fails, and says so.
  client.on('error', () => {});
  await client.connect();
  return client;
}

async function readTables(client: pg.Client): Promise<Table[]> {
  return (await client.query<Table>(TABLES_TO_COPY)).rows;
}

const formOf = (tables: readonly Table[]): string => JSON.stringify(tables.map(({ name, columns }) => [name, columns]));

async function compare(from: pg.Client, to: pg.Client, { name, columns }: Table): Promise<number> {
  const text = digestOfRows(name, columns);
  const read = async (client: pg.Client) => (await client.query<{ rows: string; digest: string }>(text)).rows[0];
  const [before, after] = await Promise.all([read(from), read(to)]);
  if (before === undefined || before.rows !== after?.rows || before.digest !== after.digest) {
    throw new Error(
      `the copy of ${name} is not equal (${before?.rows} rows, ${after?.rows} in the copy): nothing was exchanged`,
    );
  }
  return Number(before.rows);
}
