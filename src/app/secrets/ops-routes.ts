import type { Context } from '../../lib/context.ts';
import { OPERATOR_ROLES } from '../../lib/operator.ts';
import { type OpsRoute, route } from '../../lib/route.ts';
import { SecretsStatus } from './schema.ts';
import { readSecretsStatus } from './status.ts';

/** Where an exchange of SECRET_KEY stands. */
export const secretsOpsRoutes: readonly OpsRoute<Context>[] = [
  route({
    method: 'GET',
    path: '/secrets',
    access: { roles: OPERATOR_ROLES },
    operationId: 'getSecretsStatus',
    summary: 'Read where an exchange of SECRET_KEY stands',
    description:
      'Which keys are set on the node that answers, what each still seals, and when an earlier one can be removed. Keys are named by an id that tells nothing of them.',
    replies: { 200: SecretsStatus },
    handle: async (ctx) => ({ status: 200, body: await readSecretsStatus(ctx) }),
  }),
];
