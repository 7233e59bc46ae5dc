import { collectDefaultMetrics, Histogram, Registry, register } from 'prom-client';

export type RequestMetrics = {
  readonly observe: (method: string, route: string, status: number, ms: number) => void;
  /** The exposition text of this server and of the process. */
  readonly text: () => Promise<string>;
  readonly contentType: string;
};

const BUCKETS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

let isProcessObserved = false;

/**
 * Counts and times requests by method, route pattern and status.
 * No label ever holds an id, so the number of series is bounded by the routes. Metrics in the
 * library's default registry are shown too, among them those of the process and its event loop, which
 * are collected once a process.
 */
export function createMetrics(): RequestMetrics {
  if (!isProcessObserved) {
    collectDefaultMetrics({ register });
    isProcessObserved = true;
  }
  const own = new Registry();
  const durations = new Histogram({
    name: 'platen_http_request_duration_seconds',
    help: 'Requests by method, route pattern and status: their number and the time they took.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS_SECONDS,
    registers: [own],
  });
  return {
    observe: (method, route, status, ms) => durations.observe({ method, route, status }, ms / 1000),
    // Merged at each reading, because metrics may be registered later.
    text: () => Registry.merge([register, own]).metrics(),
    contentType: own.contentType,
  };
}
