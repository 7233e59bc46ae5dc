import { pictureUrl } from '../../artwork/proof/proof-url.ts';
import type { CatalogueReference } from '../../catalogue/reference.ts';
import type { ProductsContext } from '../read-products.ts';
import type { ProductRow } from '../sql.ts';
import { ownPrices, productView } from '../view.ts';
import type { DesignedProduct } from './designer-schema.ts';
import { DESIGN_PX } from './take-design.ts';

/** A product with its designs and the customer's own prices by variant, as its designer shows it. */
export function designedView(ctx: ProductsContext, catalogue: CatalogueReference, row: ProductRow): DesignedProduct {
  const { secrets, config, clock } = ctx;
  const now = clock.now();
  return {
    ...productView(ctx, catalogue, row),
    designs: row.areas.map(({ print_area, method, design_hash: hash, x, y, scale, rotation, width_px, height_px }) => ({
      print_area,
      method,
      design: hash,
      width: width_px,
      height: height_px,
      position: { x, y, scale, rotation },
      picture_url: pictureUrl(secrets, config.baseUrl, { hash, widthPx: DESIGN_PX }, now),
    })),
    retail_prices: ownPrices(row),
  };
}
