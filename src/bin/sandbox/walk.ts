import type { AppContext } from '../../app/context.ts';
import { requestHash } from '../../http/request-hash.ts';
import { messageOf } from '../../lib/error-message.ts';
import { ApiError } from '../../lib/errors.ts';
import { every, type Worker } from '../../lib/every.ts';
import type { Once, Operator } from '../../lib/operator.ts';
import type { OpsOrder } from '../../orders/ops-schema.ts';
import { listOpsOrders } from '../../orders/read-ops-order.ts';
import { holdOrder } from '../../production/hold-order.ts';
import { startLines } from '../../production/start-lines.ts';
import { finishPieces } from '../../production/work-line.ts';
import { shipOrder } from '../../shipments/ship-order.ts';
import { hourMs } from './environment.ts';

/** Hours of a real shop between steps, after the promotion at the end of the cancellation window. */
export const HOURS = { untilStart: 2, untilFinish: 1, untilShipped: 4 };

/** An order whose `external_reference` begins with this is held once. */
export const HOLD_PREFIX = 'hold-';

const WALKING = ['placed', 'released', 'in_production'] as const;
const PAGE_ORDERS = '50';

/**
 * Starts the worker that walks the orders of a sandbox on, by the use cases of operators.
 * It exists in `platen sandbox` alone. When a step is due follows from the order's own history, so a restart forgets
 * nothing.
 */
export function startWalk(ctx: AppContext, operator: Operator, speed: number): Worker {
  const hour = hourMs(speed);
  return every({
    log: ctx.log,
    pollMs: Math.min(1_000, Math.max(100, hour / 4)),
    failed: 'the orders of the sandbox could not be walked on',
    run: async ({ stopping }) => {
      for (const state of WALKING) {
        let cursor: string | undefined;
        do {
          const query = { state, sort: 'oldest' as const, limit: PAGE_ORDERS, ...(cursor && { cursor }) };
          const page = await listOpsOrders(ctx, query);
          for (const order of page.data) {
            if (stopping.aborted) return;
            await walkSafely(ctx, operator, order, hour);
          }
          cursor = page.next_cursor ?? undefined;
        } while (cursor !== undefined);
      }
    },
  });
}

/** An order that cannot go on, such as one that someone changed meanwhile, stops none of the others. */
async function walkSafely(ctx: AppContext, operator: Operator, order: OpsOrder, hour: number): Promise<void> {
  try {
    await walk(ctx, operator, order, hour);
  } catch (error) {
    if (error instanceof ApiError)
      ctx.log.debug({ order: order.id, error: error.message }, 'an order stays where it is');
    else ctx.log.warn({ order: order.id, error: messageOf(error) }, 'an order of the sandbox could not be walked on');
  }
}

async function walk(ctx: AppContext, operator: Operator, order: OpsOrder, hour: number): Promise<void> {
  const { id, history, lines } = order;
  const once = newOnce();
  if (order.state !== 'in_production' && order.external_reference.startsWith(HOLD_PREFIX)) {
    if (!history.some(({ action }) => action === 'hold')) {
      await holdOrder(ctx, operator, {
        id,
        once,
        code: 'sandbox',
        reason: `The reference begins with ${HOLD_PREFIX}.`,
      });
      return;
    }
  }
  const now = ctx.clock.now().getTime();
  const isDue = (at: string | undefined, hours: number): boolean =>
    at !== undefined && now >= new Date(at).getTime() + hours * hour;
  const open = lines.filter((line) => line.quantity > line.quantity_cancelled + line.quantity_shipped);
  // A person paused it: it waits for a person.
  if (order.state === 'placed' || open.length === 0 || open.some(({ hold }) => hold !== null)) return;

  const ready = open.filter((line) => line.started_at === null && line.artwork_ready);
  const promotedAt = history.findLast(({ action }) => action === 'promote' || action === 'resume')?.at;
  if (ready.length > 0 && isDue(promotedAt, HOURS.untilStart)) {
    await startLines(ctx, operator, { id, once, line_ids: ready.map((line) => line.id) });
    return;
  }
  for (const line of open) {
    if (!isDue(line.started_at ?? undefined, HOURS.untilFinish)) continue;
    for (const { area, method, quantity_done: done } of line.print_jobs) {
      const quantity = line.quantity - line.quantity_cancelled - done;
      if (quantity > 0) {
        await finishPieces(ctx, operator, { id, line: line.id, once: newOnce(), area, method, quantity });
      }
    }
  }
  const isFinished = open.every((line) => line.quantity_finished >= line.quantity - line.quantity_cancelled);
  const lastAt = history.findLast(({ action }) => action === 'finish' || action === 'start_line')?.at;
  if (order.state !== 'in_production' || !isFinished || !isDue(lastAt, HOURS.untilShipped)) return;
  const items = open.map((line) => ({
    line_id: line.id,
    quantity: line.quantity - line.quantity_cancelled - line.quantity_shipped,
  }));
  const body = { carrier: 'Sandbox Post', tracking_number: `SBX-${order.reference}`, items };
  await shipOrder(ctx, operator, { id, body, once });
}

/** Each step is new: what the order's history shows as done is not asked for again. */
function newOnce(): Once {
  return { key: undefined, requestHash: requestHash('POST', 'sandbox', undefined) };
}
