import pg from 'pg';
import { asApiError, isAway } from './failures.ts';
import { parseTimestamp } from './timestamp.ts';

/** The address of the database, or its parts (a socket directory is the `host`). */
export type DatabaseAddress =
  | { readonly connectionString: string }
  | {
      readonly host: string;
      readonly port: number;
      readonly user: string;
      readonly password: string;
      readonly database: string;
    };

export type SqlValue = string | number | boolean | Date | Buffer | null | readonly SqlValue[];

/** A connection of its own, outside the pools: no limit on a statement, a lock or a transaction. */
export type Session = {
  /** The server's process. */
  readonly pid: number;
  /**
   * Sends one statement, or without values a script of several, and returns the rows of the last.
   * Throws the server's own error, and 503 when the connection is lost or the server is not there.
   */
  readonly query: <Row = object>(text: string, values?: readonly SqlValue[]) => Promise<Row[]>;
  readonly isLost: () => boolean;
  readonly close: () => Promise<void>;
};

const types = new pg.TypeOverrides();
types.setTypeParser(pg.types.builtins.INT8, parseInt8);
types.setTypeParser(pg.types.builtins.TIMESTAMPTZ, parseTimestamp);

/** How each connection is set up; 0 is no limit. */
export function connectionSettings(limits: {
  readonly applicationName: string;
  readonly statementMs: number;
  readonly lockMs: number;
  readonly idleInTransactionMs: number;
  readonly more: readonly string[];
}) {
  return {
    types,
    application_name: limits.applicationName,
    options: [
      'timezone=UTC',
      `statement_timeout=${limits.statementMs}`,
      `lock_timeout=${limits.lockMs}`,
      `idle_in_transaction_session_timeout=${limits.idleInTransactionMs}`,
      'default_transaction_isolation=read\\ committed',
      'jit=off',
      ...limits.more,
    ]
      .map((option) => `-c ${option}`)
      .join(' '),
  };
}

const CONNECT_TIMEOUT_MS = 10_000;

/** Opens a session for work that may take hours. Throws 503 when the server cannot be reached. */
export async function openSession(address: DatabaseAddress, applicationName: string): Promise<Session> {
  const client = new pg.Client({
    ...address,
    ...connectionSettings({ applicationName, statementMs: 0, lockMs: 0, idleInTransactionMs: 0, more: LONG_WORK }),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  let isLost = false;
  const lose = (): void => {
    isLost = true;
  };
  client.on('error', lose);
  client.on('end', lose);
  const query = async <Row>(text: string, values?: readonly SqlValue[]): Promise<Row[]> => {
    try {
      const result: unknown = await (values === undefined ? client.query(text) : client.query(text, [...values]));
      // A script has a result for each of its statements.
      const last = (Array.isArray(result) ? result.at(-1) : result) as pg.QueryResult | undefined;
      return (last?.rows ?? []) as Row[];
    } catch (error) {
      throw isAway(error) ? asApiError(error) : error;
    }
  };
  try {
    await client.connect();
    const [row] = await query<{ pid: number }>('select pg_backend_pid() as pid');
    return { pid: row?.pid ?? 0, query, isLost: () => isLost, close: () => client.end() };
  } catch (error) {
    await client.end().catch(lose);
    throw asApiError(error);
  }
}

const LONG_WORK = [
  // A plan that does not know the limit of a batch reads the whole table for each.
  'plan_cache_mode=force_custom_plan',
  // A statement ends soon after the process that sent it was killed, so that the next one can do its work.
  'client_connection_check_interval=1000',
  // And so does the session of a machine that has vanished.
  'tcp_keepalives_idle=10',
  'tcp_keepalives_interval=5',
  'tcp_keepalives_count=3',
  'idle_session_timeout=0',
  // The other processors are for the service.
  'max_parallel_maintenance_workers=0',
  'max_parallel_workers_per_gather=0',
];

function parseInt8(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new Error('a bigint from the database is beyond 2^53');
  return value;
}
