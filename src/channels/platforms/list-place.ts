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
  /**
   * The time whose orders alone are listed, by their ids.
   * A whole page has no other. They are listed to their end, and then back from it.
   */
  readonly moment?: string;
  readonly way?: 'back';
  /** After which time the list goes on once counted pages were read from their end back. */
  readonly resumes?: string;
};

/** What was read of a page: the time of its last change, and whether nothing follows it. */
type PageRead = { readonly last: string | undefined; readonly isEnd: boolean };

/** How a platform lists. */
type Listing = {
  /** How far behind its last change a list that was at its end goes on. */
  readonly behindMs: number;
  /** After which time a page has all that has changed at a time, and what has changed since. */
  readonly from: (time: string) => string;
  /** After which time a page has what has changed since a time alone. */
  readonly past: (time: string) => string;
};

/** Where a list goes on by what was kept of it, after a time. Pure. */
export function listFromPlace({ page, began, moment, way, resumes }: ListPlace, after: string): ListFrom {
  return {
    ...{ after, page: typeof page === 'number' ? page : 1 },
    ...(began === undefined ? {} : { began: textOf(began) }),
    ...(moment === undefined ? {} : { moment: textOf(moment) }),
    ...(way === undefined ? {} : { way: 'back' }),
    ...(resumes === undefined ? {} : { resumes: textOf(resumes) }),
  };
}

/**
 * Where a list of changes goes on once a page was read, and whether it is at its end.
 * A page begins where the one before ended; only where a whole page has one and the same time, that moment is listed
 * by itself. A list that is at its end goes on some time behind the last change, since an order may be seen a while
 * after the time that it has as its change; what is read twice changes nothing. Never before where the list began: it
 * would go back with each sync of a shop that is at rest.
 *
 * The clock of a shop may have been ahead, and was put right. No place is ahead of every clock, or what changes later
 * lay before it: pages of such orders are counted up to the end, and the list goes on behind the time at which that
 * began. A place that is ahead all the same goes back, and what lies between is listed at once. Pure.
 */
export function listOn(
  { latest }: Pick<Shop, 'latest'>,
  { after, page, moment, ...at }: ListFrom,
  { last, isEnd }: PageRead,
  { behindMs, from, past }: Listing,
): { readonly next: ListFrom; readonly isEnd: boolean } {
  if (moment !== undefined) {
    const next = nextOfMoment({ after, page, moment, ...at }, isEnd) ?? { after: past(moment), page: 1 };
    return { next, isEnd: false };
  }
  if (at.resumes !== undefined) {
    const next = page === 1 ? { after: at.resumes, page: 1 } : { ...at, after, page: page - 1 };
    return { next, isEnd: false };
  }
  const now = latest?.().getTime() ?? Infinity;
  const isAhead = (time: string | undefined): boolean => time !== undefined && Date.parse(time) > now + CLOCKS_APART_MS;
  if (isAhead(after)) return { next: { after: isoOf(now - behindMs), page: 1 }, isEnd: false };
  const began = at.began ?? (isAhead(last) ? isoOf(now) : undefined);
  // What was changed of counted pages meanwhile has moved others up into pages that were read.
  const wasCounted = page > 1 && began === undefined && last !== undefined;
  const backTo = (time: string): ListFrom => ({ after, page: page - 1, way: 'back', resumes: time });
  if (isEnd) {
    const until = began ?? last;
    const behind = until === undefined ? after : isoOf(Date.parse(until) - behindMs);
    const end = behind > after ? behind : after;
    return wasCounted && end > after ? { next: backTo(end), isEnd: false } : { next: { after: end, page: 1 }, isEnd };
  }
  if (began !== undefined) return { next: { after, page: page + 1, began }, isEnd };
  if (last !== undefined && from(last) > after) {
    return { next: wasCounted ? backTo(from(last)) : { after: from(last), page: 1 }, isEnd };
  }
  const isOneTime = last !== undefined && past(last) > after;
  return { next: isOneTime ? { after, page: 1, moment: last } : { after, page: page + 1 }, isEnd };
}

/**
 * The next page of a moment that is listed by itself; undefined after the last.
 * What is changed meanwhile leaves the moment, and what follows moves up into pages that were read. So they are read
 * again from the last to the first: nothing moves down. Pure.
 */
function nextOfMoment({ page, way, ...at }: ListFrom, isEnd: boolean): ListFrom | undefined {
  if (way === undefined && !isEnd) return { ...at, page: page + 1 };
  return page === 1 ? undefined : { ...at, page: page - 1, way: 'back' };
}

const isoOf = (ms: number): string => new Date(ms).toISOString();
