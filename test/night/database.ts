import { findRunningPostgres } from '@platen/embedded-postgres';
import pg from 'pg';

/** Asks the embedded database of a data directory, over a connection of its own. */
export async function queryNow<Row>(dataDir: string, text: string): Promise<Row[]> {
  const address = await findRunningPostgres(dataDir);
  if (address === undefined) throw new Error(`no database runs on ${dataDir}`);
  const client = new pg.Client({ ...address, connectionTimeoutMillis: 10_000, query_timeout: 60_000 });
  client.on('error', () => {});
  await client.connect();
  try {
    return (await client.query(text)).rows as Row[];
  } finally {
    await client.end();
  }
}
