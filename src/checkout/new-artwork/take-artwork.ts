import type { FetchedImage } from '../../artwork/fetch-image.ts';
import { ingestArtwork } from '../../artwork/ingest.ts';
import type { Caller } from '../../lib/caller.ts';
import { notFound, validationFailed } from '../../lib/errors.ts';
import { parseId, type Uuid } from '../../lib/ids.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { ownOrderId } from '../../orders/reading/own-order.ts';
import { type Replaceable, replaceableOf } from './replaceable.ts';
import type { ReplaceArtworkBody } from './schema.ts';
import { findOrderState, findPrintedLine, type PrintedLineRow } from './sql.ts';

/** A line of the caller's order, and artwork to be printed on an area of it. */
export type NewArtworkRequest = {
  readonly idOrReference: string;
  readonly line: string;
  readonly body: ReplaceArtworkBody;
  readonly signal: AbortSignal;
};

/** The line of a request as it is before anything is locked. */
export type ReplaceableLine = {
  readonly orderId: Uuid;
  readonly lineId: Uuid;
  readonly line: PrintedLineRow;
  readonly replaceable: Replaceable;
};

/**
 * Finds the line of a request, and refuses what can be refused before anything is fetched.
 * Throws 404 for an order or a line that is not the caller's, and what `replaceableOf` throws.
 */
export async function findReplaceable(
  ctx: Pick<OrdersContext, 'database'>,
  caller: Caller,
  { idOrReference, line: publicLineId, body }: NewArtworkRequest,
): Promise<ReplaceableLine> {
  const { accountId } = caller;
  const orderId = await ownOrderId(ctx, caller, idOrReference);
  const lineId = parseId('line', publicLineId);
  if (orderId === undefined || lineId === undefined) throw notFound();
  const order = await findOrderState(ctx.database, accountId, orderId);
  const line = await findPrintedLine(ctx.database, { accountId, orderId, lineId });
  if (order === undefined || line === undefined) throw notFound();
  return { orderId, lineId, line, replaceable: replaceableOf(order, line, body.print_area) };
}

/**
 * Fetches, checks and stores the artwork of a request as placing does, and gives it to `use`.
 * Bytes first: a line never refers to artwork that is not stored. What `use` then refuses is stored without a use, and
 * goes with unused bytes. Throws 422 for artwork that fails its checks.
 */
export async function withArtwork<T>(
  ctx: OrdersContext,
  { accountId }: Caller,
  { body: { url }, signal }: NewArtworkRequest,
  use: (picture: FetchedImage, keep: () => Promise<void>) => Promise<T>,
): Promise<T> {
  const intake = await ingestArtwork(ctx, accountId, [{ url, path: 'url' }], signal);
  try {
    const picture = intake.pictures.get(url);
    if (picture === undefined) throw validationFailed(intake.problems);
    return await use(picture, intake.keep);
  } finally {
    await intake.discard();
  }
}
