/** What a heap orders: the smallest rank first, the earlier entry among equals. */
export type Ranked = { rank: number; sequence: number; place: number };

/** The place of an entry that is in no heap. */
export const OUTSIDE = -1;

/** Entries by rank. Each step takes O(log n), also the removal of any entry. */
export type Heap<Entry extends Ranked> = {
  readonly first: () => Entry | undefined;
  readonly size: () => number;
  /** Its rank must not change while it is inside. */
  readonly add: (entry: Entry) => void;
  readonly remove: (entry: Entry) => void;
};

/** Makes an empty binary heap whose entries know their places. */
export function createHeap<Entry extends Ranked>(): Heap<Entry> {
  const entries: Entry[] = [];

  const put = (entry: Entry, place: number): void => {
    entries[place] = entry;
    entry.place = place;
  };
  const rise = (entry: Entry, from: number): void => {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = entries[above];
      if (parent === undefined || !isBefore(entry, parent)) break;
      put(parent, place);
      place = above;
    }
    put(entry, place);
  };
  const sink = (entry: Entry, from: number): void => {
    let place = from;
    for (;;) {
      const left = entries[2 * place + 1];
      const right = entries[2 * place + 2];
      const child = right !== undefined && left !== undefined && isBefore(right, left) ? right : left;
      if (child === undefined || !isBefore(child, entry)) break;
      const below = child.place;
      put(child, place);
      place = below;
    }
    put(entry, place);
  };

  return {
    first: () => entries[0],
    size: () => entries.length,
    add: (entry) => {
      entries.push(entry);
      rise(entry, entries.length - 1);
    },
    remove: (entry) => {
      const { place } = entry;
      const last = entries.pop();
      entry.place = OUTSIDE;
      if (last === undefined || last === entry) return;
      rise(last, place);
      sink(last, last.place);
    },
  };
}

function isBefore(one: Ranked, other: Ranked): boolean {
  return one.rank === other.rank ? one.sequence < other.sequence : one.rank < other.rank;
}
