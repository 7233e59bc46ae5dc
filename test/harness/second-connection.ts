import pg from 'pg';
import { eventually } from './context.ts';
import type { TestDatabase } from './database.ts';

/**
 * A test's own connection beside those of the service: it holds locks to bring about one exact order of events, and
 * sees who waits for them.
 */
export type SecondConnection = {
  /** Runs text, of several statements if need be; the rows of the last. */
  readonly query: (text: string, values?: readonly unknown[]) => Promise<Record<string, unknown>[]>;
  /** Returns once so many connections of this database wait for a lock. */
  readonly untilWaiting: (count: number) => Promise<void>;
  readonly close: () => Promise<void>;
};

export async function openSecondConnection(database: Pick<TestDatabase, 'address'>): Promise<SecondConnection> {
  const client = new pg.Client({ ...database.address, application_name: 'a test' });
  const observer = new pg.Client({ ...database.address, application_name: 'a test that looks' });
  await Promise.all([client.connect(), observer.connect()]);
  const waiting = async (): Promise<number> => {
    const { rows } = await observer.query<{ count: string }>(
      `select count(*) from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return Number(rows[0]?.count);
  };
  return {
    query: async (text, values) => {
      const result: unknown = await client.query(text, values === undefined ? undefined : [...values]);
      const last: unknown = Array.isArray(result) ? result.at(-1) : result;
      return (last as pg.QueryResult<Record<string, unknown>>).rows;
    },
    untilWaiting: async (count) => {
      await eventually(`${count} connections wait for a lock`, async () => (await waiting()) >= count);
    },
    close: async () => {
      await Promise.all([client.end(), observer.end()]);
    },
  };
}
