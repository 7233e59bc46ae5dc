import { type Pence, pence } from '../../lib/money.ts';
import type { DisputeAmounts, DisputeState } from '../provider.ts';

// What the reports of the payment provider come to, and what of it is still to be booked. Reports may repeat and come
// in any order: each says what its dispute had moved in all when it was sent, and those sums only grow.

/** A dispute of a payment: what the provider has reported of it, and what of that is booked. */
export type Dispute = {
  /** The provider's id. */
  readonly id: string;
  readonly state: DisputeState;
  /** What it took in all, and gave back in all, as reported. */
  readonly withdrawnPence: number;
  readonly reinstatedPence: number;
  /** Whether the provider listed these amounts; otherwise they are what the dispute is about. */
  readonly isListed: boolean;
  /** What is booked of both. */
  readonly bookedWithdrawnPence: number;
  readonly bookedReinstatedPence: number;
};

/** A dispute of which nothing was reported or booked yet. */
export function newDispute(id: string): Dispute {
  const nothing = { withdrawnPence: 0, reinstatedPence: 0, bookedWithdrawnPence: 0, bookedReinstatedPence: 0 };
  return { id, state: 'open', isListed: false, ...nothing };
}

/** The states in the order in which they replace one another, whatever order they are reported in. */
const STATES: readonly DisputeState[] = ['open', 'lost', 'won'];

/**
 * Merges a report into what is known of its dispute.
 * The order of reports and their repeats change nothing. Amounts that the provider lists replace what was assumed from
 * what the dispute is about.
 */
export function mergeReport(
  known: Dispute,
  report: { readonly state: DisputeState; readonly amounts: DisputeAmounts },
): Dispute {
  const state = STATES.indexOf(report.state) > STATES.indexOf(known.state) ? report.state : known.state;
  const { amounts } = report;
  if (amounts.isListed !== known.isListed) return { ...known, ...(amounts.isListed ? amounts : {}), state };
  return {
    ...known,
    state,
    withdrawnPence: Math.max(known.withdrawnPence, amounts.withdrawnPence),
    reinstatedPence: Math.max(known.reinstatedPence, amounts.reinstatedPence),
  };
}

/** What a dispute gave back: all that it took if it was won and no amount is listed. */
function givenBack({ state, withdrawnPence, reinstatedPence }: Dispute): number {
  return state === 'won' && reinstatedPence === 0 ? withdrawnPence : reinstatedPence;
}

/** What a dispute has of the payment now, by its reports. */
function reportedOf(dispute: Dispute): number {
  return Math.max(0, dispute.withdrawnPence - givenBack(dispute));
}

/** What a dispute has of the payment now, by the books. */
export function bookedOf({ bookedWithdrawnPence, bookedReinstatedPence }: Dispute): number {
  return bookedWithdrawnPence - bookedReinstatedPence;
}

/** What is to be booked of the disputes of a payment. */
export type Plan = {
  /** The disputes as they are once it is booked. */
  readonly disputes: readonly Dispute[];
  /** What is given back of what was taken. */
  readonly backPence: Pence;
  /** What is taken. */
  readonly takenPence: Pence;
  /** What came and went between two reports: booked on both sides, and the customer owes none of it. */
  readonly passedPence: Pence;
  /** What the disputes took above the payment. It is not booked. */
  readonly excessPence: Pence;
  /** What they gave back above what they took. It is not booked. */
  readonly surplusPence: Pence;
};

/**
 * Plans what is to be booked, so that the books say what the provider reported.
 * Never more than the payment is out at once. `failedPence` is what came back of it because it failed as a whole: its
 * disputes are then about the same money. What is above the payment waits for room.
 */
export function planDisputes(
  disputes: readonly Dispute[],
  payment: { readonly amountPence: number; readonly failedPence: number },
): Plan {
  const parts = disputes.map((dispute) => partOf(dispute));
  const sum = (of: (part: Part) => number): number => parts.reduce((total, part) => total + of(part), 0);
  const backPence = sum(({ back }) => back);
  let roomPence = payment.amountPence - payment.failedPence - sum(({ dispute }) => bookedOf(dispute)) + backPence;
  let takenPence = 0;
  const booked = parts.map(({ dispute, back, wanted, passed }) => {
    const taken = Math.min(wanted, Math.max(0, roomPence));
    roomPence -= taken;
    takenPence += taken;
    return {
      ...dispute,
      bookedWithdrawnPence: dispute.bookedWithdrawnPence + taken + passed,
      bookedReinstatedPence: dispute.bookedReinstatedPence + back + passed,
    };
  });
  return {
    disputes: booked,
    backPence: pence(backPence),
    takenPence: pence(takenPence),
    passedPence: pence(sum(({ passed }) => passed)),
    excessPence: pence(Math.max(0, sum(({ dispute }) => reportedOf(dispute)) - payment.amountPence)),
    surplusPence: pence(sum(({ dispute }) => surplusOf(dispute))),
  };
}

type Part = {
  readonly dispute: Dispute;
  /** What is given back of what is booked as taken. */
  readonly back: number;
  /** What is to be taken, as far as there is room. */
  readonly wanted: number;
  readonly passed: number;
};

function partOf(dispute: Dispute): Part {
  const open = reportedOf(dispute) - bookedOf(dispute);
  const newBack = Math.min(givenBack(dispute), dispute.withdrawnPence) - dispute.bookedReinstatedPence;
  const newTaken = dispute.withdrawnPence - dispute.bookedWithdrawnPence;
  if (open > 0) return { dispute, back: 0, wanted: open, passed: Math.max(0, newBack) };
  return { dispute, back: -open, wanted: 0, passed: Math.max(0, Math.min(newTaken, newBack)) };
}

/** What a dispute gave back above what it took; nothing while what it took is not known. */
function surplusOf({ withdrawnPence, reinstatedPence }: Dispute): number {
  return withdrawnPence === 0 ? 0 : Math.max(0, reinstatedPence - withdrawnPence);
}
