import type pg from 'pg';
import { createReadGauge } from './instruments.ts';

// The pools of this process. Tests open several databases in one process; their pools of a kind are added up.

export type PoolName = 'main' | 'priority';
type WatchedPool = { readonly name: PoolName; readonly pool: pg.Pool };

const watched = new Set<WatchedPool>();

function sumBy(of: (pool: pg.Pool) => number): (readonly [{ pool: PoolName }, number])[] {
  return (['main', 'priority'] as const).map((name) => {
    const pools = [...watched].filter((one) => one.name === name);
    return [{ pool: name }, pools.reduce((sum, one) => sum + of(one.pool), 0)] as const;
  });
}

createReadGauge({
  name: 'platen_database_connections_busy',
  help: 'Connections of this process that a statement or a transaction holds, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.totalCount - pool.idleCount),
});
createReadGauge({
  name: 'platen_database_connections_max',
  help: 'Connections that this process may open, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.options.max),
});
createReadGauge({
  name: 'platen_database_connections_waiting',
  help: 'Requests and jobs of this process that wait for a connection, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.waitingCount),
});

/** Shows a pool in the metrics; returns what takes it out again. */
export function watchPool(name: PoolName, pool: pg.Pool): () => void {
  const one = { name, pool };
  watched.add(one);
  return () => void watched.delete(one);
}
