import { createCounter, createReadGauge } from './instruments.ts';

// The resources of this process that owners use in turn. Tests open several of a kind; they are added up.

const RESOURCES = ['name_lookup', 'remote_host', 'staging_bytes'] as const;

export type ResourceName = (typeof RESOURCES)[number];
type Counts = { readonly running: number; readonly waiting: number };

const watched = new Set<{ readonly resource: ResourceName; readonly counts: () => Counts }>();

function sumBy(of: (counts: Counts) => number): (readonly [{ resource: ResourceName }, number])[] {
  return RESOURCES.map((resource) => {
    const own = [...watched].filter((one) => one.resource === resource);
    return [{ resource }, own.reduce((sum, one) => sum + of(one.counts()), 0)] as const;
  });
}

createReadGauge({
  name: 'platen_turns_running',
  help: 'What this process uses of a resource that accounts use in turn: calls, or bytes of staging_bytes.',
  labels: ['resource'],
  read: () => sumBy((counts) => counts.running),
});
createReadGauge({
  name: 'platen_turns_waiting',
  help: 'Calls of this process that wait for their turn.',
  labels: ['resource'],
  read: () => sumBy((counts) => counts.waiting),
});

const countRefused = createCounter({
  name: 'platen_turns_refused_total',
  help: 'Calls that got no turn, since too many waited or they waited too long. Those whose caller had gone do not count.',
  labels: ['resource'],
  series: RESOURCES.map((resource) => ({ resource })),
});

/** Shows a resource in the metrics; returns what takes it out again. */
export function watchTurns(resource: ResourceName, counts: () => Counts): () => void {
  const one = { resource, counts };
  watched.add(one);
  return () => void watched.delete(one);
}

/** Counts a call that got no turn. */
export function countRefusedTurn(resource: ResourceName): void {
  countRefused({ resource });
}
