import { textOf } from './members.ts';
import type { ListPlace, Shop } from './port.ts';

/** Clocks that are apart by less are right: the header of an answer has seconds. */
const CLOCKS_APART_MS = 5_000;

/** Where a list of changes goes on: which page of what has changed after a time; the first is 1. */
export type ListFrom = {
  readonly after: string;
  readonly page: number;
  /** Since when pages are counted, because what they have is ahead of every clock. */
  readonly began?: string;
};

/** What was read of a page: the time of its last change, and whether nothing follows it. */
type PageRead = { readonly last: string | undefined; readonly isEnd: boolean };

/** How a platform lists. */
type Listing = {
  /** How far behind its last change a list that was at its end goes on. */
  readonly behindMs: number;
  /** After which time a page has all that has changed at a time. */
  readonly from: (time: string) => string;
};

/** Where a list goes on by what was kept of it, after a time. Pure. */
export function listFromPlace({ page, began }: ListPlace, after: string): ListFrom {
  const from = { after, page: typeof page === 'number' ? page : 1 };
  return began === undefined ? from : { ...from, began: textOf(began) };
}

/**
 * Where a list of changes goes on once a page was read, and whether it is at its end.
 * A page begins where the one before ended; only where a whole page has one and the same time, pages are counted. A
 * list that is at its end goes on some time behind the last change, since an order may be seen a while after the time
 * that it has as its change; what is read twice changes nothing. Never before where the list began: it would go back
 * with each sync of a shop that is at rest.
 *
 * The clock of a shop may have been ahead, and was put right. No place is ahead of every clock, or what changes later
 * lay before it: pages of such orders are counted up to the end, and the list goes on behind the time at which that
 * began. A place that is ahead all the same goes back, and what lies between is listed at once. Pure.
 */
export function listOn(
  { latest }: Pick<Shop, 'latest'>,
  { after, page, ...at }: ListFrom,
  { last, isEnd }: PageRead,
  { behindMs, from }: Listing,
): { readonly next: ListFrom; readonly isEnd: boolean } {
  const now = latest?.().getTime() ?? Infinity;
  const isAhead = (time: string | undefined): boolean => time !== undefined && Date.parse(time) > now + CLOCKS_APART_MS;
  if (isAhead(after)) return { next: { after: isoOf(now - behindMs), page: 1 }, isEnd: false };
  const began = at.began ?? (isAhead(last) ? isoOf(now) : undefined);
  if (isEnd) {
    const until = began ?? last;
    const behind = until === undefined ? after : isoOf(Date.parse(until) - behindMs);
    return { next: { after: behind > after ? behind : after, page: 1 }, isEnd };
  }
  if (began !== undefined) return { next: { after, page: page + 1, began }, isEnd };
  const next = last === undefined ? after : from(last);
  return { next: next > after ? { after: next, page: 1 } : { after, page: page + 1 }, isEnd };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
