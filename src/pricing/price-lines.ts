import type { VatClass } from '../catalogue/document.ts';
import type { Problem } from '../lib/errors.ts';
import { type Pence, sumPence, timesQuantity, ZERO_PENCE } from '../lib/money.ts';
import { type CompiledBook, type PriceBreaks, type PricedVariant, printKey, unitPriceAt } from './reference.ts';
import { setupVatClass } from './vat.ts';

export type OrderType = 'sample' | 'bulk';

export type LineToPrice = {
  readonly sku: string;
  /** 1 to 10,000 (spec 8), checked before. */
  readonly quantity: number;
  /** What the consumer paid for one piece: its value for duty. Undefined: what is charged for it. */
  readonly declaredUnitPence?: Pence | undefined;
  readonly printJobs: readonly {
    /** The artwork's content hash, or a key of its own for a personalised piece. */
    readonly designKey: string;
    readonly printArea: string;
    readonly method: string;
    /** `none` for a piece that is made only once, so that its setup could never be used again. */
    readonly setup: 'by_design' | 'none';
  }[];
};

export type PricedLine = {
  readonly sku: string;
  readonly quantity: number;
  readonly blankUnitPence: Pence;
  /**
   * The price of one piece: the blank and its prints.
   * `linePricePence` is this times the quantity, and this is never derived back from it.
   */
  readonly unitPricePence: Pence;
  readonly linePricePence: Pence;
  readonly vatClass: VatClass;
  /** Of all pieces of the line, without packaging. */
  readonly weightGrams: number;
  readonly printJobs: readonly {
    readonly printArea: string;
    readonly method: string;
    readonly designKey: string;
    readonly unitPence: Pence;
  }[];
};

export type PricedSetup = {
  readonly designHash: string;
  readonly method: string;
  readonly pence: Pence;
  readonly vatClass: VatClass;
  /** Indexes of the lines that use it. */
  readonly lineIndexes: readonly number[];
  /** The print areas that it is used on. */
  readonly printAreas: readonly string[];
};

/** A setup that the account has paid before, with an order that it has still. */
export type OwnedSetup = Omit<PricedSetup, 'pence' | 'vatClass'>;

/** A line with the price lists that apply to it. */
export type FoundLine = {
  readonly line: LineToPrice;
  readonly variant: PricedVariant;
  readonly printBreaks: readonly PriceBreaks[];
};

/**
 * Finds the price lists of each line.
 * Lines that lack one are left out of `found` and reported, with paths in an order's notation; lines are priced only
 * when none is reported.
 */
export function findPrices(
  book: CompiledBook,
  lines: readonly LineToPrice[],
): { found: FoundLine[]; problems: Problem[] } {
  const found: FoundLine[] = [];
  const problems: Problem[] = [];
  lines.forEach((line, index) => {
    const variant = book.variants.get(line.sku);
    if (variant === undefined) {
      problems.push(notPriced(`items[${index}].variant_sku`, line.sku));
      return;
    }
    const printBreaks: PriceBreaks[] = [];
    for (const { printArea, method } of line.printJobs) {
      const print = variant.product.printBreaks.get(printKey(printArea, method));
      if (print === undefined) problems.push(notPriced(`items[${index}]`, `${method} on ${printArea} of ${line.sku}`));
      else printBreaks.push(print.breaks);
    }
    found.push({ line, variant, printBreaks });
  });
  return { found, problems };
}

/**
 * Prices each line (domain, "Price book").
 * The blank is priced at the break of all pieces of its base product in the order, sizes and colours mixed. Each print
 * is priced at the break of all pieces with the same design, area and method. A sample order pays quantity-one prices.
 */
