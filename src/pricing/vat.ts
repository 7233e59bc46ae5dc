import type { VatStatus } from '../accounts/vat-number.ts';
import { VAT_CLASSES, type VatClass } from '../catalogue/document.ts';
import { apportion, type BasisPoints, basisPointsOf, type Pence, sumPence, ZERO_PENCE } from '../lib/money.ts';
import type { Territory } from './territory.ts';

/** A VAT rate, and its note on invoices; `""` for none. */
export type VatRate = { readonly rateBasisPoints: BasisPoints; readonly note: string };

/** Rate by `vatKey`; a checked price book holds every combination (domain, "VAT"). */
export type VatTable = ReadonlyMap<string, VatRate>;

export type VatRow = {
  readonly rateBasisPoints: BasisPoints;
  readonly netPence: Pence;
  readonly vatPence: Pence;
  /** The book's notes on this rate, of each class that is charged at it; absent when there are none. */
  readonly note?: string;
  /** The seller was not registered for VAT; absent otherwise. */
  readonly unregistered?: true;
};

/** The key of a VAT rate: the customer's status, the destination, the class of the goods. */
export function vatKey(status: VatStatus, territory: Territory, vatClass: VatClass): string {
  return `${status}:${territory}:${vatClass}`;
}

/**
 * VAT on an order, a row for each rate, the highest rate first (domain, "VAT").
 * `nets` holds what is charged for goods and setups by class. Shipping follows the goods, apportioned over the classes
 * by their net value. Each row is rounded once, half up, to the penny. The rows' nets sum to goods, setups and
 * shipping.
 */
export function vatOf(
  table: VatTable,
  supply: {
    readonly status: VatStatus;
    readonly territory: Territory;
    readonly nets: ReadonlyMap<VatClass, Pence>;
    readonly shippingPence: Pence;
  },
): VatRow[] {
  const classes = VAT_CLASSES.filter((vatClass) => supply.nets.has(vatClass));
  const nets = classes.map((vatClass) => supply.nets.get(vatClass) ?? ZERO_PENCE);
  const shares = apportion(supply.shippingPence, nets);
  const byRate = new Map<BasisPoints, { netPence: Pence; notes: readonly string[] }>();
  classes.forEach((vatClass, index) => {
    const { rateBasisPoints, note } = rateOf(table, supply.status, supply.territory, vatClass);
    const before = byRate.get(rateBasisPoints) ?? { netPence: ZERO_PENCE, notes: [] };
    const netPence = sumPence([before.netPence, nets[index] ?? ZERO_PENCE, shares[index] ?? ZERO_PENCE]);
    const isNoted = note === '' || before.notes.includes(note);
    byRate.set(rateBasisPoints, { netPence, notes: isNoted ? before.notes : [...before.notes, note] });
  });
  return [...byRate]
    .toSorted(([a], [b]) => b - a)
    .map(([rateBasisPoints, { netPence, notes }]) => ({
      rateBasisPoints,
      netPence,
      vatPence: basisPointsOf(netPence, rateBasisPoints),
      ...(notes.length === 0 ? {} : { note: notes.join(' ') }),
    }));
}

const UNREGISTERED_NOTE = 'No VAT: the seller was not registered for VAT when the order was placed.';

/**
 * The only row of an order that was placed while the seller was not registered for VAT.
 * `netPence` is goods, setups and shipping.
 */
export function withoutVat(netPence: Pence): VatRow {
  return {
    rateBasisPoints: basisPoints(0),
    netPence,
    vatPence: ZERO_PENCE,
    note: UNREGISTERED_NOTE,
    unregistered: true,
  };
}

/**
 * The VAT class of a setup fee: that of the goods it is for, to which it is ancillary.
 * It is `standard` when they are of more than one class.
 */
export function setupVatClass(classes: ReadonlySet<VatClass>): VatClass {
  const [only] = classes;
  return classes.size === 1 && only !== undefined ? only : 'standard';
}

/**
 * The index of a VAT class's rate in the breakdown.
 * Two rates are those of the two VAT classes, the standard one first since it is the higher; a single rate is that of
 * all goods.
 */
export function rateIndexOf(vatBreakdown: readonly unknown[], vatClass: string): number {
  return vatClass === 'standard' ? 0 : vatBreakdown.length - 1;
}

function rateOf(table: VatTable, status: VatStatus, territory: Territory, vatClass: VatClass): VatRate {
  const rate = table.get(vatKey(status, territory, vatClass));
  if (rate === undefined) throw new Error(`the price book has no VAT rate for ${vatKey(status, territory, vatClass)}`);
  return rate;
}

/** A whole number of basis points of a checked price book. */
export function basisPoints(value: number): BasisPoints {
  return value as BasisPoints;
}
