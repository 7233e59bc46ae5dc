import { artworkView, printView } from '../../artwork/preflight/artwork-view.ts';
import { printReport } from '../../artwork/preflight/preflight.ts';
import { mockupUrl, pictureUrl } from '../../artwork/proof/proof-url.ts';
import type { Caller } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import type { OrdersContext } from '../../orders/context.ts';
import { notFailed, spotOf, warningsOf } from './replaceable.ts';
import type { NewArtworkLook } from './schema.ts';
import { findReplaceable, type NewArtworkRequest, withArtwork } from './take-artwork.ts';

const PICTURE_PX = 640;

/**
 * Says how artwork would print in place of what failed, before it is replaced.
 * It is fetched, checked and stored by the same code; the order stays as it is. What is not used then goes with unused
 * bytes. Throws what `replaceArtwork` throws.
 */
export async function lookAtArtwork(
  ctx: OrdersContext,
  caller: Caller,
  request: NewArtworkRequest,
): Promise<NewArtworkLook> {
  const { line, replaceable } = await findReplaceable(ctx, caller, request);
  const { print, kind: found } = replaceable;
  if (found === 'replaced') throw new ApiError('conflict', notFailed(print.area, print.state));
  const { catalogue } = await ctx.prices.latest();
  const place = spotOf(catalogue, line, print);
  return withArtwork(ctx, caller, request, async ({ hash, report }, keep) => {
    const warnings = warningsOf(report, place);
    await keep();
    const { area: printArea, method } = print;
    const { secrets, config, clock } = ctx;
    const isShown = catalogue.bySku.get(line.sku)?.baseProduct.areas.has(printArea) === true;
    const shown = { hash, widthPx: PICTURE_PX, onSku: line.sku } as const;
    const mockup = { ...shown, printArea, position: place.position };
    return {
      print_area: printArea,
      method,
      source: artworkView({ ...report, hash }),
      print: printView(printReport(report, place.spot.template, place.position)),
      picture_url: isShown
        ? mockupUrl(secrets, config.baseUrl, mockup, clock.now())
        : pictureUrl(secrets, config.baseUrl, shown, clock.now()),
      warnings,
    };
  });
}
