/** What a person sells a product for, as typed. */
export type RetailPrices = {
  readonly retailPrice: string;
  /** By SKU: of the variants with a price of their own. */
  readonly retailPrices: Readonly<Record<string, string>>;
};

/** An amount as typed. Nothing is null; what is no number goes as -1, which the service refuses in its words. */
function amountOf(typed: string): number | null {
  const text = typed.trim().replace(/^£\s*/, '').replace(',', '.');
  if (text === '') return null;
  const amount = Number(text);
  return Number.isFinite(amount) ? amount : -1;
}

/** The prices of a request, of the variants that are offered. */
export function pricesOf(skus: readonly string[], { retailPrice, retailPrices }: RetailPrices) {
  const own = skus.flatMap((sku) => {
    const amount = amountOf(retailPrices[sku] ?? '');
    return amount === null ? [] : [[sku, amount] as const];
  });
  return {
    retail_price: amountOf(retailPrice),
    retail_prices: Object.fromEntries(own) as Record<string, number | null>,
  };
}

/** The prices of a product that is stored, as a person would have typed them. */
export function typedPricesOf({
  retail_price: price,
  retail_prices: own,
}: {
  readonly retail_price: number | null;
  readonly retail_prices: Readonly<Record<string, number>>;
}): RetailPrices {
  return {
    retailPrice: price === null ? '' : String(price),
    retailPrices: Object.fromEntries(Object.entries(own).map(([sku, amount]) => [sku, String(amount)])),
  };
}
