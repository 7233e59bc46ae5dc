import { type CatalogueContext, findBaseProduct } from '../catalogue/read-catalogue.ts';
import { notFound } from '../lib/errors.ts';
import type { PriceCache } from './price-cache.ts';
import { priceListOf } from './price-list.ts';
import type { PricesReply } from './schema.ts';
import { pricesView } from './view.ts';

export type PricingContext = CatalogueContext & { readonly prices: PriceCache };

/**
 * The current prices of a base product: blanks, prints, setups and their breaks.
 * Throws 404 when it is unknown or has no prices.
 */
export async function getPrices(ctx: PricingContext, publicBaseProductId: string): Promise<PricesReply> {
  const baseProduct = await findBaseProduct(ctx, publicBaseProductId);
  const { pricing } = await ctx.prices.latest();
  const list = priceListOf(pricing, baseProduct.entry.master_sku, ctx.clock.now());
  if (list === undefined) throw notFound();
  return pricesView(list);
}
