import { createReadGauge } from './instruments.ts';

// The pools of this process. Tests open several databases in one process; their pools of a kind are added up.

export type PoolName = 'main' | 'priority';
type WatchedPool = {
  readonly max: number;
  readonly busy: () => number;
  readonly counts: () => { readonly waiting: number };
};

const watched = new Set<{ readonly name: PoolName; readonly pool: WatchedPool }>();

function sumBy(of: (pool: WatchedPool) => number): (readonly [{ pool: PoolName }, number])[] {
  return (['main', 'priority'] as const).map((name) => {
    const pools = [...watched].filter((one) => one.name === name);
    return [{ pool: name }, pools.reduce((sum, one) => sum + of(one.pool), 0)] as const;
  });
}

createReadGauge({
  name: 'platen_database_connections_busy',
  help: 'Connections of this process that a statement or a transaction holds, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.busy()),
});
createReadGauge({
  name: 'platen_database_connections_max',
  help: 'Connections that this process may open, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.max),
});
createReadGauge({
  name: 'platen_database_connections_waiting',
  help: 'Requests and jobs of this process that wait for a connection, by pool.',
  labels: ['pool'],
  read: () => sumBy((pool) => pool.counts().waiting),
});

/** Shows a pool in the metrics; returns what takes it out again. */
export function watchPool(name: PoolName, pool: WatchedPool): () => void {
  const one = { name, pool };
  watched.add(one);
  return () => void watched.delete(one);
}
