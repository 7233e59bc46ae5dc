import type { AttemptRow } from '../attempt-sql.ts';
import { bookedOf, type Dispute, newDispute } from './plan.ts';

// The row of an attempt sums up what came back of its payment. All that shows an order reads it there, and so does the
// version before this one, which knows one dispute at a time and no table of them.

/** What the row of an attempt says of the money that came back. */
export type Summary = Pick<
  AttemptRow,
  | 'returned_at'
  | 'returned_pence'
  | 'returned_before_pence'
  | 'recovered_at'
  | 'won_at'
  | 'dispute_id'
  | 'past_disputes'
>;

/**
 * The name of the dispute where one name cannot say it.
 * Several are open, or one has given a part back. The version before this one books nothing more of such a payment
 * and opens a task.
 */
const SEVERAL = 'several';

/** Whether some of what came back is not collected or given back yet. */
export function isOpen({ returned_at, recovered_at }: Pick<Summary, 'returned_at' | 'recovered_at'>): boolean {
  return returned_at !== null && recovered_at === null;
}

/** What came back since it was last collected, or given back, in whole. */
function returnedOf(attempt: Summary & Pick<AttemptRow, 'amount_pence'>): number {
  return attempt.returned_at === null ? 0 : (attempt.returned_pence ?? attempt.amount_pence);
}

type Attempt = Summary & Pick<AttemptRow, 'amount_pence'>;

/** All that the disputes and the failure of a payment ever took. */
function everReturned(attempt: Attempt): number {
  return returnedOf(attempt) + attempt.returned_before_pence;
}

/** What came back of a payment because it failed as a whole: what none of its disputes took. */
export function failedOf(attempt: Attempt, disputes: readonly Dispute[]): number {
  return everReturned(attempt) - sumOf(disputes, ({ bookedWithdrawnPence }) => bookedWithdrawnPence);
}

/** What the provider has of a payment now, by its disputes and its failure. */
export function outOf(attempt: Attempt, disputes: readonly Dispute[]): number {
  return everReturned(attempt) - sumOf(disputes, ({ bookedReinstatedPence }) => bookedReinstatedPence);
}

/**
 * What the provider has of a payment and is not open.
 * It was collected by bank, written off or set off.
 */
export function settledOf(attempt: Attempt, disputes: readonly Dispute[]): number {
  return outOf(attempt, disputes) - (isOpen(attempt) ? returnedOf(attempt) : 0);
}

/**
 * Adds to the disputes of a payment what its row alone says of them.
 * The version before this one has written it since. It booked a dispute when its money was taken and when all of it
 * was given back.
 */
export function carryOver(attempt: Attempt, known: readonly Dispute[]): readonly Dispute[] {
  const { dispute_id: latest, past_disputes: past, won_at: wonAt } = attempt;
  const isKnown = (id: string): boolean => known.some((dispute) => dispute.id === id);
  const isWon = (id: string): boolean => past.includes(id) || (id === latest && wonAt !== null);
  const settled = known.map((dispute) =>
    isWon(dispute.id) && bookedOf(dispute) > 0 ? wonOf(dispute, dispute.bookedWithdrawnPence) : dispute,
  );
  const isLatestNew = latest !== null && latest !== SEVERAL && !isKnown(latest);
  const latestPence = isLatestNew ? returnedOf(attempt) : 0;
  const [firstNew, ...othersNew] = past.filter((id) => !isKnown(id));
  const pastPence = everReturned(attempt) - latestPence - sumOf(known, (dispute) => dispute.bookedWithdrawnPence);
  return [
    ...settled,
    ...(firstNew === undefined ? [] : [wonOf(newDispute(firstNew), pastPence)]),
    ...othersNew.map((id) => wonOf(newDispute(id), 0)),
    ...(isLatestNew ? [latestOf(latest, latestPence, wonAt !== null)] : []),
  ];
}

function wonOf(dispute: Dispute, takenPence: number): Dispute {
  const booked = { bookedWithdrawnPence: takenPence, bookedReinstatedPence: takenPence };
  const withdrawnPence = Math.max(dispute.withdrawnPence, takenPence);
  return { ...dispute, state: 'won', withdrawnPence, reinstatedPence: withdrawnPence, ...booked };
}

function latestOf(id: string, takenPence: number, isWon: boolean): Dispute {
  if (isWon) return wonOf(newDispute(id), takenPence);
  return { ...newDispute(id), withdrawnPence: takenPence, bookedWithdrawnPence: takenPence };
}

/** The summary once a payment, or a part of it, has come back. */
export function afterTaken(attempt: Attempt, takenPence: number, now: Date): Attempt {
  if (isOpen(attempt)) return { ...attempt, returned_pence: returnedOf(attempt) + takenPence };
  const returned_before_pence = everReturned(attempt);
  return { ...attempt, returned_at: now, returned_pence: takenPence, returned_before_pence, recovered_at: null };
}

/**
 * The summary once a part of what was collected of a payment was not collected after all.
 * What is set off from now on counts against it. `againPence` is at most what is settled of the payment.
 */
export function afterUncollected(attempt: Attempt, againPence: number, now: Date): Attempt {
  const openPence = againPence + (isOpen(attempt) ? returnedOf(attempt) : 0);
  return {
    ...attempt,
    returned_at: isOpen(attempt) ? attempt.returned_at : now,
    returned_pence: openPence,
    returned_before_pence: everReturned(attempt) - openPence,
    recovered_at: null,
  };
}

/** The summary once money has come and gone between two reports. */
export function afterPassed(attempt: Attempt, passedPence: number): Attempt {
  return { ...attempt, returned_before_pence: attempt.returned_before_pence + passedPence };
}

/** The summary once so much of what is open was given back. */
export function afterGivenBack(attempt: Attempt, backPence: number, now: Date): Attempt {
  if (!isOpen(attempt) || backPence === 0) return attempt;
  const restPence = returnedOf(attempt) - backPence;
  if (restPence <= 0) return { ...attempt, recovered_at: now };
  return {
    ...attempt,
    returned_pence: restPence,
    returned_before_pence: attempt.returned_before_pence + backPence,
  };
}

/** The summary with the names of the disputes, once they are booked. */
export function named(attempt: Attempt, disputes: readonly Dispute[], now: Date): Summary {
  const open = disputes.filter((dispute) => bookedOf(dispute) > 0);
  const past_disputes = disputes
    .filter((dispute) => bookedOf(dispute) === 0 && (dispute.bookedWithdrawnPence > 0 || dispute.state === 'won'))
    .map(({ id }) => id);
  const hasFailed = failedOf(attempt, disputes) > 0;
  if (open.length > 0) {
    const [first] = open;
    const isOne =
      open.length === 1 &&
      !hasFailed &&
      first?.bookedReinstatedPence === 0 &&
      first.bookedWithdrawnPence === returnedOf(attempt);
    return { ...attempt, dispute_id: isOne ? first.id : SEVERAL, past_disputes, won_at: null };
  }
  if (hasFailed || past_disputes.length === 0) return { ...attempt, dispute_id: null, past_disputes, won_at: null };
  return {
    ...attempt,
    dispute_id: past_disputes.at(-1) ?? null,
    past_disputes: past_disputes.slice(0, -1),
    won_at: attempt.won_at ?? now,
    recovered_at: attempt.recovered_at ?? now,
  };
}

function sumOf(disputes: readonly Dispute[], of: (dispute: Dispute) => number): number {
  return disputes.reduce((sum, dispute) => sum + of(dispute), 0);
}
