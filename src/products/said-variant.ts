import type { Db } from '../lib/db.ts';
import { type Problem, validationFailed } from '../lib/errors.ts';
import { parseId, publicId, type Uuid } from '../lib/ids.ts';
import { findNamedProducts } from './find-named.ts';
import type { NamedProduct } from './named-sql.ts';

/** What a person says that an item of a shop is: a variant of a product, or none of ours. */
export type SaidItem = {
  readonly product_id?: string;
  readonly variant_sku?: string;
  readonly not_ours?: boolean;
};

/** How many valid variants a refusal names. */
const VALID_MAX = 50;

/**
 * The variant that a person says an item of a shop is; both null for what others make.
 * Throws 422 for what the account does not have.
 */
export async function saidVariant(
  database: Db,
  accountId: Uuid,
  { product_id: publicProductId, variant_sku: sku, not_ours: isOthers }: SaidItem,
): Promise<{ readonly product_id: Uuid | null; readonly variant_sku: string | null }> {
  const refuse = (problem: Problem): Error => validationFailed([problem]);
  if (isOthers === true) {
    if (publicProductId === undefined && sku === undefined) return { product_id: null, variant_sku: null };
    throw refuse({ path: 'not_ours', code: 'one_of', message: 'is given alone, without product_id and variant_sku.' });
  }
  if (publicProductId === undefined || sku === undefined) {
    const path = publicProductId === undefined ? 'product_id' : 'variant_sku';
    throw refuse({ path, code: 'required', message: 'is required, unless not_ours is true.' });
  }
  const productId = parseId('prod', publicProductId);
  const by = { ids: productId === undefined ? [] : [productId], names: [], skus: [] };
  const [product] = productId === undefined ? [] : await findNamedProducts({ database }, accountId, by);
  if (product === undefined) {
    const message = 'is no product of the account, or an archived one.';
    throw refuse({ path: 'product_id', code: 'unknown_product', message });
  }
  if (!product.skus.includes(sku)) {
    const message = `is no active variant of ${product.name}.`;
    const valid = product.skus.slice(0, VALID_MAX);
    throw refuse({ path: 'variant_sku', code: 'unknown_variant', message, valid_values: valid });
  }
  return { product_id: product.id, variant_sku: sku };
}

/** A variant of a product as an item of a shop is said to be it. */
export function itemVariantView({ product, sku }: { product: Pick<NamedProduct, 'id' | 'name'>; sku: string }) {
  return { product_id: publicId('prod', product.id), product_name: product.name, variant_sku: sku };
}
