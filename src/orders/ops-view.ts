import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import { mapInPieces } from '../lib/turns/pieces.ts';
import { customsView } from './customs.ts';
import type { OpsLineRow } from './ops-lines/ops-lines-sql.ts';
import { putLinesTogether } from './ops-lines/put-together.ts';
import type { OpsOrder } from './ops-schema.ts';
import type { HistoryRow, ListedAttemptRow, OpsOrderParts, OpsOrderRow } from './ops-sql.ts';
import type { LineRow } from './read-sql.ts';
import type { Order } from './schema.ts';
import { finishedQuantity, type OrderState } from './status.ts';
import { addressView, orderViewInPieces } from './view.ts';

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;
type OpsViewContext = ViewContext & Pick<Context, 'asker'>;

/** An order as operators see it (operating, "Operations API"). */
export async function opsOrderView(ctx: OpsViewContext, parts: OpsOrderParts): Promise<OpsOrder> {
  const order = { ...parts, ...(await putLinesTogether(ctx.asker, parts)) };
  const view = await orderViewInPieces(ctx, order);
  const paidPence = order.balance_paid_pence + order.method_paid_pence;
  const isWaiting = order.state === 'awaiting_payment';
  return {
    ...view,
    warnings: isWindowOpen(ctx, order) ? [...view.warnings, WINDOW_OPEN] : view.warnings,
    state: order.state,
    account: { id: publicId('acct', order.account.id), name: order.account.name },
    replaced_by: order.replaced_by.map(orderName),
    billing_address: addressView(order.billing_address),
    shipping_service: order.shipping.service,
    quantity_short: order.ops_lines.reduce((sum, line) => sum + shortOf(line), 0),
    paid_gbp: pounds(paidPence),
    refunded_gbp: pounds(order.refunded_pence),
    refund_owed_gbp: pounds(order.refund_owed_pence),
    due_gbp: pounds(isWaiting ? order.total_pence - paidPence : 0),
    payment_attempts: order.attempts.map(attemptView),
    shipments: shipmentsView(order, view.shipments),
    lines: await linesView(ctx, order, view.items),
    history: order.history.map(moveView),
    tasks: order.tasks.map((task) => ({
      id: publicId('task', task.id),
      kind: task.kind,
      note: task.note,
      opened_at: isoTime(new Date(task.opened_at)),
    })),
  };
}

/** States with work under way that a cancel by the customer can still stop. */
const WORKED: readonly OrderState[] = ['released', 'in_production'];

function isWindowOpen(ctx: ViewContext, order: OpsOrderRow): boolean {
  return WORKED.includes(order.state) && ctx.clock.now().getTime() <= order.cancellable_until.getTime();
}

const WINDOW_OPEN = {
  code: 'cancellation_window_open',
  path: '',
  message: 'The customer can still cancel this order, and a cancel within the window always wins.',
};

function shipmentsView(order: OpsOrderRow, shown: Order['shipments']): OpsOrder['shipments'] {
  const customs = new Map(order.shipments.map(({ id }) => [publicId('shp', id), order.customs[id]]));
  return shown.map((shipment) => {
    const declared = customs.get(shipment.id);
    return { ...shipment, customs: declared === undefined ? null : customsView(declared) };
  });
}

/** The items are in the order of the lines. */
function linesView(
  { asker }: OpsViewContext,
  order: OpsOrderRow,
  items: OpsOrder['items'],
): Promise<OpsOrder['lines']> {
  const lines = order.lines.flatMap((line, index) => {
    const [work, item] = [order.ops_lines[index], items[index]];
    return work === undefined || item === undefined ? [] : [{ line, work, item }];
  });
  return mapInPieces(asker, lines, ({ line, work, item }) => lineView(line, work, item));
}

/** The pieces of a line that are promised to it and not started. */
function promisedOf({ allocation }: OpsLineRow): number {
  return allocation === null ? 0 : allocation.allocated - allocation.consumed - allocation.released;
}

function shortOf({ allocation }: OpsLineRow): number {
  return allocation?.short ?? 0;
}

function allocationView({ allocation }: OpsLineRow): OpsOrder['lines'][number]['allocation'] {
  if (allocation === null) return null;
  const { allocated, consumed, released } = allocation;
  return { allocated, consumed, released };
}

function lineView(line: LineRow, work: OpsLineRow, item: OpsOrder['items'][number]): OpsOrder['lines'][number] {
  return {
    id: item.id,
    product_id: publicId('prod', line.product_id),
    variant_sku: line.sku,
    name: line.name,
    colour: line.colour,
    size: line.size,
    status: item.status,
    quantity: line.quantity,
    quantity_cancelled: line.quantity_cancelled,
    quantity_shipped: line.quantity_shipped,
    quantity_finished: finishedQuantity({
      quantity: line.quantity,
      quantityCancelled: line.quantity_cancelled,
      started: line.started,
      missing: line.started ? promisedOf(work) : 0,
      done: work.print_jobs.map((job) => job.quantity_done),
    }),
    quantity_spoiled: work.quantity_spoiled,
    quantity_short: shortOf(work),
    quantity_to_start: promisedOf(work) - shortOf(work),
    unit_price: pounds(line.unit_price_pence),
    line_price: pounds(line.line_price_pence),
    artwork_ready: item.artwork_ready,
    started_at: timeOrNull(work.started_at),
    hold: item.hold,
    allocation: allocationView(work),
    print_jobs: work.print_jobs,
  };
}

function attemptView(attempt: ListedAttemptRow): OpsOrder['payment_attempts'][number] {
  return {
    id: publicId('pay', attempt.id),
    method: attempt.method,
    amount_gbp: pounds(attempt.amount_pence),
    state: attempt.state,
    reason: attempt.reason,
    created_at: isoTime(new Date(attempt.created_at)),
    settled_at: timeOrNull(attempt.settled_at),
    returned_at: timeOrNull(attempt.returned_at),
    recovered_at: timeOrNull(attempt.recovered_at),
    disputes: attempt.disputes.map((dispute) => ({
      id: dispute.id,
      state: dispute.state,
      withdrawn_gbp: pounds(dispute.withdrawn_pence),
      reinstated_gbp: pounds(dispute.reinstated_pence),
      opened_at: isoTime(new Date(dispute.opened_at)),
      updated_at: isoTime(new Date(dispute.updated_at)),
    })),
  };
}

function moveView(move: HistoryRow): OpsOrder['history'][number] {
  return {
    action: move.action,
    from: move.from_state,
    to: move.to_state,
    actor: move.actor,
    reason: move.reason,
    at: isoTime(new Date(move.created_at)),
  };
}

function orderName(order: { id: Uuid; reference: string }): { id: string; reference: string } {
  return { id: publicId('ord', order.id), reference: order.reference };
}

function timeOrNull(text: string | null): string | null {
  return text === null ? null : isoTime(new Date(text));
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
