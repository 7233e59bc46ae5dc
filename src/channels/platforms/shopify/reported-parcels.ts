import type { ReportedParcel } from '../port.ts';

/** Which fulfilments a parcel was reported as, by its id. */
export type MadeAs = Readonly<Record<string, readonly string[]>>;

/**
 * What was begun to be reported of a parcel, by its id, and is not written as reported yet.
 * Under which numbers, of which one is empty without a number; and the fulfilments without one that were no part of it.
 */
export type BegunAs = Readonly<
  Record<string, { readonly numbers: readonly string[]; readonly others: readonly string[] }>
>;

/** What is written in a shop's order of the parcels that it was reported, those of additions too. */
export type Written = { readonly made: MadeAs; readonly begun: BegunAs };

/** A fulfilment of a shop's order, with what is in it by line where that was read. */
export type KnownFulfilment = {
  readonly id: string;
  readonly numbers: readonly string[];
  readonly items?: ReadonlyMap<string, number>;
};

/** The fulfilments as which a parcel was reported, and its pieces that none of them has. */
export type ReportedAs = { readonly ids: readonly string[]; readonly left: ReportedParcel['items'] };

/**
 * Finds the fulfilments as which parcels were reported.
 * What was written says so first. A fulfilment that no parcel claims is a parcel's by its number, or one under which it
 * was begun, as far as the parcel has pieces in it that are in none before; one without a number by having just the
 * pieces of the parcel, or some of them where it was begun so. A parcel may be several, and each is one parcel's alone.
 * What was written of a parcel that is no news is the whole of it. Pure.
 */
export function fulfilledBy(
  parcels: readonly ReportedParcel[],
  known: readonly KnownFulfilment[],
  { written: { made, begun }, news }: { readonly written: Written; readonly news: ReadonlySet<string> },
): ReadonlyMap<string, ReportedAs> {
  const claimed = claimedIn(made);
  const reported = new Map<string, ReportedAs>();
  for (const parcel of parcels) {
    const own = known.filter(({ id }) => (made[parcel.id] ?? []).includes(id));
    const ids = own.map(({ id }) => id);
    let left = own.reduce(without, parcel.items);
    const isWhole = own.length > 0 && !news.has(parcel.id);
    for (const one of isWhole ? [] : known) {
      if (claimed.has(one.id) || !mayBeOf(one, parcel, begun) || !isPartOf(one, { parcel, left, begun })) continue;
      left = without(left, one);
      claimed.add(one.id);
      ids.push(one.id);
    }
    reported.set(parcel.id, { ids, left });
  }
  return reported;
}

/** The fulfilments that are written as some parcel's. Pure. */
export function claimedIn(made: MadeAs): Set<string> {
  return new Set(Object.values(made).flat());
}

/** Whether a fulfilment may be a parcel's by its number, whatever is in it. Pure. */
export function mayBeOf({ id, numbers }: KnownFulfilment, parcel: ReportedParcel, begun: BegunAs): boolean {
  const { numbers: before = [], others = [] } = begun[parcel.id] ?? {};
  const wanted = [parcel.number, ...before];
  if (isBlank(numbers)) return wanted.includes('') && !others.includes(id);
  return numbers.some((number) => number !== '' && wanted.includes(number));
}

/** Whether a fulfilment has no number. Pure. */
export function isBlank(numbers: KnownFulfilment['numbers']): boolean {
  return numbers.every((number) => number === '');
}

function isPartOf(
  { numbers, items = new Map() }: KnownFulfilment,
  { parcel, left, begun }: { parcel: ReportedParcel; left: ReportedAs['left']; begun: BegunAs },
): boolean {
  if (!isBlank(numbers)) return left.some(({ shopItemId }) => (items.get(shopItemId) ?? 0) > 0);
  // Its people may have sent pieces without a number, too.
  if (begun[parcel.id] === undefined) return isJust(items, parcel.items);
  return items.size > 0 && [...items].every(([line, quantity]) => quantity <= piecesIn(left, line));
}

function isJust(items: ReadonlyMap<string, number>, pieces: ReportedAs['left']): boolean {
  if (items.size !== pieces.length) return false;
  return pieces.every(({ shopItemId, quantity }) => items.get(shopItemId) === quantity);
}

function piecesIn(items: ReportedAs['left'], line: string): number {
  return items.reduce((sum, { shopItemId, quantity }) => sum + (shopItemId === line ? quantity : 0), 0);
}

/** Pieces without those in a fulfilment; what is in one that was not read is taken for all. */
function without(pieces: ReportedAs['left'], { items }: KnownFulfilment): ReportedAs['left'] {
  if (items === undefined) return [];
  const packed = new Map(items);
  return pieces.flatMap((piece) => {
    const there = Math.min(packed.get(piece.shopItemId) ?? 0, piece.quantity);
    packed.set(piece.shopItemId, (packed.get(piece.shopItemId) ?? 0) - there);
    return there === piece.quantity ? [] : [{ ...piece, quantity: piece.quantity - there }];
  });
}
