import { readAvailable } from '../../catalogue/read-catalogue.ts';
import type { CatalogueReference } from '../../catalogue/reference.ts';
import { findOfferedBase, unknownBaseProblem } from '../../catalogue/resolve-names.ts';
import { type Problem, validationFailed } from '../../lib/errors.ts';
import { type Pence, pence, toPounds } from '../../lib/money.ts';
import { priceProblems, retailPricePence } from '../../products/product-request.ts';
import { resolveProblems } from '../../products/resolve-product.ts';
import type { FoundLine } from '../price-lines.ts';
import type { PricingContext } from '../read-prices.ts';
import { bookAt } from '../reference.ts';
import type { PriceProductBody, ProductPrices } from './selling-schema.ts';
import { breaksOf, findProductPrices, type PiecesAre, unitPriceOf } from './unit-prices.ts';

/**
 * Says what a product costs by quantity, what is left of its retail price, and what is in stock.
 * By the price lists and the code of a quote; delivery, setups and VAT belong to an order. A personalised piece has no
 * setup (decisions, "Setup fee"). Throws 422.
 */
export async function priceProduct(ctx: PricingContext, body: PriceProductBody): Promise<ProductPrices> {
  const { catalogue, pricing } = await ctx.prices.latest();
  refuseNames(catalogue, body);
  const book = bookAt(pricing, ctx.clock.now());
  const { lines, problems } = findProductPrices(book, body.variant_skus, body.areas);
  if (problems.length > 0) throw validationFailed(inTheBody(problems));
  const available = await readAvailable(ctx, body.variant_skus);
  const quantity = body.quantity ?? 1;
  const methods = new Set(body.areas.map(({ method }) => method));
  const setups = body.personalised === undefined ? [...book.setups].filter(([method]) => methods.has(method)) : [];
  const pieces = body.personalised ?? 'alike';
  return {
    currency: 'GBP',
    quantity,
    breaks: breaksOf(lines, pieces).map((from) => breakAt(lines, from, pieces)),
    setups: setups.map(([method, price]) => ({ method, price: toPounds(price) })),
    variants: lines.map((found) => {
      const { sku } = found.line;
      const entry = catalogue.bySku.get(sku)?.variant.entry;
      if (entry === undefined) throw new Error(`${sku} was priced and is not in the catalogue`);
      const retail = retailPricePence(body.retail_prices?.[sku] ?? body.retail_price ?? null);
      return {
        ...{ sku, colour: entry.colour, size: entry.size, available: available.get(sku) ?? 0 },
        ...marginOf(unitPriceOf(found, quantity, pieces), retail),
      };
    }),
  };
}

function refuseNames(catalogue: CatalogueReference, body: PriceProductBody): void {
  const base = findOfferedBase(catalogue, body.base_product_id);
  const named = resolveProblems(base, { variant_skus: body.variant_skus, decoration: { areas: body.areas } });
  const problems: Problem[] = [
    ...(base === undefined ? [unknownBaseProblem(body.base_product_id)] : []),
    ...named.map((problem) => ({ ...problem, path: problem.path.replace(/^decoration\./, '') })),
    ...priceProblems('retail_price', body.retail_price),
    ...Object.entries(body.retail_prices ?? {}).flatMap(([sku, own]) => priceProblems(`retail_prices.${sku}`, own)),
  ];
  if (problems.length > 0) throw validationFailed(problems);
}

/** A price list is missing: the paths of an order's lines are those of the variants here. */
function inTheBody(problems: readonly Problem[]): Problem[] {
  return problems.map((problem) => ({
    ...problem,
    path: problem.path.replace(/^items\[(\d+)\].*$/, 'variant_skus[$1]'),
  }));
}

function breakAt(lines: readonly FoundLine[], from: number, pieces: PiecesAre): ProductPrices['breaks'][number] {
  const prices = lines.map((found) => unitPriceOf(found, from, pieces));
  return {
    from_quantity: from,
    unit_price_min: toPounds(pence(Math.min(...prices))),
    unit_price_max: toPounds(pence(Math.max(...prices))),
  };
}

type Margin = Pick<ProductPrices['variants'][number], 'unit_price' | 'retail_price' | 'margin' | 'margin_percent'>;

function marginOf(unitPricePence: Pence, retailPence: Pence | null): Margin {
  const unit_price = toPounds(unitPricePence);
  if (retailPence === null) return { unit_price, retail_price: null, margin: null, margin_percent: null };
  const margin = pence(retailPence - unitPricePence);
  const percent = retailPence === 0 ? null : Math.round((1_000 * margin) / retailPence) / 10;
  return { unit_price, retail_price: toPounds(retailPence), margin: toPounds(margin), margin_percent: percent };
}
