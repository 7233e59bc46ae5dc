import type { ArtworkRequest } from '../artwork/ingest.ts';
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

/** Lists the drawings of the personalised jobs of some lines. */
export function drawingsOf(lines: readonly BasketLine[]): BasketDrawing[] {
  return lines.flatMap(({ jobs }) =>
    jobs.flatMap(({ artwork }) => (artwork.kind === 'personalised' ? artwork.drawings : [])),
  );
}
