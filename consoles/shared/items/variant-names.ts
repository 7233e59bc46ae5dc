import { useQuery } from '@tanstack/react-query';
import { reading } from '../api/queries.ts';

/** Colours and sizes do not change while a page is open. */
const FRESH_MS = 3_600_000;

/** What a person calls a variant: `White / M`. One of a garment that is not among the first hundred keeps its SKU. */
export function useVariantNames(isNeeded: boolean): (sku: string) => string {
  const query = useQuery({
    ...reading('listBaseProducts', { query: { limit: 100 } }),
    enabled: isNeeded,
    staleTime: FRESH_MS,
  });
  const names = new Map(
    (query.data?.data ?? []).flatMap(({ variants }) =>
      variants.map(({ sku, colour, size }) => [sku, `${colour} / ${size}`] as const),
    ),
  );
  return (sku) => names.get(sku) ?? sku;
}
