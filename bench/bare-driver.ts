import pg from 'pg';
import { connectionSettings } from '../src/lib/database/session.ts';
import type { DatabaseAddress, Db } from '../src/lib/db.ts';

/** Connections of the bare driver, which stay open, so that no round opens any. No limit on any statement. */
export function openBarePool(address: DatabaseAddress, max: number): pg.Pool {
  const settings = connectionSettings({
    applicationName: 'platen-bench',
    statementMs: 0,
    lockMs: 0,
    idleInTransactionMs: 0,
    more: ['plan_cache_mode=force_generic_plan'],
  });
  return new pg.Pool({ ...address, ...settings, max, idleTimeoutMillis: 0 });
}

/**
 * Statements of the service, sent by the bare driver alone: each is prepared by its name, and its rows are returned.
 * There are no turns, no time-outs, no retries and no metrics.
 */
export function bareDb(pool: pg.Pool): Db {
  const all: Db['all'] = async ({ name, text }, values) => {
    const { rows } = await pool.query<never>({ name, text, values: [...values] });
    return rows;
  };
  return {
    all,
    one: async (statement, values) => (await all(statement, values))[0],
    // Counters of the service.
    afterCommit: () => {},
  };
}
