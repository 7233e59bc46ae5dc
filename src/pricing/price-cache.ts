import type { CatalogueCache, CatalogueReference } from '../catalogue/reference.ts';
import type { CatalogueVersions } from '../catalogue/sql.ts';
import type { Clock } from '../lib/clock.ts';
import type { Database } from '../lib/db.ts';
import { compileReference, type PricingReference } from './reference.ts';
import { readCurrentBooks } from './sql.ts';

export type Prices = { readonly catalogue: CatalogueReference; readonly pricing: PricingReference };

export type PriceCache = {
  /** The current catalogue and prices. */
  readonly latest: () => Promise<Prices>;
  /** Those of these versions, or the current ones after a newer import. */
  readonly matching: (versions: CatalogueVersions) => Promise<Prices>;
};

/**
 * Caches the compiled price books beside the catalogue they were compiled with.
 * A new version of either is compiled anew.
 */
export function createPriceCache(database: Database, clock: Clock, catalogue: CatalogueCache): PriceCache {
  let compiled: { readonly of: CatalogueReference; readonly prices: Promise<Prices> } | undefined;
  const pricesFor = (reference: CatalogueReference): Promise<Prices> => {
    if (compiled?.of === reference) return compiled.prices;
    const prices = compile(database, clock, reference);
    compiled = { of: reference, prices };
    // A failure is not cached: the next caller retries.
    prices.catch(() => {
      if (compiled?.prices === prices) compiled = undefined;
    });
    return prices;
  };
  return {
    latest: async () => pricesFor(await catalogue.latest()),
    matching: async (versions) => pricesFor(await catalogue.matching(versions)),
  };
}

async function compile(database: Database, clock: Clock, catalogue: CatalogueReference): Promise<Prices> {
  const books = await readCurrentBooks(database, clock.now());
  const entries = catalogue.baseProducts.map(({ entry }) => entry);
  return { catalogue, pricing: compileReference({ base_products: entries }, books) };
}
