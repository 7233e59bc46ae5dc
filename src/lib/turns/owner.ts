import type { Uuid } from '../ids.ts';

/** Who asks for a shared resource: an account, the operators, or background work, of an account or of all. */
export type Owner = Uuid | typeof OPERATORS | typeof SERVICE | `service:${string}`;

/** All operators together. They have places of their own beside those that all share. */
export const OPERATORS = 'operators';
/** Background work of no account. */
export const SERVICE = 'service';

/** The owner of background work that is done for an account. */
export function serviceFor(accountId: Uuid): Owner {
  return `${SERVICE}:${accountId}`;
}
