import { actOnce } from '../accounts/act-once.ts';
import type { Context } from '../lib/context.ts';
import type { Once, Operator } from '../lib/operator.ts';
import { flushNow } from './publish.ts';

export type FlushContext = Pick<Context, 'database' | 'clock'> & {
  readonly wakeDeliveries: () => void;
};

/** Releases every first attempt that waits for the next flush (operating, "Operations API"). */
export async function flushDeliveries(ctx: FlushContext, operator: Operator, once: Once): Promise<void> {
  const act = { action: 'flush_webhooks', orderId: null, subjectId: null, detail: {}, once };
  await actOnce(ctx, operator, act, (tx, now) => flushNow(tx, now));
  ctx.wakeDeliveries();
}
