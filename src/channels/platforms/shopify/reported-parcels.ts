import type { ReportedParcel } from '../port.ts';

/** Which fulfilments a parcel was reported as, by its id. */
export type ToldAs = Readonly<Record<string, readonly string[]>>;

/** A fulfilment of a shop's order, with what is in it by line where that was read. */
export type KnownFulfilment = {
  readonly id: string;
  readonly numbers: readonly string[];
  readonly items?: ReadonlyMap<string, number>;
};

/**
 * Finds the fulfilments as which parcels were reported.
 * What was written says so first. A fulfilment that no parcel claims is a parcel's by its number; one without a number
 * by having just its pieces. Each fulfilment is one parcel's alone. Pure.
 */
export function fulfilledBy(
  parcels: readonly ReportedParcel[],
  known: readonly KnownFulfilment[],
  written: ToldAs,
): Map<string, readonly string[]> {
  const standing = new Set(known.map(({ id }) => id));
  const reported = new Map<string, readonly string[]>();
  const claimed = new Set<string>();
  const claim = (parcel: string, ids: readonly string[]): void => {
    if (ids.length === 0) return;
    reported.set(parcel, ids);
    for (const id of ids) claimed.add(id);
  };
  for (const { id } of parcels) {
    claim(
      id,
      (written[id] ?? []).filter((one) => standing.has(one)),
    );
  }
  for (const parcel of parcels.filter(({ id }) => !reported.has(id))) {
    const free = known.filter(({ id }) => !claimed.has(id));
    const [match] =
      parcel.number === ''
        ? free.filter((one) => hasJust(one, parcel))
        : free.filter(({ numbers }) => numbers.includes(parcel.number));
    claim(parcel.id, match === undefined ? [] : [match.id]);
  }
  return reported;
}

function hasJust({ items }: KnownFulfilment, parcel: ReportedParcel): boolean {
  if (items === undefined || items.size !== parcel.items.length) return false;
  return parcel.items.every(({ shopItemId, quantity }) => items.get(shopItemId) === quantity);
}
