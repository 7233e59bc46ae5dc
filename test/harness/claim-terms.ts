import { newId } from '../../src/lib/ids.ts';
import type { ClaimTerms } from '../../src/webhooks/claim-sql.ts';

/** Terms of a claim by a process that has nothing in flight and so many places. */
export function claimTerms(limit: number): ClaimTerms {
  const now = new Date();
  return {
    now,
    leaseUntil: new Date(now.getTime() + 30_000),
    leaseToken: newId(),
    limit,
    inFlight: new Map(),
    inFlightMax: 4,
    accountInFlight: new Map(),
    accountInFlightMax: 32,
    pacedFrom: 3,
  };
}
