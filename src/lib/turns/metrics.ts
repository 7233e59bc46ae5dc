import { createCounter, createReadGauge } from '../metrics/instruments.ts';

/** What is used in turn, as the metrics name it. */
export const RESOURCES = [
  'requests',
  'connections',
  'images',
  'proofs',
  'documents',
  'pieces',
  'lookups',
  'hosts',
  'staging',
  'shop requests',
] as const;
export type Resource = (typeof RESOURCES)[number];

const watched = new Set<{ readonly resource: Resource; readonly waiting: () => number }>();

createReadGauge({
  name: 'platen_turns_waiting',
  help: 'Tasks of this process that wait for their turn at a shared resource.',
  labels: ['resource'],
  read: () =>
    RESOURCES.map((resource) => {
      const own = [...watched].filter((one) => one.resource === resource);
      return [{ resource }, own.reduce((sum, { waiting }) => sum + waiting(), 0)] as const;
    }),
});

/** Counts a task that got no turn, but for those whose caller had gone. */
export const countRefused = createCounter({
  name: 'platen_turns_refused_total',
  help: 'Tasks that were refused, because too many waited or they waited for too long, by shared resource.',
  labels: ['resource'],
  series: RESOURCES.map((resource) => ({ resource })),
});

/** Shows how many wait for a resource; returns what ends that. */
export function watchWaiting(resource: Resource, waiting: () => number): () => void {
  const one = { resource, waiting };
  watched.add(one);
  return () => void watched.delete(one);
}
