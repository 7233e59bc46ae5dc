import { closeFailureIfUnused } from '../../artwork/give-up.ts';
import { leaveFile, lockFiles, makeAnew, type Nearness } from '../../artwork/needs/needs.ts';
import { printFileOf } from '../../artwork/recipe.ts';
import { wakePrintFiles } from '../../artwork/retry-print-files.ts';
import type { Caller } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, notFound } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { moveOrder } from '../../orders/move-order.ts';
import type { LockedOrder } from '../../orders/move-sql.ts';
import { getOrder } from '../../orders/read-orders.ts';
import { lockOwnOrder } from '../../orders/reading/own-order.ts';
import type { Order } from '../../orders/schema.ts';
import { notFailed, replaceableOf, spotOf, warningsOf } from './replaceable.ts';
import { findPrintedLine, replacePrint } from './sql.ts';
import { findReplaceable, type NewArtworkRequest, withArtwork } from './take-artwork.ts';

export type Replaced = { readonly kind: 'replaced' | 'repeated'; readonly order: Order };

/**
 * Replaces the artwork of a print area that failed or has expired, until its line starts.
 * It is fetched and checked as with placing, and printed by the same method at the position of the line. The price
 * stays: the setup that was paid is that of the design that was ordered, and the new one buys none
 * (docs/decisions/0067). The bytes are stored first. Then print, print file, its job, the closed task and the history
 * are one transaction, so a process that dies leaves all of it or nothing. A repeat with the same picture changes
 * nothing. Locks the order, then both print files in the order of their keys. Throws 404; what `replaceableOf` throws;
 * 422 for artwork that fails its checks.
 */
export async function replaceArtwork(
  ctx: OrdersContext,
  caller: Caller,
  request: NewArtworkRequest,
): Promise<Replaced> {
  const { accountId } = caller;
  const { orderId, lineId, line, replaceable } = await findReplaceable(ctx, caller, request);
  const { catalogue } = await ctx.prices.latest();
  const place = spotOf(catalogue, line, replaceable.print);
  return withArtwork(ctx, caller, request, async ({ hash, report }, keep) => {
    const warnings = warningsOf(report, place);
    const file = printFileOf(accountId, hash, place.spot.template, place.position);
    await keep();
    const kind = await ctx.database.transaction(async (tx) => {
      const order = await lockOwnOrder(tx, caller, orderId);
      const of = { accountId, orderId, lineId };
      await lockFiles(tx, accountId, [replaceable.print.file, file.key]);
      // Read after the locks: a file that was made, or a replacement, meanwhile counts.
      const now = await findPrintedLine(tx, of);
      if (now === undefined) throw notFound();
      const { print, kind: found } = replaceableOf(order, now, request.body.print_area);
      if (found === 'replaced') {
        if (print.design_hash === hash) return 'repeated';
        throw new ApiError('conflict', notFailed(print.area, print.state));
      }
      await write(tx, ctx, order, { lineId, print, designHash: hash, file });
      return 'replaced';
    });
    if (kind === 'replaced') wakePrintFiles(ctx);
    const order = await getOrder(ctx, caller, request.idOrReference);
    return { kind, order: { ...order, warnings: [...warnings, ...order.warnings] } };
  });
}

async function write(
  tx: Db,
  ctx: OrdersContext,
  order: LockedOrder,
  made: {
    readonly lineId: Uuid;
    readonly print: { readonly ordinal: number; readonly area: string; readonly file: string };
    readonly designHash: string;
    readonly file: ReturnType<typeof printFileOf>;
  },
): Promise<void> {
  const { lineId, print, designHash, file } = made;
  const of = { accountId: order.account_id, orderId: order.id };
  // Read after the lock: a call that waited for it must not be dated before the one that had it.
  const now = ctx.clock.now();
  await replacePrint(tx, { ...of, lineId }, { ordinal: print.ordinal, designHash, file: file.key, now });
  const nearness = nearnessOf(order);
  await makeAnew(tx, of, file, { nearness, cancellableUntil: order.cancellable_until, now });
  // The same picture again, as after a store was lost, has the same file: it starts over.
  if (print.file !== file.key) {
    await closeFailureIfUnused(tx, of, print.file, now);
    await leaveFile(tx, of, print.file, now);
  }
  const reason = `${publicId('line', lineId)}: ${print.area}`;
  const move = { to: order.state, action: 'replace_artwork', actor: 'customer', reason, events: [] };
  await moveOrder(tx, ctx.config, order, move, now);
}

/** How near an order is to production; one that is held, as near as it was. */
function nearnessOf({ state, hold }: LockedOrder): Nearness {
  const real = state === 'on_hold' ? (hold?.from ?? 'placed') : state;
  if (real === 'awaiting_payment') return 'unpaid';
  return real === 'placed' ? 'paid' : 'promoted';
}
