import { type Problem, quoted } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import type { BaseProduct, CatalogueReference } from './reference.ts';

/** The base product that a request names, if it is on offer. */
export function findOfferedBase(catalogue: CatalogueReference, publicBaseProductId: string): BaseProduct | undefined {
  const id = parseId('bprod', publicBaseProductId);
  const base = id === undefined ? undefined : catalogue.byId.get(id);
  return base?.active === true ? base : undefined;
}

/** The refusal of a base product that is unknown or no longer on offer. */
export function unknownBaseProblem(publicBaseProductId: string): Problem {
  return {
    path: 'base_product_id',
    code: 'unknown_base_product',
    message: `${quoted(publicBaseProductId)} is not a base product on offer. GET /catalog/products lists them.`,
  };
}

/** The refusals of SKUs that are not active variants of a base product. */
export function variantProblems(
  skus: readonly string[],
  base: BaseProduct,
  pathOf: (index: number) => string,
): Problem[] {
  const offered = base.variants.filter((variant) => variant.active).map(({ entry }) => entry.sku);
  const active = new Set(offered);
  return skus.flatMap((sku, index) => {
    if (active.has(sku)) return [];
    const message = `${quoted(sku)} is not an active variant of ${base.entry.master_sku}. SKUs are compared exactly.`;
    return [{ path: pathOf(index), code: 'unknown_variant', message, valid_values: offered }];
  });
}

/**
 * The refusal of an unknown print area, or of a method that the area lacks.
 * `path` is that of the object with both members; empty for the body.
 */
export function printAreaProblems(
  { print_area: area, method }: { readonly print_area: string; readonly method?: string | undefined },
  base: BaseProduct,
  path: string,
): Problem[] {
  const at = (name: string): string => (path === '' ? name : `${path}.${name}`);
  const known = base.areas.get(area);
  if (known === undefined) {
    const message = `${quoted(area)} is not a print area of ${base.entry.master_sku}.`;
    return [{ path: at('print_area'), code: 'unknown_print_area', message, valid_values: [...base.areas.keys()] }];
  }
  if (method === undefined || known.methods.includes(method)) return [];
  const message = `${quoted(method)} is not a method of ${area} on ${base.entry.master_sku}.`;
  return [{ path: at('method'), code: 'unknown_method', message, valid_values: known.methods }];
}