export function priceLines(found: readonly FoundLine[], orderType: OrderType): PricedLine[] {
  const counts = orderType === 'sample' ? undefined : countPieces(found);
  return found.map(({ line, variant, printBreaks }) => {
    const blankUnitPence = unitPriceAt(variant.blankBreaks, counts?.ofBlank(variant) ?? 1);
    const printJobs = line.printJobs.map((job, index) => ({
      printArea: job.printArea,
      method: job.method,
      designKey: job.designKey,
      unitPence: unitPriceAt(printBreaks[index] ?? [], counts?.ofPrint(job) ?? 1),
    }));
    const unitPricePence = sumPence([blankUnitPence, ...printJobs.map(({ unitPence }) => unitPence)]);
    return {
      sku: line.sku,
      quantity: line.quantity,
      blankUnitPence,
      unitPricePence,
      linePricePence: timesQuantity(unitPricePence, line.quantity),
      vatClass: variant.vatClass,
      weightGrams: variant.weightGrams * line.quantity,
      printJobs,
    };
  });
}

/** The key of a setup right: one a design and method (decisions, "Setup fee"). */
export function setupKey(designHash: string, method: string): string {
  return `${designHash}:${method}`;
}

/**
 * The setups that lines need, in the order of first use: the fees due now, and those paid before.
 * There is one for each design and method that has a fee, however many lines and areas use it. There is none for a
 * personalised piece.
 */
export function priceSetups(
  book: CompiledBook,
  found: readonly FoundLine[],
  ownedSetups: ReadonlySet<string>,
): { due: PricedSetup[]; owned: OwnedSetup[] } {
  const uses = new Map<string, SetupUse>();
  found.forEach(({ line, variant }, index) => {
    for (const { designKey, printArea, method, setup } of line.printJobs) {
      if (setup === 'none' || !book.setups.has(method)) continue;
      const key = setupKey(designKey, method);
      const use = uses.get(key) ?? {
        of: { designHash: designKey, method },
        indexes: new Set(),
        areas: new Set(),
        classes: new Set(),
      };
      use.indexes.add(index);
      use.areas.add(printArea);
      use.classes.add(variant.vatClass);
      uses.set(key, use);
    }
  });
  const due: PricedSetup[] = [];
  const owned: OwnedSetup[] = [];
  for (const [key, { of, indexes, areas, classes }] of uses) {
    const used = { ...of, lineIndexes: [...indexes], printAreas: [...areas] };
    if (ownedSetups.has(key)) owned.push(used);
    else due.push({ ...used, pence: book.setups.get(of.method) ?? ZERO_PENCE, vatClass: setupVatClass(classes) });
  }
  return { due, owned };
}

type SetupUse = {
  readonly of: { readonly designHash: string; readonly method: string };
  readonly indexes: Set<number>;
  readonly areas: Set<string>;
  readonly classes: Set<VatClass>;
};

type PieceCounts = {
  readonly ofBlank: (variant: PricedVariant) => number | undefined;
  readonly ofPrint: (job: LineToPrice['printJobs'][number]) => number | undefined;
};

/**
 * Pieces of each base product, and of each print: the same design, area and method.
 * Maps in maps: a key of all three would be a new text for each job, twice in an order of up to 20,000 jobs.
 */
function countPieces(found: readonly FoundLine[]): PieceCounts {
  const blanks = new Map<string, number>();
  const prints = new Map<string, Map<string, Map<string, number>>>();
  for (const { line, variant } of found) {
    add(blanks, variant.product.masterSku, line.quantity);
    for (const { designKey, printArea, method } of line.printJobs) {
      add(within(within(prints, designKey), printArea), method, line.quantity);
    }
  }
  return {
    ofBlank: ({ product }) => blanks.get(product.masterSku),
    ofPrint: ({ designKey, printArea, method }) => prints.get(designKey)?.get(printArea)?.get(method),
  };
}

function add(counts: Map<string, number>, key: string, pieces: number): void {
  counts.set(key, (counts.get(key) ?? 0) + pieces);
}

function within<Value>(maps: Map<string, Map<string, Value>>, key: string): Map<string, Value> {
  const known = maps.get(key);
  if (known !== undefined) return known;
  const made = new Map<string, Value>();
  maps.set(key, made);
  return made;
}

function notPriced(path: string, what: string): Problem {
  return { path, code: 'not_priced', message: `There is no price for ${what} today. Leave it out, or ask support.` };
}
