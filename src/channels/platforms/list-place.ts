import type { Shop } from './port.ts';

/** Clocks that are apart by less are right: the header of an answer has seconds. */
const CLOCKS_APART_MS = 5_000;

/**
 * After which time a list of changes goes on that is at its end.
 * Some time behind the last change, since an order may be seen a while after the time that it has as its change; what
 * is read twice changes nothing. Never before where the list began: it would go back with each sync of a shop that is
 * at rest. But a shop whose clock was ahead, and was put right, has its changes before that. Pure.
 */
export function listedOnFrom(
  { latest }: Pick<Shop, 'latest'>,
  { last, after, behindMs }: { readonly last: string | undefined; readonly after: string; readonly behindMs: number },
): string {
  const behind = last === undefined ? after : new Date(Date.parse(last) - behindMs).toISOString();
  const next = behind > after ? behind : after;
  if (latest === undefined || Date.parse(next) <= latest().getTime() + CLOCKS_APART_MS) return next;
  return new Date(latest().getTime() - behindMs).toISOString();
}
