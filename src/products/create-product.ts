import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import { findOfferedBase, unknownBaseProblem } from '../catalogue/resolve-names.ts';
import type { Caller } from '../lib/caller.ts';
import { unavailable, validationFailed } from '../lib/errors.ts';
import { newId } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import type { UnknownField } from '../lib/validation/validate.ts';
import { type Artworks, artworksOf, designedAreas, ingestDesigns } from './ingest-designs.ts';
import { blankProductWarnings, type ProductMembers, refuseProductShape, retailPricePence } from './product-request.ts';
import type { ProductsContext } from './read-products.ts';
import { resolveProblems } from './resolve-product.ts';
import type { CreateProductBody, WrittenProduct } from './schema.ts';
import { findProduct, insertProduct, type NewProduct, type ProductRow, readCatalogueVersion } from './sql.ts';
import { productView } from './view.ts';

/** How often the checks run again because the catalogue changed between the last check and the write. */
export const CHECKS_MAX = 3;

/** A request to write a product. */
export type WriteProductRequest<Body> = {
  readonly body: Body;
  /** Members that the schema does not know. */
  readonly unknownFields: readonly UnknownField[];
  /** Fires when the caller has gone away. */
  readonly signal: AbortSignal;
};

/**
 * Creates a product with its designs, all or nothing (spec 4.4).
 * Every SKU, area and method is resolved and every address fetched and checked before anything is stored; a failure is
 * a 422 with all problems of its kind. The catalogue is checked again after the fetching, and compared once more in the
 * writing transaction. The bytes are stored just before the product: a process that dies in between leaves designs that
 * no product uses, and the caller's retry finds them.
 */
export async function createProduct(
  ctx: ProductsContext,
  caller: Caller,
  { body, unknownFields, signal }: WriteProductRequest<CreateProductBody>,
): Promise<WrittenProduct> {
  refuseProductShape(body);
  resolveBase(await ctx.catalogue.latest(), body);
  const intake = await ingestDesigns(ctx, caller, body, signal);
  try {
    const artworks = artworksOf(body, intake);
    const { catalogue, row } = await writeNewProduct(ctx, caller, body, artworks);
    const warnings = [...blankProductWarnings(row), ...unknownFieldWarnings(unknownFields)];
    return { ...productView(ctx, catalogue, row), warnings };
  } finally {
    await intake.discard();
  }
}

/** What a new product is made of, in the public API and in the portal. */
export type NewProductMembers = ProductMembers & Pick<CreateProductBody, 'base_product_id' | 'name' | 'variant_skus'>;

/** A product as it was just written, and the catalogue that it was checked against. */
export type WrittenRow = { readonly catalogue: CatalogueReference; readonly row: ProductRow };

/**
 * Checks the names of a new product by the present catalogue, stores its pictures and writes it.
 * Throws 422 as `resolveBase` does, and 503 when the catalogue changes each time.
 */
export async function writeNewProduct(
  ctx: ProductsContext,
  caller: Caller,
  body: NewProductMembers,
  artworks: Artworks,
): Promise<WrittenRow> {
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const catalogue = await ctx.catalogue.latest();
    const base = resolveBase(catalogue, body);
    const product = draftProduct(ctx, caller, body, base, artworks);
    await artworks.keep();
    const row = await write(ctx, product, catalogue);
    if (row !== 'stale') return { catalogue, row };
  }
  throw unavailable('The catalogue changed while this product was being created. Nothing was created. Send it again.');
}

/** The base product of a new product. Throws 422 with every name that is not resolved. */
export function resolveBase(catalogue: CatalogueReference, body: NewProductMembers): BaseProduct {
  const base = findOfferedBase(catalogue, body.base_product_id);
  const problems = resolveProblems(base, body);
  if (base === undefined) throw validationFailed([unknownBaseProblem(body.base_product_id), ...problems]);
  if (problems.length > 0) throw validationFailed(problems);
  return base;
}

function draftProduct(
  ctx: ProductsContext,
  caller: Caller,
  body: NewProductMembers,
  base: BaseProduct,
  artworks: Artworks,
): NewProduct {
  const now = ctx.clock.now();
  return {
    id: newId(now.getTime()),
    accountId: caller.accountId,
    baseProductId: base.id,
    name: body.name,
    description: body.description ?? '',
    status: body.status ?? 'active',
    tags: body.tags ?? [],
    retailPricePence: retailPricePence(body.retail_price ?? null),
    mockupHash: artworks.mockupHash ?? null,
    personalisation: null,
    areas: designedAreas(base, body, artworks) ?? [],
    variants: body.variant_skus.map((sku) => ({
      id: newId(now.getTime()),
      sku,
      retailPricePence: retailPricePence(body.retail_prices?.[sku] ?? null),
    })),
    now,
  };
}

/**
 * Writes the product unless the catalogue has changed since the check.
 * An import that commits after the comparison is as if it came after the product: imports do not read products.
 */
async function write(
  ctx: ProductsContext,
  product: NewProduct,
  catalogue: CatalogueReference,
): Promise<ProductRow | 'stale'> {
  return ctx.database.transaction(async (tx) => {
    if ((await readCatalogueVersion(tx)) !== catalogue.catalogueVersion) return 'stale';
    await insertProduct(tx, product);
    const row = await findProduct(tx, product.accountId, product.id);
    if (row === undefined) throw new Error('a product is not there right after its writing');
    return row;
  });
}
