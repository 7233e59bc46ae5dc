import type { Context } from '../lib/context.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOfLine, readOpsOrder } from '../orders/read-ops-order.ts';
import type { ScannedLine } from './schema.ts';

type ReadContext = Pick<Context, 'asker' | 'database' | 'clock' | 'config' | 'secrets'>;
type Line = OpsOrder['lines'][number];
type NextAction = ScannedLine['next_actions'][number];

/**
 * Returns a line of any account's order by its id alone, and what can be done with it next.
 * The id is in the barcodes of job sheets and packing slips. Throws 404 when there is no such line.
 */
export async function scanLine(ctx: ReadContext, lineId: string): Promise<ScannedLine> {
  const order = await readOpsOrder(ctx, await opsOrderIdOfLine(ctx, lineId));
  const line = order.lines.find(({ id }) => id === lineId);
  if (line === undefined) throw new Error('an order is without a line that led to it');
  return {
    order_id: order.id,
    reference: order.reference,
    state: order.state,
    hold: order.hold,
    line,
    next_actions: nextActions(ctx.config, order, line),
  };
}

/**
 * Lists what the line's order and its own pieces allow now.
 * Empty when nothing is left to do, or when something else must happen first.
 */
function nextActions(config: ReadContext['config'], order: OpsOrder, line: Line): NextAction[] {
  const left = line.quantity - line.quantity_cancelled - line.quantity_shipped;
  const at = `/orders/${order.reference}`;
  if (left === 0) return [];
  if (order.state === 'placed') return [actionOf('promote', `${at}/promote`)];
  if (order.state === 'on_hold') return [actionOf('resume', `${at}/resume`)];
  if (order.state !== 'released' && order.state !== 'in_production') return [];
  if (line.started_at === null) {
    return line.hold === null ? beforeStart(at, line, left) : [actionOf('resume', `${at}/lines/${line.id}/resume`)];
  }
  // Spoiled pieces are there again once their new blanks are started.
  const there = left - line.quantity_short - line.quantity_to_start;
  return line.hold === null ? afterStart(config, at, line, there) : whilePaused(at, line, there);
}

function whilePaused(at: string, line: Line, there: number): NextAction[] {
  return [actionOf('resume', `${at}/lines/${line.id}/resume`), ...spoilOf(at, line, there)];
}

function spoilOf(at: string, line: Line, there: number): NextAction[] {
  return there > 0 ? [actionOf('spoil', `${at}/lines/${line.id}/spoil`, there)] : [];
}

function beforeStart(at: string, line: Line, left: number): NextAction[] {
  if (line.artwork_ready) return [actionOf('start', `${at}/lines/${line.id}/start`, left)];
  const hasFailed = line.print_jobs.some((job) => job.artwork_state === 'failed');
  return hasFailed ? [actionOf('retry_print_files', `${at}/print-files/retry`)] : [];
}

function afterStart(config: ReadContext['config'], at: string, line: Line, there: number): NextAction[] {
  const wanted = there + line.quantity_shipped;
  const again = line.quantity_to_start;
  const finishes = line.print_jobs
    .filter((job) => job.quantity_done < wanted)
    .map(({ area, method, quantity_done: done }) => ({
      ...actionOf('finish', `${at}/lines/${line.id}/finish`, wanted - done),
      area,
      method,
    }));
  const canShip = config.shipRequires === 'started' ? there : line.quantity_finished - line.quantity_shipped;
  return [
    ...(again > 0 ? [actionOf('start', `${at}/lines/${line.id}/start`, again)] : []),
    ...finishes,
    ...spoilOf(at, line, there),
    ...(canShip > 0 ? [actionOf('ship', `${at}/shipments`, canShip)] : []),
  ];
}

function actionOf(action: NextAction['action'], path: string, quantity: number | null = null): NextAction {
  return { action, request: `POST ${path}`, quantity, area: null, method: null };
}
