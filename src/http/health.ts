import type { FastifyInstance } from 'fastify';
import { unavailable } from '../lib/errors.ts';
import { errorBody } from './error-reply.ts';
import type { RequestMetrics } from './metrics.ts';
import { sendJson } from './request-state.ts';

export type Readiness = { readonly ready: boolean; readonly reason?: string };

/** The paths of probes. They are never limited, because a busy service must still be seen to be alive. */
export const PROBE_PATHS: ReadonlySet<string> = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Mounts `/healthz`, `/readyz` and `/metrics` (operating contract, "Addresses").
 * `/healthz` is 200 while the process answers at all. `/readyz` is 503 with the reason while the
 * database is away, migrations are missing or the service drains.
 */
export function mountProbes(
  app: FastifyInstance,
  options: { ready: () => Promise<Readiness>; metrics: RequestMetrics },
): void {
  app.get('/healthz', async (_request, reply) => {
    sendJson(reply, { status: 200, text: JSON.stringify({ status: 'alive' }) });
  });
  app.get('/readyz', async (request, reply) => {
    const { ready, reason } = await options.ready();
    if (ready) {
      sendJson(reply, { status: 200, text: JSON.stringify({ status: 'ready' }) });
      return;
    }
    const error = unavailable(reason ?? 'The service is not ready.');
    sendJson(reply, { status: 503, headers: error.headers, text: errorBody(error, request.id) });
  });
  app.get('/metrics', async (_request, reply) => {
    const text = await options.metrics.text();
    return await reply.header('content-type', options.metrics.contentType).send(text);
  });
}
