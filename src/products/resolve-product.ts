import type { BaseProduct } from '../catalogue/reference.ts';
import { printAreaProblems, variantProblems } from '../catalogue/resolve-names.ts';
import type { Problem } from '../lib/errors.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { ProductMembers } from './product-request.ts';

/**
 * Problems of the names in a body; empty when every name is resolved (spec 4.4).
 * Reports SKUs that are not active variants of the base product, print areas and methods that it lacks, and anything
 * named twice. Without a base product only repeats are found.
 */
export function resolveProblems(
  base: BaseProduct | undefined,
  { variant_skus: skus = [], decoration }: Pick<ProductMembers, 'variant_skus' | 'decoration'>,
): Problem[] {
  const areas = decoration?.areas ?? [];
  return [
    ...(base === undefined ? [] : variantProblems(skus, base, (index) => `variant_skus[${index}]`)),
    ...repeatProblems(skus, (index) => `variant_skus[${index}]`),
    ...(base === undefined
      ? []
      : areas.flatMap((area, index) => printAreaProblems(area, base, `decoration.areas[${index}]`))),
    ...repeatProblems(
      areas.map((area) => area.print_area),
      (index) => `decoration.areas[${index}].print_area`,
    ),
  ];
}
