import type { Reply } from '../api/client.ts';
import { formatMoney } from '../values/money.tsx';
import { wordsOf } from '../values/words.ts';

export type OrderProblem = Reply<'getProblem'>;

type Tone = 'good' | 'wait' | 'still';

const STATUSES: Readonly<Record<string, { readonly label: string; readonly tone: Tone }>> = {
  open: { label: 'Open', tone: 'wait' },
  replaced: { label: 'Replaced', tone: 'good' },
  refunded: { label: 'Refunded', tone: 'good' },
  refused: { label: 'Refused', tone: 'still' },
  withdrawn: { label: 'Withdrawn', tone: 'still' },
};

/** The statuses of a problem, in the order of its life. */
export const PROBLEM_STATUSES = Object.keys(STATUSES);

const KINDS: Readonly<Record<string, string>> = {
  damaged: 'It arrived damaged',
  wrong_item: 'It is the wrong item',
  print_fault: 'The print is faulty',
  missing: 'It was not in the parcel',
  late: 'The parcel is late',
  lost: 'The parcel is lost',
  other: 'Something else',
};

/** The kinds of problems with what a person calls them. */
export const PROBLEM_KINDS = Object.entries(KINDS).map(([value, label]) => ({ value, label }));

/** What a person calls a kind. */
export function kindLabel(kind: string): string {
  return KINDS[kind] ?? wordsOf(kind);
}

/** What a person calls a status. */
export function problemStatusLabel(status: string): string {
  return STATUSES[status]?.label ?? status;
}

/** Where a problem stands. */
export function ProblemStatus({ status }: { status: string }) {
  const { label, tone } = STATUSES[status] ?? { label: status, tone: 'still' };
  return (
    <span className="platen-status" data-tone={tone}>
      {label}
    </span>
  );
}

/** The reported pieces, in a line of text. */
export function piecesText({ items }: OrderProblem): string {
  return items.map(({ quantity, name }) => `${quantity} × ${name}`).join(', ');
}

/** What the shop did about it; empty where it only gave a reason, or nothing yet. */
export function doneText({ answer }: OrderProblem): string {
  if (answer === null || answer.refund_gbp === null) return '';
  return `${formatMoney(answer.refund_gbp, 'GBP')} refunded`;
}
