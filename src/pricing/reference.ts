import type { CatalogueDocument, ShippingClass, VatClass } from '../catalogue/document.ts';
import { type Pence, pence } from '../lib/money.ts';
import { compileDuty, type DutyTable } from './duty.ts';
import { type Breaks, type PriceBook, printPriceFinder } from './price-book.ts';
import { compileShipping, type ShippingTable } from './shipping.ts';
import { basisPoints, type VatTable, vatKey } from './vat.ts';

/**
 * Catalogue and price books in memory, prepared for look-ups by SKU.
 * Built once a version, shared by every quote.
 */
export type PricingReference = { readonly books: readonly CompiledBook[] };

export type CompiledBook = {
  readonly validFromMs: number;
  readonly variants: ReadonlyMap<string, PricedVariant>;
  readonly products: ReadonlyMap<string, PricedProduct>;
  /** The setup fee of each method; a method without an entry has none. */
  readonly setups: ReadonlyMap<string, Pence>;
  readonly vat: VatTable;
  readonly shipping: ShippingTable;
  readonly duty: DutyTable;
};

export type PricedVariant = {
  readonly sku: string;
  readonly product: PricedProduct;
  /** The product's blank prices with the surcharges of this size and colour. */
  readonly blankBreaks: PriceBreaks;
  readonly vatClass: VatClass;
  readonly weightGrams: number;
};

export type PricedProduct = {
  readonly masterSku: string;
  /** By `printKey`. */
  readonly printBreaks: ReadonlyMap<string, PrintPrice>;
  readonly variants: readonly PricedVariant[];
  readonly shippingClass: ShippingClass;
  readonly hsCode: string;
  readonly originCountry: string;
};

export type PrintPrice = { readonly printArea: string; readonly method: string; readonly breaks: PriceBreaks };
export type PriceBreaks = readonly { readonly fromQuantity: number; readonly unitPence: Pence }[];

type BaseProducts = CatalogueDocument['base_products'];

/**
 * Prepares base products and price books for `quote`.
 * A book that was checked against an older catalogue may lack prices for newer things. Those are left out here and
 * refused by `quote`, so that one old book never stops the service.
 */
export function compileReference(
  catalogue: { readonly base_products: BaseProducts },
  priceBooks: readonly PriceBook[],
): PricingReference {
  const books = priceBooks.map((book) => compileBook(catalogue.base_products, book));
  return { books: books.toSorted((a, b) => b.validFromMs - a.validFromMs) };
}

/**
 * The price book that is valid at a time: the latest that has begun.
 * Throws when none has: an operator must import one.
 */
export function bookAt(reference: PricingReference, now: Date): CompiledBook {
  const book = reference.books.find(({ validFromMs }) => validFromMs <= now.getTime());
  if (book === undefined) throw new Error(`no price book is valid at ${now.toISOString()}`);
  return book;
}

/** The key of a print price: an area and a method. */
export function printKey(printArea: string, method: string): string {
  return `${printArea}:${method}`;
}

/** The unit price at a quantity: that of the highest break not above it. */
export function unitPriceAt(breaks: PriceBreaks, quantity: number): Pence {
  const step = breaks.findLast(({ fromQuantity }) => fromQuantity <= quantity);
  if (step === undefined) throw new Error(`no price break holds at quantity ${quantity}`);
  return step.unitPence;
}

function compileBook(baseProducts: BaseProducts, book: PriceBook): CompiledBook {
  const blanks = new Map(book.blanks.map((blank) => [blank.master_sku, blank]));
  const findPrint = printPriceFinder(book.prints);
  const products = baseProducts.flatMap((entry) => {
    const blank = blanks.get(entry.master_sku);
    return blank === undefined ? [] : [compileProduct(entry, blank, findPrint)];
  });
  return {
    validFromMs: Date.parse(book.valid_from),
    variants: new Map(products.flatMap((product) => product.variants.map((variant) => [variant.sku, variant]))),
    products: new Map(products.map((product) => [product.masterSku, product])),
    setups: new Map(book.setups.map((setup) => [setup.method, pence(setup.pence)])),
    vat: compileVat(book.vat_rates),
    shipping: compileShipping(book.shipping),
    duty: compileDuty(book.duty_rules),
  };
}

function compileProduct(
  entry: BaseProducts[number],
  blank: PriceBook['blanks'][number],
  findPrint: ReturnType<typeof printPriceFinder>,
): PricedProduct {
  const printBreaks = new Map<string, PrintPrice>();
  for (const { print_area: printArea, size_class: sizeClass, methods } of entry.print_areas) {
    for (const method of methods) {
      const breaks = findPrint({ method, printArea, sizeClass, masterSku: entry.master_sku });
      if (breaks === undefined) continue;
      printBreaks.set(printKey(printArea, method), { printArea, method, breaks: compileBreaks(breaks, 0) });
    }
  }
  const variants: PricedVariant[] = [];
  const product = {
    masterSku: entry.master_sku,
    printBreaks,
    variants,
    shippingClass: entry.shipping_class,
    hsCode: entry.hs_code,
    originCountry: entry.origin_country,
  };
  for (const { sku, size, colour, weight_grams, vat_class } of entry.variants) {
    const surcharges = blank.surcharges.filter(
      ({ sizes, colours }) => (sizes?.includes(size) ?? true) && (colours?.includes(colour) ?? true),
    );
    const surchargePence = surcharges.reduce((sum, { unit_pence }) => sum + unit_pence, 0);
    const blankBreaks = compileBreaks(blank.breaks, surchargePence);
    variants.push({ sku, product, blankBreaks, vatClass: vat_class, weightGrams: weight_grams });
  }
  return product;
}

function compileBreaks(breaks: Breaks, surchargePence: number): PriceBreaks {
  return breaks.map(({ from_quantity, unit_pence }) => ({
    fromQuantity: from_quantity,
    unitPence: pence(unit_pence + surchargePence),
  }));
}

function compileVat(rates: PriceBook['vat_rates']): VatTable {
  return new Map(
    rates.flatMap((rate) =>
      rate.vat_statuses.flatMap((status) =>
        rate.territories.flatMap((territory) =>
          rate.vat_classes.map(
            (vatClass) =>
              [
                vatKey(status, territory, vatClass),
                { rateBasisPoints: basisPoints(rate.rate_bp), note: rate.note ?? '' },
              ] as const,
          ),
        ),
      ),
    ),
  );
}
