import assert from 'node:assert/strict';
import { openTask } from '../../../src/accounts/open-task.ts';
import { publicId } from '../../../src/lib/ids.ts';
import type { Log } from '../../../src/lib/log.ts';
import { OPERATOR_ROLES, type OperatorRole } from '../../../src/lib/operator.ts';
import { type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';

/** Every line of the log. */
export const logged: string[] = [];

const keep = (fields: object, message: string): void => {
  logged.push(JSON.stringify({ ...fields, message }));
};

/** A log that is kept. */
export const log: Log = { debug: keep, info: keep, warn: keep, error: keep };

/** The service, once it is open. */
export let service: TestService;

/** An operator of each role. */
export const operators = new Map<OperatorRole, OperatorClient>();

/** The operator of a role. */
export function operator(role: OperatorRole = 'admin'): OperatorClient {
  const client = operators.get(role);
  assert.ok(client !== undefined);
  return client;
}

/** Opens a task. */
export async function taskOpened(): Promise<string> {
  const task = { accountId: service.customer.accountId, orderId: null, kind: 'look', note: 'Look at it.' };
  return publicId('task', await openTask(service.ctx.database, task, service.ctx.clock.now()));
}

/** Opens what these journeys share; for `before`. */
export async function openOperations(): Promise<void> {
  service = await startTestService({ log, env: { WEBHOOK_FLUSH_SECONDS: '300' } });
  for (const role of OPERATOR_ROLES) operators.set(role, await service.openOperator(role));
}

/** Closes it again; for `after`. */
export async function closeOperations(): Promise<void> {
  await service.stop();
}
