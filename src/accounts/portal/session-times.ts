const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** A session ends after this time, however much it is used. */
export const SESSION_MS = 7 * 24 * HOUR_MS;
/** A session that is not used for this long is over. */
export const IDLE_MS = 12 * HOUR_MS;
/** A password counts as just given for this long. */
export const PROOF_MS = 15 * MINUTE_MS;

/** A link that works once can be used for this long. */
export const LINK_MS = HOUR_MS;

/** Since when a session must have been used, to be one now. */
export function idleSince(now: Date): Date {
  return new Date(now.getTime() - IDLE_MS);
}
