import { createHash } from 'node:crypto';
import { readAvailable } from '../../catalogue/read-catalogue.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { shopPicturesOf } from '../../products/mockup-view.ts';
import { readOfferedVariants, readProductForShop } from '../../products/shop-product.ts';
import type { ProductStatus } from '../../products/sql.ts';
import type { ChannelsContext } from '../context.ts';
import type { PublishedProduct, ShopProduct } from '../platforms/published-product.ts';

/** Pictures of a product beyond these are left out: a shop reads them one by one. */
const PICTURES_MAX = 10;

/** What a shop is kept up to date with: which variants there are, and which of them can be ordered now. */
export type Levels = {
  readonly isOffered: boolean;
  readonly variants: readonly { readonly blankSku: string; readonly sku: string; readonly isInStock: boolean }[];
};

type Asked = {
  readonly product_id: Uuid;
  readonly status: ProductStatus;
  readonly shop_product: ShopProduct | null;
};

/**
 * The levels of products, in their order.
 * A variant that can be ordered is in stock while a piece of it can be; what a shop has besides is out of stock, and
 * so is all of an archived product.
 */
export async function levelsOf(ctx: ChannelsContext, accountId: Uuid, products: readonly Asked[]): Promise<Levels[]> {
  const ids = products.map(({ product_id: id }) => id);
  const rows = await readOfferedVariants(ctx, accountId, ids);
  const available = await readAvailable(ctx, [...new Set(rows.map(({ sku }) => sku))]);
  const offeredOf = Map.groupBy(rows, ({ product_id: id }) => id);
  return products.map(({ product_id: id, status, shop_product: known }) => {
    const isOffered = status !== 'archived';
    const publicProductId = publicId('prod', id);
    const offered = (offeredOf.get(id) ?? []).map(({ sku }) => sku);
    const others = Object.keys(known?.variants ?? {})
      .map((sku) => sku.slice(publicProductId.length + 1))
      .filter((sku) => !offered.includes(sku));
    const variants = [...offered, ...others].map((blankSku, at) => ({
      blankSku,
      sku: `${publicProductId}/${blankSku}`,
      isInStock: isOffered && at < offered.length && (available.get(blankSku) ?? 0) > 0,
    }));
    return { isOffered, variants };
  });
}

/** Of levels, whatever the sequence of the variants. Pure. */
export function levelsDigest({ isOffered, variants }: Levels): Buffer {
  const stock = variants.map(({ sku, isInStock }) => [sku, isInStock] as const);
  const sorted = stock.toSorted(([one], [other]) => (one < other ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([isOffered, sorted]))
    .digest();
}

/** A product as it is published now with the digest of its levels, or in words why it cannot be. */
export async function publishedOf(
  ctx: ChannelsContext,
  accountId: Uuid,
  of: Pick<Asked, 'product_id' | 'shop_product'>,
): Promise<{ readonly product: PublishedProduct; readonly digest: Buffer } | string> {
  const row = await readProductForShop(ctx, accountId, of.product_id);
  if (row === undefined) return 'The product is not there any more.';
  if (row.status === 'archived' && of.shop_product === null) return 'The product is archived.';
  const [levels] = await levelsOf(ctx, accountId, [{ ...of, status: row.status }]);
  if (levels === undefined || levels.variants.length === 0) return 'The product has no variant that can be ordered.';
  const catalogue = await ctx.catalogue.latest();
  const base = catalogue.byId.get(row.base_product_id);
  if (base === undefined) throw new Error('a product refers to a base product that the catalogue does not have');
  const product: PublishedProduct = {
    id: publicId('prod', row.id),
    title: row.name,
    description: row.description,
    isOffered: levels.isOffered,
    variants: levels.variants.flatMap(({ blankSku, sku, isInStock }) => {
      const entry = catalogue.bySku.get(blankSku)?.variant.entry;
      // The people of the shop may have called a variant of theirs by a SKU like ours.
      return entry === undefined ? [] : [{ sku, colour: entry.colour, size: entry.size, isInStock }];
    }),
    pictures: shopPicturesOf(ctx, catalogue, base, row).slice(0, PICTURES_MAX),
  };
  return { product, digest: levelsDigest(levels) };
}
