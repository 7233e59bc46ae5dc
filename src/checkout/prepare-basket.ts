import { orUnavailable } from '../artwork/fetch-image.ts';
import type { ArtworkRequest } from '../artwork/ingest.ts';
import { judgeTexts } from '../artwork/personalise.ts';
import { findOversold, outOfStock } from '../catalogue/oversold.ts';
import { notFound, type Problem, validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { publicId } from '../lib/ids.ts';
import type { PlaceOrderBody, PlaceOrderItem } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import type { Prices } from '../pricing/price-cache.ts';
import { type QuoteInput, quote, type Warning } from '../pricing/quote.ts';
import { readOfferedSkus } from '../products/sql.ts';
import {
  type Basket,
  type BasketJob,
  type BasketLine,
  productIdsOf,
  resolveBasket,
  UNKNOWN_VARIANT,
} from './basket.ts';
import { type BasketRequest, unknownFieldWarnings } from './basket-request.ts';
import type { BasketDrawing } from './personalisation/inputs.ts';
import { verdictProblems } from './personalisation/text.ts';
import { type GatheredRow, gatherForBasket } from './place-sql.ts';

export type Gathered = { readonly row: GatheredRow; readonly allProductsNamed: boolean };

/** A basket that can be made and sent, all but its artwork, which has not been looked at. */
export type PreparedBasket = {
  readonly row: GatheredRow;
  readonly prices: Prices;
  readonly lines: readonly BasketLine[];
  readonly warnings: readonly Warning[];
  /** Every address to fetch, in the request's order; the same one may stand at several paths. */
  readonly artwork: readonly ArtworkRequest[];
};

/** Reads what the basket hangs on, the external reference first of all: one round trip. */
export async function gather(ctx: PaymentsContext, accountId: Uuid, body: PlaceOrderBody): Promise<Gathered> {
  const productIds = productIdsOf(body.items);
  const row = await gatherForBasket(ctx.database, {
    accountId,
    externalReference: body.external_reference ?? null,
    productIds: productIds ?? [],
    skus: [...new Set(body.items.map((item) => item.variant_sku))],
  });
  return { row, allProductsNamed: productIds !== undefined && row.products.length === productIds.length };
}

/**
 * Resolves a basket in the order in which the specification ranks refusals: 404 for a product that is not the caller's, 422
 * for its meaning, 409 for stock. Nothing is fetched and nothing is written.
 */
export async function prepareBasket(
  ctx: PaymentsContext,
  accountId: Uuid,
  { body, unknownFields }: BasketRequest,
  { row, allProductsNamed }: Gathered,
): Promise<PreparedBasket> {
  if (!allProductsNamed) throw notFound();
  const prices = await ctx.prices.matching({
    catalogueVersion: row.catalogue_version,
    priceBookVersion: row.price_book_version,
  });
  const products = new Map(row.products.map((product) => [publicId('prod', product.id), product]));
  const basket = resolveBasket(body.items, products, prices.catalogue);
  const problems = [...basket.problems, ...(await textProblems(ctx, basket.lines))];
  if (problems.length === 0) problems.push(...pricingProblems(ctx, body, row, prices, basket));
  if (problems.length > 0) throw validationFailed(await withOfferedSkus(ctx, accountId, row, basket, problems));
  refuseOversold(body.items, row.stock);
  const warnings = [...basket.warnings, ...unknownFieldWarnings(unknownFields)];
  return { row, prices, lines: basket.lines, warnings, artwork: artworkOf(body.items, basket.lines) };
}

/** Names the SKUs that would be right beside each that is not; only a refusal pays for reading them. */
async function withOfferedSkus(
  ctx: PaymentsContext,
  accountId: Uuid,
  row: GatheredRow,
  basket: Basket,
  problems: readonly Problem[],
): Promise<readonly Problem[]> {
  if (!problems.some(({ code }) => code === UNKNOWN_VARIANT)) return problems;
  const ids = row.products.map(({ id }) => id);
  const offered = Map.groupBy(await readOfferedSkus(ctx.database, accountId, ids), (entry) => entry.product_id);
  const productAt = new Map(basket.lines.map((line) => [`items[${line.index}].variant_sku`, line.productId]));
  return problems.map((problem) => {
    const productId = problem.code === UNKNOWN_VARIANT ? productAt.get(problem.path) : undefined;
    if (productId === undefined) return problem;
    return { ...problem, valid_values: (offered.get(productId) ?? []).map(({ sku }) => sku) };
  });
}

/** What the quote needs beside the lines. */
export function quoteTerms(
  ctx: PaymentsContext,
  body: PlaceOrderBody,
  row: GatheredRow,
): Omit<QuoteInput, 'lines' | 'ownedSetups'> {
  const address = body.shipping_address;
  return {
    orderType: body.type ?? 'bulk',
    now: ctx.clock.now(),
    vatStatus: row.vat_status,
    destination: {
      countryCode: address.country_code,
      postcode: address.postcode,
      county: address.county ?? '',
      phone: address.phone ?? '',
    },
    shippingService: body.shipping_service,
  };
}

/** Where nothing is sent to, what has no price: found before any stranger's server is asked, with addresses for hashes. */
function pricingProblems(
  ctx: PaymentsContext,
  body: PlaceOrderBody,
  row: GatheredRow,
  prices: Prices,
  basket: Basket,
): readonly Problem[] {
  const lines = basket.lines.map((line) => ({
    sku: line.sku,
    quantity: line.quantity,
    printJobs: line.jobs.map(({ printArea, method, artwork }) => ({
      designKey: trialKey(artwork, line.index),
      printArea,
      method,
      setup: artwork.kind === 'personalised' ? ('none' as const) : ('by_design' as const),
    })),
  }));
  const result = quote(prices.pricing, { ...quoteTerms(ctx, body, row), lines, ownedSetups: new Set() });
  return result.kind === 'refused' ? result.problems : [];
}

function trialKey(artwork: BasketJob['artwork'], lineIndex: number): string {
  if (artwork.kind === 'stored') return artwork.hash;
  return artwork.kind === 'supplied' ? artwork.url : `line ${lineIndex}`;
}

/**
 * What the fonts say of the texts of personalised lines: characters that none has, and texts that do not fit their place
 * even in the smallest letters. Only such an order waits for a picture child here.
 */
async function textProblems(ctx: PaymentsContext, lines: readonly BasketLine[]): Promise<Problem[]> {
  const texts = drawingsOf(lines).filter((drawing) => drawing.kind === 'text');
  if (texts.length === 0) return [];
  const verdicts = await orUnavailable(() =>
    judgeTexts(
      ctx.images,
      texts.map(({ drawing }) => drawing),
    ),
  );
  return texts.flatMap(({ path }, index) => {
    const verdict = verdicts[index];
    return verdict === undefined ? [] : verdictProblems(verdict, path);
  });
}

function drawingsOf(lines: readonly BasketLine[]): BasketDrawing[] {
  return lines.flatMap(({ jobs }) =>
    jobs.flatMap(({ artwork }) => (artwork.kind === 'personalised' ? artwork.drawings : [])),
  );
}

/** 409 with everything that is short, over all lines of a variant together (spec 4.1 rule 7). Nothing is reserved. */
function refuseOversold(items: readonly PlaceOrderItem[], stock: Readonly<Record<string, number>>): void {
  const wanted = items.map(({ variant_sku: sku, quantity }, line) => ({ sku, quantity, line }));
  const oversold = findOversold(wanted, (sku) => stock[sku] ?? 0);
  if (oversold.length > 0) throw outOfStock(oversold);
}

function artworkOf(items: readonly PlaceOrderItem[], lines: readonly BasketLine[]): ArtworkRequest[] {
  return items.flatMap((item, index) => {
    const areas = item.decoration?.areas ?? [];
    const inAreas = areas.flatMap((area, at) => {
      const path = `items[${index}].decoration.areas[${at}]`;
      const artwork = { url: area.artwork_url, path: `${path}.artwork_url` };
      return area.mock_url === undefined ? [artwork] : [artwork, { url: area.mock_url, path: `${path}.mock_url` }];
    });
    return [...inAreas, ...drawingsOf(lines.slice(index, index + 1)).flatMap(suppliedPicture)];
  });
}

function suppliedPicture(drawing: BasketDrawing): ArtworkRequest[] {
  if (drawing.kind === 'text' || drawing.source.kind === 'stored') return [];
  return [{ url: drawing.source.url, path: drawing.path }];
}
