import { orUnavailable } from '../artwork/fetch-image.ts';
import type { ArtworkRequest } from '../artwork/ingest.ts';
import { judgeTexts } from '../artwork/personalise.ts';
import { findOversold, outOfStock } from '../catalogue/oversold.ts';
import { notFoundIn, type Problem, validationFailed } from '../lib/errors.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import type { Warning } from '../lib/schemas.ts';
import { unknownFieldWarnings } from '../lib/validation/unknown-field-warnings.ts';
import type { PlaceOrderBody, PlaceOrderItem } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import type { Prices } from '../pricing/price-cache.ts';
import { type ProductSnapshot, readOfferedSkus } from '../products/sql.ts';
import { type Basket, type BasketLine, resolveBasket, UNKNOWN_VARIANT } from './basket.ts';
import { drawingsOf, listBasketArtwork } from './basket-artwork.ts';
import type { BasketRequest } from './basket-request.ts';
import { verdictProblems } from './personalisation/text.ts';
import type { GatheredRow } from './place-sql.ts';
import { trialQuoteProblems } from './trial-quote.ts';

/** A basket that can be made and sent; only its artwork has not been checked yet. */
export type PreparedBasket = {
  readonly row: GatheredRow;
  readonly prices: Prices;
  readonly lines: readonly BasketLine[];
  readonly warnings: readonly Warning[];
  /** Every address to fetch, in the order of the request. The same one may occur at several paths. */
  readonly artwork: readonly ArtworkRequest[];
};

/**
 * Resolves a basket, and refuses in the order in which the specification ranks refusals.
 * 404 for a product that is not the caller's, 422 for its meaning, 409 for stock. Fetches nothing and writes nothing.
 */
export async function prepareBasket(
  ctx: PaymentsContext,
  accountId: Uuid,
  { body, unknownFields }: BasketRequest,
  row: GatheredRow,
): Promise<PreparedBasket> {
  const products = new Map(row.products.map((product) => [publicId('prod', product.id), product]));
  refuseUnknownNames(body, products, row);
  const prices = await ctx.prices.matching({
    catalogueVersion: row.catalogue_version,
    priceBookVersion: row.price_book_version,
  });
  const basket = await resolveBasket(ctx.asker, body.items, products, prices.catalogue);
  const problems = [...brandProblems(row), ...basket.problems, ...(await textProblems(ctx, basket.lines))];
  if (problems.length === 0) problems.push(...(await trialQuoteProblems(ctx, body, row, prices, basket)));
  if (problems.length > 0) throw validationFailed(await withOfferedSkus(ctx, accountId, row, basket, problems));
  refuseOversold(body.items, row.stock);
  const warnings = [...basket.warnings, ...unknownFieldWarnings(unknownFields)];
  return { row, prices, lines: basket.lines, warnings, artwork: listBasketArtwork(body.items, basket.lines) };
}

/**
 * Refuses with 404 and the path of each product, and of the brand, that the account does not have.
 * The text is the same for what another account has, so it does not repeat the id.
 */
function refuseUnknownNames(
  { items, brand }: PlaceOrderBody,
  products: ReadonlyMap<string, ProductSnapshot>,
  row: GatheredRow,
): void {
  const message = 'There is no such product in this account. Check the id.';
  const problems = items.flatMap((item, index): Problem[] =>
    products.has(item.product_id) ? [] : [{ path: `items[${index}].product_id`, code: 'unknown_product', message }],
  );
  if (typeof brand === 'string' && row.brand === null) {
    const ofBrand = 'There is no such brand in this account. Check the id, or send null for a parcel without a brand.';
    problems.push({ path: 'brand', code: 'unknown_brand', message: ofBrand });
  }
  if (problems.length > 0) throw notFoundIn(problems);
}

function brandProblems({ brand }: GatheredRow): Problem[] {
  if (brand?.is_archived !== true) return [];
  const message = 'This brand is archived: no order can name it any more. Name another one, or null for none.';
  return [{ path: 'brand', code: 'brand_archived', message }];
}

/** Adds to each unknown SKU those that its product offers. They are read for a refusal only. */
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

/**
 * Checks the texts of personalised lines against the fonts.
 * Finds characters that no font has, and texts that do not fit their place even in the smallest size. Only an order
 * with such texts waits for an image worker here.
 */
export async function textProblems(
  ctx: Pick<PaymentsContext, 'images'>,
  lines: readonly BasketLine[],
): Promise<Problem[]> {
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

/**
 * Refuses with 409 and everything that is short, summed over all lines of a variant (spec 4.1 rule 7).
 * Reserves nothing.
 */
function refuseOversold(items: readonly PlaceOrderItem[], stock: Readonly<Record<string, number>>): void {
  const wanted = items.map(({ variant_sku: sku, quantity }, line) => ({ sku, quantity, line }));
  const oversold = findOversold(wanted, (sku) => stock[sku] ?? 0);
  if (oversold.length > 0) throw outOfStock(oversold);
}
