import type { Problem } from '../lib/errors.ts';
import { asPiece } from '../lib/turns/pieces.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import type { Prices } from '../pricing/price-cache.ts';
import { type QuoteInput, quote } from '../pricing/quote.ts';
import type { Basket, BasketJob } from './basket.ts';
import type { GatheredRow } from './place-sql.ts';

/**
 * Quotes a basket before its artwork is fetched, and returns the problems.
 * Finds destinations that are not served and things that have no price before any remote host is called. Addresses
 * stand in for the content hashes, which are not known yet.
 */
export async function trialQuoteProblems(
  ctx: PaymentsContext,
  body: PlaceOrderBody,
  row: GatheredRow,
  prices: Prices,
  basket: Basket,
): Promise<readonly Problem[]> {
  const lines = basket.lines.map((line) => ({
    sku: line.sku,
    quantity: line.quantity,
    declaredUnitPence: line.declaredUnitPence,
    printJobs: line.jobs.map(({ printArea, method, artwork }) => ({
      designKey: trialKey(artwork, line.index),
      printArea,
      method,
      setup: artwork.kind === 'personalised' ? ('none' as const) : ('by_design' as const),
    })),
  }));
  const input = { ...quoteTerms(ctx, body, row), lines, ownedSetups: new Set<string>() };
  const result = await asPiece(ctx.asker, lines.length, () => quote(prices.pricing, input));
  return result.kind === 'refused' ? result.problems : [];
}

function trialKey(artwork: BasketJob['artwork'], lineIndex: number): string {
  if (artwork.kind === 'stored') return artwork.hash;
  return artwork.kind === 'supplied' ? artwork.url : `line ${lineIndex}`;
}

/** What a quote needs besides the lines. */
export function quoteTerms(
  ctx: PaymentsContext,
  body: PlaceOrderBody,
  row: GatheredRow,
): Omit<QuoteInput, 'lines' | 'ownedSetups'> {
  const address = body.shipping_address;
  return {
    orderType: body.type ?? 'bulk',
    now: ctx.clock.now(),
    vatRegistration: ctx.config.seller.vatRegistration,
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
