import type { ArtworkRequest } from '../artwork/ingest.ts';
import { type Problem, quoted, validationFailed } from '../lib/errors.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import { MISPLACED_IN_PRODUCT, misplacedProblems } from '../lib/validation/misplaced-fields.ts';
import type { UpdateProductBody } from './schema.ts';
import type { ProductRow } from './sql.ts';

/** The common body of creating and changing; a creation has every member that it needs. */
export type ProductRequest = UpdateProductBody;

type AreaMembers = Omit<NonNullable<UpdateProductBody['decoration']>['areas'][number], 'artwork_url'>;

/** What a body says of a product beside its pictures, in the public API and in the portal. */
export type ProductMembers = Omit<UpdateProductBody, 'decoration' | 'mockup_url'> & {
  readonly decoration?: { readonly areas: readonly AreaMembers[] };
  /** By SKU; portal only. One that is not named, or null, has the price of the product. */
  readonly retail_prices?: Readonly<Record<string, number | null>>;
};

/**
 * Refuses with 422 what a body's schema cannot express (decisions, "Order of checks").
 * It runs before any look-up. It refuses a price of parts of a penny, and personalisation, which is authored in the
 * portal only (spec 4.4 rule 5).
 */
export function refuseProductShape(body: ProductRequest): void {
  const problems = shapeProblems(body);
  if (problems.length > 0) throw validationFailed(problems);
}

/** As `refuseProductShape`, and refuses `base_product_id`, which a `PATCH` cannot change (spec 4.4). */
export function refuseChangeShape(body: ProductRequest): void {
  const problems = shapeProblems(body);
  if (Object.hasOwn(body, 'base_product_id')) {
    const message = 'The base product of a product cannot be changed. Create a product of the other base product.';
    problems.unshift({ path: 'base_product_id', code: 'not_changeable', message });
  }
  if (problems.length > 0) throw validationFailed(problems);
}

function shapeProblems({ retail_price: retailPrice, decoration }: ProductRequest): Problem[] {
  const problems = priceProblems('retail_price', retailPrice);
  if (decoration !== undefined && Object.hasOwn(decoration, 'personalisation')) {
    const message = 'Personalised products are authored in the portal only. Send areas alone.';
    problems.push({ path: 'decoration.personalisation', code: 'not_available', message });
  }
  return problems;
}

/** The refusal of an amount in pounds with parts of a penny. */
export function priceProblems(path: string, price: number | null | undefined): Problem[] {
  if (typeof price !== 'number' || fromPounds(price) !== undefined) return [];
  return [{ path, code: 'decimals', message: 'must be pounds with at most 2 decimals.' }];
}

/** Throws 422 for prices with parts of a penny, and of variants that the product does not offer. */
export function refuseRetailPrices(
  { retail_price: price, retail_prices: bySku = {} }: ProductMembers,
  offered: readonly string[],
): void {
  const skus = new Set(offered);
  const ofVariants = Object.entries(bySku).flatMap(([sku, own]): Problem[] => {
    const path = `retail_prices.${sku}`;
    if (skus.has(sku)) return priceProblems(path, own);
    return [{ path, code: 'unknown_variant', message: `${quoted(sku)} is not offered by the product.` }];
  });
  const problems = [...priceProblems('retail_price', price), ...ofVariants];
  if (problems.length > 0) throw validationFailed(problems);
}

/** Members that decide what is printed and do not stand where they are taken, in any JSON value. */
export function productProblems(body: unknown): Problem[] {
  return misplacedProblems(MISPLACED_IN_PRODUCT, body);
}

/** Warns of an active product that has nothing to print. */
export function blankProductWarnings({ status, areas }: Pick<ProductRow, 'status' | 'areas'>): Warning[] {
  if (status !== 'active' || areas.length > 0) return [];
  const message =
    'The product is active and has no print areas. Its orders print nothing unless they send decoration.areas.';
  return [{ code: 'no_print_areas', path: 'decoration.areas', message }];
}

/** A retail price that has passed `refuseProductShape`, in pence. */
export function retailPricePence(retailPrice: number | null): Pence | null {
  if (retailPrice === null) return null;
  const amount = fromPounds(retailPrice);
  if (amount === undefined) throw new Error('a retail price with parts of a penny was let through');
  return amount;
}

/** Every address of a body, with the member that names it. */
export function artworkRequestsOf({ decoration, mockup_url: mockupUrl }: ProductRequest): ArtworkRequest[] {
  const areas = decoration?.areas ?? [];
  const requests = areas.map(({ artwork_url: url }, index) => ({
    url,
    path: `decoration.areas[${index}].artwork_url`,
  }));
  return typeof mockupUrl === 'string' ? [...requests, { url: mockupUrl, path: 'mockup_url' }] : requests;
}
