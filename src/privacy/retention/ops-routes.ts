import type { Context } from '../../lib/context.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { dryRun } from './dry-run.ts';
import { RetentionDryRun, retentionView } from './ops-schema.ts';

/** Statements of a walk that a request may take: 4 looks of 500 rows at most, 10 to 50 ms each. */
const LOOKS_MAX = 4;

export const retentionOpsRoutes: readonly OpsRoute<Pick<Context, 'config' | 'database' | 'clock'>>[] = [
  route({
    method: 'GET',
    path: '/retention',
    access: { roles: OPERATOR_ROLES },
    operationId: 'previewRetention',
    summary: 'See what would be deleted because its time is over',
    description: [
      'By kind, as the worker would find it now; the settings `KEEP_…_DAYS` say the times. Counts end at a bound,',
      'so that the answer costs the same however much is due.',
    ].join(' '),
    replies: { 200: RetentionDryRun },
    csv: 'data',
    handle: async (ctx) => ({ status: 200, body: { data: (await dryRun(ctx, LOOKS_MAX)).map(retentionView) } }),
  }),
];
