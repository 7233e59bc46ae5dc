import type { Uuid } from '../ids.ts';

/**
 * Who asks for a shared resource.
 * An account, the operators, background work, of an account or of all, or an address of the network that has not signed
 * in.
 */
export type Owner = Uuid | typeof OPERATORS | typeof SERVICE | `service:${string}` | `address:${string}`;

/** For whom work is done: whose turn it waits for, and when the wait for it ends early. */
export type Asker = {
  readonly owner: Owner;
  /** Aborts when the answer is not wanted any more. It ends a wait in a queue, not work that has begun. */
  readonly signal?: AbortSignal | undefined;
  /** Whether the answer is not wanted any more, for what looks only once. It costs less than the signal. */
  readonly hasGone?: () => boolean;
  /**
   * Waits for what can take seconds: a remote host, an image, a document.
   * Gives back the place of the request among those that are worked on, and takes one again afterwards.
   */
  readonly away?: <Result>(wait: () => Promise<Result>) => Promise<Result>;
};

/** Waits for what can take seconds, without the place of a request if the asker has one. */
export async function awayFor<Result>(asker: Asker, wait: () => Promise<Result>): Promise<Result> {
  return asker.away === undefined ? wait() : asker.away(wait);
}

/** All operators together. They have places of their own beside those that all share. */
export const OPERATORS = 'operators';
/** Background work of no account. */
export const SERVICE = 'service';

/** The owner of background work that is done for an account. */
export function serviceFor(accountId: Uuid): Owner {
  return `${SERVICE}:${accountId}`;
}
