import pg from 'pg';
import { type PoolName, watchPool } from '../metrics/pools.ts';
import type { Asker } from '../turns/owner.ts';
import { TurnRefused } from '../turns/refusal.ts';
import { createTurns } from '../turns/turns.ts';
import { asApiError } from './failures.ts';

/** A connection in use. `isBroken` closes it: no later user gets a connection in an unknown state. */
export type Held = { readonly client: pg.PoolClient; readonly release: (isBroken: boolean) => void };

/** Connections that are used in turn by owner. */
export type Connections = {
  /** Throws 503 when none is free in time, or the database cannot be reached. */
  readonly take: (asker: Asker) => Promise<Held>;
  /** Whether an asker would have a connection now, and whether one is open already. */
  readonly room: (asker: Asker) => 'idle' | 'unopened' | 'none';
  readonly close: () => Promise<void>;
};

/**
 * What may wait for a connection: of all, and of one owner.
 * A request waits for one at a time, or for a few.
 */
const WAITING_MAX = 4_000;
const WAITING_MAX_OF_EACH = 1_000;
/** The operators' connections of so many. */
const RESERVE_OF = 10;
/** The share of the others that one owner may hold beside others. The rest is free for who comes next. */
const SHARE_OF_EACH = 0.75;

/**
 * Opens connections that are used in turn by owner, within `max`.
 * A tenth of them is a reserve of the operators. They are opened when they are needed.
 */
export function openConnections(options: {
  readonly name: PoolName;
  readonly config: pg.PoolConfig;
  readonly max: number;
  readonly waitMs: number;
  readonly hasReserve: boolean;
  readonly listen: (pool: pg.Pool) => void;
}): Connections {
  const { name, config, max, waitMs } = options;
  const pool = new pg.Pool({ ...config, max, connectionTimeoutMillis: waitMs });
  options.listen(pool);
  const reserve = options.hasReserve ? Math.floor(max / RESERVE_OF) : 0;
  const capacity = max - reserve;
  const turns = createTurns({
    resource: 'connections',
    capacity,
    capOfEach: Math.max(1, Math.floor(capacity * SHARE_OF_EACH)),
    reserve,
    waitingMax: WAITING_MAX,
    waitingMaxOfEach: WAITING_MAX_OF_EACH,
    waitMs,
  });
  const busy = (): number => pool.totalCount - pool.idleCount;
  const unwatch = watchPool(name, { busy, max, counts: turns.counts });

  return {
    take: async (asker) => {
      const endTurn = turns.takeNow(asker) ?? (await inTime(turns.take(asker)));
      try {
        const client = await pool.connect();
        return {
          client,
          release: (isBroken) => {
            client.release(isBroken);
            endTurn();
          },
        };
      } catch (error) {
        endTurn();
        throw asApiError(error);
      }
    },
    room: (asker) => {
      if (!turns.isFree(asker)) return 'none';
      if (pool.idleCount > 0) return 'idle';
      return pool.totalCount < max ? 'unopened' : 'none';
    },
    close: async () => {
      turns.close();
      await pool.end();
      unwatch();
    },
  };
}

async function inTime<T>(turn: Promise<T>): Promise<T> {
  try {
    return await turn;
  } catch (error) {
    throw error instanceof TurnRefused ? asApiError(error) : error;
  }
}
