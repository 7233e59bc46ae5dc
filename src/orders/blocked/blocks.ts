import type { Context } from '../../lib/context.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { isReplaceable } from '../line-artwork/artwork-view.ts';
import type { LineRow, ShownOrderRow } from '../read-sql.ts';
import type { Block } from '../reading/order-parts-schema.ts';
import { isCancellable } from '../status.ts';
import { autoSettleSince } from './auto-settle.ts';

/**
 * All that keeps an order from going on, the whole order's first.
 * The list by `blocked_by` finds the same orders (`blocked-sql.ts`). An order that is not paid is not blocked while its
 * charge is under way.
 */
export function blocksOf(ctx: Pick<Context, 'clock' | 'config'>, order: ShownOrderRow): Block[] {
  const { state, hold, pauses } = order;
  if (!isCancellable(state)) return [];
  const isUnpaid = state === 'awaiting_payment' && !order.is_charging && order.erased_at === null;
  return [
    ...(isUnpaid ? [unpaid(ctx, order)] : []),
    ...(hold === null ? [] : [heldFor(hold.reason, [])]),
    ...Object.entries(pauses).map(([id, { reason }]) => heldFor(reason, [publicId('line', id as Uuid)])),
    ...failedArtwork(order),
  ];
}

/** What is paid in pays no order that waits for too long: then the shop alone can settle it. */
function unpaid(ctx: Pick<Context, 'clock' | 'config'>, { placed_at: placedAt }: ShownOrderRow): Block {
  const of: Pick<Block, 'kind' | 'line_ids'> = { kind: 'payment', line_ids: [] };
  if (placedAt >= autoSettleSince(ctx)) return { ...of, reason: 'The order waits until it is paid.', cure: 'pay' };
  const { autoSettleHours: hours } = ctx.config;
  const reason = `The order has waited for its payment for more than ${hours} hours, and no top-up pays it any more. Ask the print shop to settle it, or order it again.`;
  return { ...of, reason, cure: 'wait' };
}

function heldFor(reason: string, lineIds: string[]): Block {
  return { kind: 'hold', reason, line_ids: lineIds, cure: 'wait' };
}

/** One block for each print file that failed and that pieces are still to be made with. */
function failedArtwork(order: ShownOrderRow): Block[] {
  const { artwork = {}, lines } = order;
  const failed = new Map<string, { readonly area: string; readonly lines: LineRow[] }>();
  for (const line of lines.filter(isWanted)) {
    line.print_jobs.forEach(({ area }, index) => {
      const key = line.files?.[index] ?? '';
      if (typeof artwork[key]?.failure !== 'string') return;
      const known = failed.get(key) ?? { area, lines: [] };
      if (known.lines.at(-1) !== line) known.lines.push(line);
      failed.set(key, known);
    });
  }
  return [...failed].map(([key, { area, lines: ofFile }]): Block => {
    const isOpen = artwork[key]?.design_hash !== null && ofFile.some((line) => isReplaceable(order, line));
    const on = ofFile.length === 1 ? (ofFile[0]?.name ?? '') : `${ofFile.length} lines`;
    const what = `The print file for ${area.replaceAll('_', ' ')} on ${on} could not be made.`;
    return {
      kind: 'artwork',
      reason: `${what} ${artwork[key]?.failure ?? ''}`.trim().replace(/[.!]?$/, '.'),
      line_ids: ofFile.map(({ id }) => publicId('line', id)),
      cure: isOpen ? 'replace_artwork' : 'wait',
    };
  });
}

function isWanted({ quantity, quantity_cancelled: cancelled, quantity_shipped: shipped }: LineRow): boolean {
  return quantity > cancelled + shipped;
}
