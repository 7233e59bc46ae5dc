import { shownKindOf } from '../artwork/mockup/garment.ts';
import { mockupUrl, type PictureWidth, pictureUrl } from '../artwork/proof/proof-url.ts';
import { signedUrl } from '../artwork/signed-url.ts';
import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import type { Context } from '../lib/context.ts';
import type { Product } from './schema.ts';
import type { ProductAreaRow, ProductRow } from './sql.ts';

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

const MOCKUP_PX = 800;
const THUMBNAIL_PX = 192;

/**
 * The pictures of a product, signed anew for each reply.
 * `mockup_url` is the customer's own alone (2.3); `mockups` has the first print that a drawn garment shows, by
 * colour. What has no outline is shown by a panel.
 */
export function mockupsView(
  ctx: ViewContext,
  catalogue: CatalogueReference,
  base: BaseProduct,
  product: ProductRow,
): Pick<Product, 'mockup_url' | 'thumbnail_url' | 'mockups'> {
  const { secrets, config, clock } = ctx;
  const now = clock.now();
  // A print that the garment's outline shows goes before one that only a panel does.
  const { areas } = product;
  const area = areas.find(({ print_area }) => shownKindOf(base.entry, print_area) !== 'panel') ?? areas[0];
  const colours = area === undefined ? [] : coloursOf(catalogue, product);
  const drawn = (sku: string, widthPx: PictureWidth): string | null =>
    area === undefined ? null : mockupUrl(secrets, config.baseUrl, { ...placed(area), onSku: sku, widthPx }, now);
  const mockups = colours.map(({ sku, colour, colour_hex }) => {
    const url = drawn(sku, MOCKUP_PX);
    if (url === null) throw new Error('a product without a print that is shown has mockups');
    return { colour, colour_hex, mockup_url: url };
  });
  const { mockup_hash: own } = product;
  if (own === null) {
    const thumbnail = colours[0] === undefined ? null : drawn(colours[0].sku, THUMBNAIL_PX);
    return { mockup_url: null, thumbnail_url: thumbnail, mockups };
  }
  const small = { hash: own, widthPx: THUMBNAIL_PX } as const;
  return {
    mockup_url: signedUrl(secrets, config.baseUrl, own, now),
    thumbnail_url: pictureUrl(secrets, config.baseUrl, small, now),
    mockups,
  };
}

/**
 * The pictures of a product as a shop reads them, for an hour.
 * The customer's own comes first, then each colour. Their paths end in `.jpg`, which they are.
 */
export function shopPicturesOf(
  ctx: ViewContext,
  catalogue: CatalogueReference,
  base: BaseProduct,
  product: ProductRow,
): string[] {
  const { secrets, config, clock } = ctx;
  const { mockup_hash: own, variants } = product;
  const onSku = variants.find(({ active }) => active)?.sku;
  const picture = own === null || onSku === undefined ? undefined : ({ hash: own, widthPx: MOCKUP_PX, onSku } as const);
  return [
    ...(picture === undefined ? [] : [pictureUrl(secrets, config.baseUrl, picture, clock.now())]),
    ...mockupsView(ctx, catalogue, base, product).mockups.map(({ mockup_url: url }) => url),
  ].map((url) => url.replace('?', '.jpg?'));
}

function placed({ print_area: printArea, design_hash: hash, x, y, scale, rotation }: ProductAreaRow) {
  return { hash, printArea, position: { x, y, scale, rotation } };
}

/** The colours in which a product can be ordered, each once, with its first variant. */
function coloursOf(catalogue: CatalogueReference, { variants }: ProductRow) {
  const offered = variants.flatMap(({ sku, active }) => {
    const blank = catalogue.bySku.get(sku)?.variant;
    if (!active || blank?.active !== true) return [];
    const { colour, colour_hex } = blank.entry;
    return [{ sku, colour, colour_hex }];
  });
  const seen = new Set<string>();
  return offered.filter(({ colour_hex: hex }) => !seen.has(hex) && seen.add(hex));
}
