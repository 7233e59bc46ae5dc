import type { Intake } from '../artwork/ingest.ts';
import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import type { Caller } from '../lib/caller.ts';
import { ApiError, notFound, unavailable, validationFailed } from '../lib/errors.ts';
import { newId, parseId, type Uuid } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import { CHECKS_MAX, type WriteProductRequest } from './create-product.ts';
import { designedAreas, ingestDesigns, mockupHashOf } from './ingest-designs.ts';
import { blankProductWarnings, refuseChangeShape, retailPricePence } from './product-request.ts';
import type { ProductsContext } from './read-products.ts';
import { resolveProblems } from './resolve-product.ts';
import type { UpdateProductBody, WrittenProduct } from './schema.ts';
import {
  findProduct,
  lockProduct,
  type ProductChange,
  type ProductRow,
  readCatalogueVersion,
  replaceAreas,
  replaceVariants,
  updateProductRow,
} from './sql.ts';
import { productView } from './view.ts';

/**
 * Changes the members of a product that were sent, all or nothing (spec 4.4).
 * The checks are those of a creation. `decoration.areas` replaces the whole decoration and `variant_skus` the offered
 * variants (spec 3.4); null clears `retail_price` and `mockup_url`. Of two concurrent changes the later one to be
 * written wins with everything that it sent: the product's row is locked first. An empty body is a no-op. Throws 404
 * when it is not the account's, 409 when it is archived or personalised, and 422.
 */
export async function updateProduct(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  { body, unknownFields, signal }: WriteProductRequest<UpdateProductBody>,
): Promise<WrittenProduct> {
  refuseChangeShape(body);
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  const { catalogue, row } = await prepare(ctx, caller, id, body);
  const view = (of: CatalogueReference, written: ProductRow): WrittenProduct => {
    const isAboutPrint = body.status !== undefined || body.decoration !== undefined;
    const ofPrint = isAboutPrint ? blankProductWarnings(written) : [];
    return { ...productView(ctx, of, written), warnings: [...ofPrint, ...unknownFieldWarnings(unknownFields)] };
  };
  if (!CHANGEABLE.some((name) => body[name] !== undefined)) return view(catalogue, row);
  const intake = await ingestDesigns(ctx, body, signal);
  try {
    for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
      const prepared = await prepare(ctx, caller, id, body);
      const change = draftChange(ctx, body, prepared.base, intake);
      await intake.keep(caller.accountId);
      const written = await write(ctx, caller, id, change, prepared.catalogue);
      if (written !== 'stale') return view(prepared.catalogue, written);
    }
  } finally {
    await intake.discard();
  }
  throw unavailable('The catalogue changed while this product was being changed. It is as it was. Send it again.');
}

const CHANGEABLE = [
  'name',
  'variant_skus',
  'description',
  'retail_price',
  'tags',
  'mockup_url',
  'decoration',
  'status',
] as const satisfies readonly (keyof UpdateProductBody)[];

type Prepared = { readonly catalogue: CatalogueReference; readonly base: BaseProduct; readonly row: ProductRow };

/** The current product, after all refusals that need no artwork, in their order: 404, 409, 422. */
async function prepare(ctx: ProductsContext, caller: Caller, id: Uuid, body: UpdateProductBody): Promise<Prepared> {
  const row = await findProduct(ctx.database, caller.accountId, id);
  if (row === undefined) throw notFound();
  refuseFixed({ status: row.status, personalised: row.personalisation !== null });
  const catalogue = await ctx.catalogue.latest();
  const base = catalogue.byId.get(row.base_product_id);
  if (base === undefined) throw new Error('a product refers to a base product that the catalogue does not have');
  const problems = resolveProblems(base, body);
  if (problems.length > 0) throw validationFailed(problems);
  return { catalogue, base, row };
}

/** Throws 409 for a product that can no longer be changed, or not through the API (spec 3.3). */
function refuseFixed({ status, personalised }: { status: ProductRow['status']; personalised: boolean }): void {
  if (status === 'archived') {
    throw new ApiError('conflict', 'This product is archived and cannot be changed. Create a new one in its place.');
  }
  if (personalised) {
    throw new ApiError('conflict', 'This product is personalised; it can be changed in the portal only.');
  }
}

function draftChange(
  ctx: ProductsContext,
  body: UpdateProductBody,
  base: BaseProduct,
  intake: Intake,
): ProductChange & { now: Date } {
  const now = ctx.clock.now();
  return {
    name: body.name,
    description: body.description,
    status: body.status,
    tags: body.tags,
    retailPricePence: body.retail_price === undefined ? undefined : retailPricePence(body.retail_price),
    mockupHash: mockupHashOf(body, intake),
    areas: designedAreas(base, body, intake),
    variants: body.variant_skus?.map((sku) => ({ id: newId(now.getTime()), sku })),
    now,
  };
}

async function write(
  ctx: ProductsContext,
  { accountId }: Caller,
  id: Uuid,
  change: ProductChange & { now: Date },
  catalogue: CatalogueReference,
): Promise<ProductRow | 'stale'> {
  return ctx.database.transaction(async (tx) => {
    const locked = await lockProduct(tx, accountId, id);
    if (locked === undefined) throw notFound();
    // It may have been archived while its new artwork was fetched.
    refuseFixed(locked);
    if ((await readCatalogueVersion(tx)) !== catalogue.catalogueVersion) return 'stale';
    await updateProductRow(tx, accountId, id, change);
    if (change.areas !== undefined) await replaceAreas(tx, accountId, id, { areas: change.areas, now: change.now });
    if (change.variants !== undefined) await replaceVariants(tx, accountId, id, change.variants);
    const row = await findProduct(tx, accountId, id);
    if (row === undefined) throw new Error('a product is not there right after its change');
    return row;
  });
}
