import type { BaseProduct, CatalogueReference } from '../catalogue/reference.ts';
import { type Problem, quoted } from '../lib/errors.ts';
import { parseId } from '../lib/ids.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { ProductRequest } from './product-request.ts';
import type { ProductAreaBody } from './schema.ts';

/** The base product that a creation names, if it is on offer. */
export function findOfferedBase(catalogue: CatalogueReference, publicBaseProductId: string): BaseProduct | undefined {
  const id = parseId('bprod', publicBaseProductId);
  const base = id === undefined ? undefined : catalogue.byId.get(id);
  return base?.active === true ? base : undefined;
}

/**
 * Problems of the names in a body; empty when every name is resolved (spec 4.4).
 * Reports SKUs that are not active variants of the base product, print areas and methods that it lacks, and anything
 * named twice. Without a base product only repeats are found.
 */
export function resolveProblems(
  base: BaseProduct | undefined,
  { variant_skus: skus = [], decoration }: ProductRequest,
): Problem[] {
  const areas = decoration?.areas ?? [];
  return [
    ...(base === undefined ? [] : skuProblems(skus, base)),
    ...repeatProblems(skus, (index) => `variant_skus[${index}]`),
    ...(base === undefined ? [] : areas.flatMap((area, index) => areaProblems(area, base, index))),
    ...repeatProblems(
      areas.map((area) => area.print_area),
      (index) => `decoration.areas[${index}].print_area`,
    ),
  ];
}

/** The refusal of a base product that is unknown or no longer on offer. */
export function unknownBaseProblem(publicBaseProductId: string): Problem {
  return {
    path: 'base_product_id',
    code: 'unknown_base_product',
    message: `${quoted(publicBaseProductId)} is not a base product on offer. GET /catalog/products lists them.`,
  };
}

function skuProblems(skus: readonly string[], base: BaseProduct): Problem[] {
  const offered = base.variants.filter((variant) => variant.active).map(({ entry }) => entry.sku);
  const active = new Set(offered);
  return skus.flatMap((sku, index) => {
    if (active.has(sku)) return [];
    const message = `${quoted(sku)} is not an active variant of ${base.entry.master_sku}. SKUs are compared exactly.`;
    return [{ path: `variant_skus[${index}]`, code: 'unknown_variant', message, valid_values: offered }];
  });
}

function areaProblems({ print_area: area, method }: ProductAreaBody, base: BaseProduct, index: number): Problem[] {
  const path = `decoration.areas[${index}]`;
  const known = base.areas.get(area);
  if (known === undefined) {
    const message = `${quoted(area)} is not a print area of ${base.entry.master_sku}.`;
    return [{ path: `${path}.print_area`, code: 'unknown_print_area', message, valid_values: [...base.areas.keys()] }];
  }
  if (known.methods.includes(method)) return [];
  const message = `${quoted(method)} is not a method of ${area} on ${base.entry.master_sku}.`;
  return [{ path: `${path}.method`, code: 'unknown_method', message, valid_values: known.methods }];
}
