import type { Entry } from './clients-world.ts';

/** An entry and what it came to: done, refused, or open when it was never answered. */
export type Summed = { readonly entry: Entry; readonly isDone: boolean; readonly isOpen: boolean };

/** What an entry has come to so far. */
export function summed(entry: Entry): Summed {
  const isDone = entry.replies.some(({ status }) => status < 400);
  // Of a twin one may be answered and the other not: a refusal says nothing of the one that is still under way.
  const isOpen = !isDone && entry.replies.length < (entry.intention.isTwin ? 2 : 1);
  return { entry, isDone, isOpen };
}

/** What is wrong with a number of the database, if anything: a line of text. */
export function differs(what: string, is: number, should: number, most = should): string[] {
  if (is >= should && is <= most) return [];
  return [`${what}: ${is} in the database, ${should === most ? should : `${should} to ${most}`} by what was told`];
}
