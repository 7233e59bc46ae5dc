import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { every, type Worker } from '../../lib/every.ts';
import { createCounter } from '../../lib/metrics/instruments.ts';
import { insertRequests, type LoggedRequest } from './request-log-sql.ts';

/** Half a minute of the requests that a node serves at its fastest. */
const WAITING_MAX = 20_000;
const WRITTEN_AT_ONCE_MAX = 1_000;
const FLUSH_MS = 1_000;

const countDropped = createCounter({
  name: 'platen_request_log_dropped_total',
  help: 'Requests of customers that are not in their request log, because the database did not take them in time.',
  labels: [],
  series: [{}],
});

/** The requests that this process has served and not written yet. */
export type RequestLog = {
  /** Notes a request. Costs nothing but memory, of which it has a bound. */
  readonly note: (request: LoggedRequest) => void;
  /** Writes what was noted. What the database refuses is dropped, and counted. */
  readonly flush: (db: Db) => Promise<void>;
};

/** Makes the request log of a process. */
export function createRequestLog(waitingMax = WAITING_MAX): RequestLog {
  let waiting: LoggedRequest[] = [];
  return {
    note: (request) => {
      if (waiting.length < waitingMax) waiting.push(request);
      else countDropped({});
    },
    flush: async (db) => {
      const noted = waiting;
      waiting = [];
      for (let at = 0; at < noted.length; at += WRITTEN_AT_ONCE_MAX) {
        try {
          await insertRequests(db, noted.slice(at, at + WRITTEN_AT_ONCE_MAX));
        } catch (error) {
          countDropped({}, noted.length - at);
          throw error;
        }
      }
    },
  };
}

/** Writes the requests that this process has served, every second, and once more when it stops. */
export function startRequestLog(ctx: Pick<Context, 'database' | 'log'> & { readonly requestLog: RequestLog }): Worker {
  const worker = every({
    log: ctx.log,
    pollMs: FLUSH_MS,
    run: async () => {
      await ctx.requestLog.flush(ctx.database);
      return undefined;
    },
    failed: 'the request log could not be written',
  });
  return {
    wake: worker.wake,
    stop: async (graceMs) => {
      await worker.stop(graceMs);
      // Where the database is away the last second is lost, as it is when a process is killed.
      await ctx.requestLog.flush(ctx.database).catch(() => undefined);
    },
  };
}
