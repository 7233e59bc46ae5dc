import type { VatClass } from '../catalogue/document.ts';
import { apportion, type Pence, pence, ratioOf, sumPence, timesQuantity, ZERO_PENCE } from '../lib/money.ts';
import { rateIndexOf, setupVatClass } from '../pricing/vat.ts';

/** A line of a paid order, with what its refund depends on. */
export type SoldLine = {
  readonly id: string;
  readonly name: string;
  readonly sku: string;
  readonly vatClass: VatClass;
  readonly unitPence: Pence;
  readonly quantity: number;
  readonly cancelled: number;
  readonly shipped: number;
  readonly isStarted: boolean;
  /** `setupKey` of each design that is printed on it. */
  readonly designs: readonly string[];
};

/** What was charged at one VAT rate: goods, setups, their share of shipping, and the VAT on them. */
export type RateAmount = { readonly rateBasisPoints: number; readonly netPence: Pence; readonly vatPence: Pence };

/** What a paid order was charged for, and what of it is credited already. */
export type Sold = {
  readonly lines: readonly SoldLine[];
  readonly setups: readonly { readonly key: string; readonly method: string; readonly pence: Pence }[];
  readonly shippingPence: Pence;
  readonly dutyPence: Pence;
  /** A row for each rate, the highest first. */
  readonly vatBreakdown: readonly RateAmount[];
  readonly credited: { readonly vatBreakdown: readonly RateAmount[]; readonly dutyPence: Pence };
};

/** A line of a credit note. */
export type CreditLine = {
  readonly description: string;
  readonly variantSku: string;
  readonly quantity: number;
  readonly unitPence: Pence;
  readonly netPence: Pence;
};

/** What is taken back of a sale. Rates of which nothing is taken back are left out. */
export type Credit = {
  readonly lines: readonly CreditLine[];
  readonly vatBreakdown: readonly RateAmount[];
  readonly netPence: Pence;
  readonly vatPence: Pence;
  readonly dutyPence: Pence;
  readonly totalPence: Pence;
};

/**
 * What cancelling pieces gives back (domain, "Refunds").
 * Their unit price; a setup once every line that uses it is wholly cancelled and none of them was started; the VAT on
 * both by rate; shipping and duty only with the last piece. What remains is not priced again.
 *
 * It is the difference of two states: what the order is charged for before and after. Each amount depends on the
 * quantities alone and not on the path to them, so any sequence of cancels ends at exactly what was charged, VAT
 * included. What a goodwill has already taken back is not given back again. `pieces` says how many of each line are
 * cancelled now.
 */
export function creditForPieces(sold: Sold, pieces: ReadonlyMap<string, number>): Credit {
  const after = {
    ...sold,
    lines: sold.lines.map((line) => ({ ...line, cancelled: line.cancelled + (pieces.get(line.id) ?? 0) })),
  };
  const [kept, left] = [keptOf(sold), keptOf(after)];
  const open = uncreditedOf(sold);
  const rates = open.vatBreakdown.map((rate, index) => ({
    rateBasisPoints: rate.rateBasisPoints,
    netPence: least(rate.netPence, (kept.rates[index]?.netPence ?? 0) - (left.rates[index]?.netPence ?? 0)),
    vatPence: least(rate.vatPence, (kept.rates[index]?.vatPence ?? 0) - (left.rates[index]?.vatPence ?? 0)),
  }));
  const lines = [
    ...sold.lines.flatMap((line) => creditLines(line.name, line.sku, line.unitPence, pieces.get(line.id) ?? 0)),
    ...creditLinesOfOrder(sold, kept, left),
  ];
  return creditOf(rates, least(open.dutyPence, kept.dutyPence - left.dutyPence), lines);
}

/** Everything that was charged and is not credited yet: a whole order, whatever became of its pieces. */
export function creditForAll(sold: Sold): Credit {
  const open = uncreditedOf(sold);
  const lines = [
    ...sold.lines.flatMap((line) => creditLines(line.name, line.sku, line.unitPence, line.quantity - line.cancelled)),
    ...creditLinesOfOrder(sold, keptOf(sold), NOTHING_KEPT),
  ];
  return creditOf(open.vatBreakdown, open.dutyPence, lines);
}

/**
 * A goodwill of an amount including its VAT, at most what is left.
 * It is taken from the VAT rates in proportion to what is left at each, and from duty only when nothing else is left.
 */
export function creditForGoodwill(sold: Sold, amountPence: Pence, description: string): Credit {
  const open = uncreditedOf(sold);
  const gross = open.vatBreakdown.map((rate) => sumPence([rate.netPence, rate.vatPence]));
  const fromRates = least(sumPence(gross), amountPence);
  const shares = gross.length === 0 ? [] : apportion(fromRates, gross);
  const rates = open.vatBreakdown.map((rate, index) => {
    const share = shares[index] ?? ZERO_PENCE;
    const vatPence = share === 0 ? ZERO_PENCE : ratioOf(share, rate.vatPence, gross[index] ?? 1);
    return { rateBasisPoints: rate.rateBasisPoints, netPence: pence(share - vatPence), vatPence };
  });
  const dutyPence = least(open.dutyPence, amountPence - fromRates);
  const netPence = sumPence(rates.map((rate) => rate.netPence));
  return creditOf(rates, dutyPence, [{ ...ONE_OFF, description, unitPence: netPence, netPence }]);
}

/** Whether every piece of an order is cancelled. */
export function isNothingLive(lines: readonly Pick<SoldLine, 'quantity' | 'cancelled'>[]): boolean {
  return lines.every((line) => line.cancelled === line.quantity);
}

