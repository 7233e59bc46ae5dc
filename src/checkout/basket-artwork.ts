import type { ArtworkRequest, Intake } from '../artwork/ingest.ts';
import { placeArtwork } from '../artwork/place.ts';
import type { Problem } from '../lib/errors.ts';
import type { PlaceOrderItem } from '../orders/schema.ts';
import type { BasketLine } from './basket.ts';
import type { BasketDrawing } from './personalisation/inputs.ts';

/** Lists every address to fetch, in the order of the request. The same one may occur at several paths. */
export function listBasketArtwork(items: readonly PlaceOrderItem[], lines: readonly BasketLine[]): ArtworkRequest[] {
  return items.flatMap((item, index) => {
    const areas = item.decoration?.areas ?? [];
    const inAreas = areas.flatMap((area, at) => {
      const path = `items[${index}].decoration.areas[${at}]`;
      const artwork = { url: area.artwork_url, path: `${path}.artwork_url` };
      return area.mock_url === undefined ? [artwork] : [artwork, { url: area.mock_url, path: `${path}.mock_url` }];
    });
    return [...inAreas, ...drawingsOf(lines.slice(index, index + 1)).flatMap(suppliedPicture)];
  });
}

function suppliedPicture(drawing: BasketDrawing): ArtworkRequest[] {
  if (drawing.kind === 'text' || drawing.source.kind === 'stored') return [];
  return [{ url: drawing.source.url, path: drawing.path }];
}

/** Problems of artwork of which nothing would lie on its print area: it would be billed as a print. */
export function outsideProblems(lines: readonly BasketLine[], { pictures }: Intake): Problem[] {
  return lines.flatMap(({ baseProduct, jobs }) =>
    jobs.flatMap(({ printArea, artwork }) => {
      if (artwork.kind !== 'supplied') return [];
      const picture = pictures.get(artwork.url);
      const area = baseProduct.areas.get(printArea);
      if (picture === undefined || area === undefined) return [];
      const canvas = { widthPx: area.width_px, heightPx: area.height_px };
      if (placeArtwork(picture.report, canvas, artwork.position).kind !== 'nothing') return [];
      const path = artwork.path.replace(/artwork_url$/, 'position');
      const message = 'Nothing of the artwork would lie on the print area. 0.5, 0.5 is its middle.';
      return [{ path, code: 'outside_print_area', message }];
    }),
  );
}

/** Lists the drawings of the personalised jobs of some lines. */
export function drawingsOf(lines: readonly BasketLine[]): BasketDrawing[] {
  return lines.flatMap(({ jobs }) =>
    jobs.flatMap(({ artwork }) => (artwork.kind === 'personalised' ? artwork.drawings : [])),
  );
}
