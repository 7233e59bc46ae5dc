import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import type { Caller } from '../lib/caller.ts';
import { isoTime } from '../lib/clock.ts';
import { ApiError, notFound, unavailable, validationFailed } from '../lib/errors.ts';
import { newId, parseId, type Uuid } from '../lib/ids.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import { CHECKS_MAX, type WriteProductRequest, type WrittenRow } from './create-product.ts';
import { type Artworks, artworksOf, designedAreas, ingestDesigns, NO_ARTWORKS } from './ingest-designs.ts';
import {
  blankProductWarnings,
  type ProductMembers,
  refuseChangeShape,
  refuseRetailPrices,
  retailPricePence,
} from './product-request.ts';
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
  setRetailPrices,
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
  const { catalogue, row } = await prepareChange(ctx, caller, id, body);
  const view = (of: CatalogueReference, written: ProductRow): WrittenProduct => {
    const isAboutPrint = body.status !== undefined || body.decoration !== undefined;
    const ofPrint = isAboutPrint ? blankProductWarnings(written) : [];
    return { ...productView(ctx, of, written), warnings: [...ofPrint, ...unknownFieldWarnings(unknownFields)] };
  };
  if (!CHANGEABLE.some((name) => body[name] !== undefined)) return view(catalogue, row);
  const intake = await ingestDesigns(ctx, caller, body, signal);
  try {
    const artworks = artworksOf(body, intake);
    const written = await writeChange(ctx, caller, id, { body, artworks });
    return view(written.catalogue, written.row);
  } finally {
    await intake.discard();
  }
}

/**
 * Changes the members of a personalised product that its template does not have, likewise.
 * They count at once: only the template has a draft. One that is not personalised is a 404, as an unknown one is.
 * Throws 422, for the price of a variant that it does not offer, too.
 */
export async function updatePersonalised(
  ctx: ProductsContext,
  caller: Caller,
  publicProductId: string,
  body: Pick<ProductMembers, 'name' | 'variant_skus' | 'retail_price' | 'retail_prices'>,
): Promise<void> {
  const id = parseId('prod', publicProductId);
  if (id === undefined) throw notFound();
  const { row } = await prepareChange(ctx, caller, id, body, refuseUnpersonalised);
  const offered = body.variant_skus ?? row.variants.filter(({ active }) => active).map(({ sku }) => sku);
  refuseRetailPrices(body, offered);
  if (Object.values(body).every((value) => value === undefined)) return;
  await writeChange(ctx, caller, id, { body, artworks: NO_ARTWORKS, refuse: refuseUnpersonalised });
}

/** Throws when a product cannot be changed, or not in this way. */
type Refuse = (product: { status: ProductRow['status']; personalised: boolean }) => void;

/** What changes of a product. */
export type WantedChange = {
  readonly body: ProductMembers;
  readonly artworks: Artworks;
  /** When the product was changed last, as the person has seen it; later changes are not overwritten. */
  readonly seenAt?: string | undefined;
  /** What cannot be changed in this way; left out, what the public API cannot change. */
  readonly refuse?: Refuse;
};

/**
 * Checks a change by the present catalogue, stores its pictures and writes it.
 * Throws 404, 409 for a product that can no longer be changed or was changed since `seenAt`, 422, and 503 when the
 * catalogue changes each time.
 */
export async function writeChange(
  ctx: ProductsContext,
  caller: Caller,
  id: Uuid,
  wanted: WantedChange,
): Promise<WrittenRow> {
  for (let checks = 0; checks < CHECKS_MAX; checks += 1) {
    const { catalogue, base } = await prepareChange(ctx, caller, id, wanted.body, wanted.refuse);
    const change = draftChange(ctx, wanted, base);
    await wanted.artworks.keep();
    const row = await write(ctx, caller, id, { ...change, seenAt: wanted.seenAt, refuse: wanted.refuse }, catalogue);
    if (row !== 'stale') return { catalogue, row };
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
export async function prepareChange(
  ctx: ProductsContext,
  caller: Caller,
  id: Uuid,
  body: ProductMembers,
  refuse: Refuse = refuseFixed,
): Promise<Prepared> {
  const row = await findProduct(ctx.database, caller.accountId, id);
  if (row === undefined) throw notFound();
  refuse({ status: row.status, personalised: row.personalisation !== null });
  const catalogue = await ctx.catalogue.latest();
  const base = catalogue.byId.get(row.base_product_id);
  if (base === undefined) throw new Error('a product refers to a base product that the catalogue does not have');
  const problems = resolveProblems(base, body);
  if (problems.length > 0) throw validationFailed(problems);
  return { catalogue, base, row };
}

/** Throws 409 for a product that can no longer be changed, or not through the API (spec 3.3). */
function refuseFixed({ status, personalised }: Parameters<Refuse>[0]): void {
  refuseArchived(status);
  if (personalised) {
    throw new ApiError('conflict', 'This product is personalised; it can be changed in the portal only.');
  }
}

/** As `refuseFixed`, for what only the portal changes. */
function refuseUnpersonalised({ status, personalised }: Parameters<Refuse>[0]): void {
  if (!personalised) throw notFound();
  refuseArchived(status);
}

function refuseArchived(status: ProductRow['status']): void {
  if (status !== 'archived') return;
  throw new ApiError('conflict', 'This product is archived and cannot be changed. Create a new one in its place.');
}

type DatedChange = ProductChange & { readonly now: Date };

function draftChange(ctx: ProductsContext, { body, artworks }: WantedChange, base: BaseProduct): DatedChange {
  const now = ctx.clock.now();
  const prices = body.retail_prices;
  return {
    name: body.name,
    description: body.description,
    status: body.status,
    tags: body.tags,
    retailPricePence: body.retail_price === undefined ? undefined : retailPricePence(body.retail_price),
    mockupHash: artworks.mockupHash,
    areas: designedAreas(base, body, artworks),
    variants: body.variant_skus?.map((sku) => ({ id: newId(now.getTime()), sku })),
    retailPrices:
      prices && Object.fromEntries(Object.entries(prices).map(([sku, price]) => [sku, retailPricePence(price)])),
    now,
  };
}

function changedSince(): ApiError {
  return new ApiError('conflict', 'This product was changed meanwhile. Load it again, and make your change once more.');
}

async function write(
  ctx: ProductsContext,
  { accountId }: Caller,
  id: Uuid,
  change: DatedChange & Pick<WantedChange, 'seenAt'> & { readonly refuse: Refuse | undefined },
  catalogue: CatalogueReference,
): Promise<ProductRow | 'stale'> {
  return ctx.database.transaction(async (tx) => {
    const locked = await lockProduct(tx, accountId, id);
    if (locked === undefined) throw notFound();
    // It may have been archived while its new artwork was fetched.
    (change.refuse ?? refuseFixed)(locked);
    if (change.seenAt !== undefined && change.seenAt !== isoTime(locked.updated_at)) throw changedSince();
    if ((await readCatalogueVersion(tx)) !== catalogue.catalogueVersion) return 'stale';
    await updateProductRow(tx, accountId, id, change);
    if (change.areas !== undefined) await replaceAreas(tx, accountId, id, { areas: change.areas, now: change.now });
    if (change.variants !== undefined) await replaceVariants(tx, accountId, id, change.variants);
    if (change.retailPrices !== undefined) await setRetailPrices(tx, accountId, id, change.retailPrices);
    const row = await findProduct(tx, accountId, id);
    if (row === undefined) throw new Error('a product is not there right after its change');
    return row;
  });
}