/**
 * The setups whose work is not needed any more.
 * Every line that uses them is wholly cancelled, and none was started, since work that was started is done. Their
 * money goes back, and the order relies on them no longer.
 */
export function setupsNotNeeded(lines: readonly SoldLine[]): ReadonlySet<string> {
  const needed = new Set(lines.filter(needsItsSetups).flatMap(({ designs }) => designs));
  return new Set(lines.flatMap(({ designs }) => designs).filter((design) => !needed.has(design)));
}

/** What was charged and is not credited yet, by VAT rate. */
export function uncreditedOf(sold: Sold): { vatBreakdown: RateAmount[]; dutyPence: Pence; totalPence: Pence } {
  const vatBreakdown = sold.vatBreakdown.map((rate) => {
    const before = sold.credited.vatBreakdown.find(({ rateBasisPoints }) => rateBasisPoints === rate.rateBasisPoints);
    return {
      rateBasisPoints: rate.rateBasisPoints,
      netPence: pence(rate.netPence - (before?.netPence ?? 0)),
      vatPence: pence(rate.vatPence - (before?.vatPence ?? 0)),
    };
  });
  const dutyPence = pence(sold.dutyPence - sold.credited.dutyPence);
  const totalPence = sumPence([...vatBreakdown.flatMap((rate) => [rate.netPence, rate.vatPence]), dutyPence]);
  return { vatBreakdown, dutyPence, totalPence };
}

/** What an order stays charged for at its present quantities. */
type Kept = {
  readonly rates: readonly RateAmount[];
  readonly dutyPence: Pence;
  readonly shippingPence: Pence;
  readonly setups: ReadonlySet<string>;
};

const NOTHING_KEPT: Kept = { rates: [], dutyPence: ZERO_PENCE, shippingPence: ZERO_PENCE, setups: new Set() };

function keptOf(sold: Sold): Kept {
  if (isNothingLive(sold.lines)) return NOTHING_KEPT;
  const notNeeded = setupsNotNeeded(sold.lines);
  const rates = sold.vatBreakdown.map((rate, index) => {
    const given = sumPence([
      ...sold.lines
        .filter((line) => rateIndexOf(sold.vatBreakdown, line.vatClass) === index)
        .map((line) => timesQuantity(line.unitPence, line.cancelled)),
      ...sold.setups
        .filter(
          (setup) =>
            notNeeded.has(setup.key) && rateIndexOf(sold.vatBreakdown, classOfSetup(sold, setup.key)) === index,
        )
        .map((setup) => setup.pence),
    ]);
    const netPence = pence(rate.netPence - given);
    const vatPence = rate.netPence === 0 ? ZERO_PENCE : ratioOf(rate.vatPence, netPence, rate.netPence);
    return { rateBasisPoints: rate.rateBasisPoints, netPence, vatPence };
  });
  const setups = new Set(sold.setups.map(({ key }) => key).filter((key) => !notNeeded.has(key)));
  return { rates, dutyPence: sold.dutyPence, shippingPence: sold.shippingPence, setups };
}

function needsItsSetups(line: SoldLine): boolean {
  return line.cancelled < line.quantity || line.isStarted;
}

/** The VAT class of a setup: that of the goods that it is for, as it was when it was charged. */
function classOfSetup(sold: Sold, key: string): VatClass {
  return setupVatClass(
    new Set(sold.lines.filter(({ designs }) => designs.includes(key)).map(({ vatClass }) => vatClass)),
  );
}

const ONE_OFF = { variantSku: '', quantity: 1 } as const;

function creditLines(description: string, variantSku: string, unitPence: Pence, quantity: number): CreditLine[] {
  if (quantity === 0) return [];
  return [{ description, variantSku, quantity, unitPence, netPence: timesQuantity(unitPence, quantity) }];
}

function creditLinesOfOrder(sold: Sold, before: Kept, after: Kept): CreditLine[] {
  const setups = sold.setups
    .filter(({ key }) => before.setups.has(key) && !after.setups.has(key))
    .map((setup) => ({
      ...ONE_OFF,
      description: `Setup, ${setup.method}`,
      unitPence: setup.pence,
      netPence: setup.pence,
    }));
  const shippingPence = pence(before.shippingPence - after.shippingPence);
  const shipping = { ...ONE_OFF, description: 'Shipping', unitPence: shippingPence, netPence: shippingPence };
  return shippingPence === 0 ? setups : [...setups, shipping];
}

/**
 * Builds a credit whose lines sum to its net amount.
 * What was credited before, or kept at an earlier cancellation, is a line of its own.
 */
function creditOf(rates: readonly RateAmount[], dutyPence: Pence, lines: readonly CreditLine[]): Credit {
  const netPence = sumPence(rates.map((rate) => rate.netPence));
  const vatPence = sumPence(rates.map((rate) => rate.vatPence));
  const differencePence = pence(netPence - sumPence(lines.map((line) => line.netPence)));
  const difference = {
    ...ONE_OFF,
    description: differencePence < 0 ? 'Less what was credited before' : 'What was kept at an earlier cancellation',
    unitPence: differencePence,
    netPence: differencePence,
  };
  return {
    lines: differencePence === 0 ? lines : [...lines, difference],
    vatBreakdown: rates.filter((rate) => rate.netPence + rate.vatPence > 0),
    netPence,
    vatPence,
    dutyPence,
    totalPence: sumPence([netPence, vatPence, dutyPence]),
  };
}

function least(bound: Pence, amount: number): Pence {
  return pence(Math.min(bound, amount));
}
