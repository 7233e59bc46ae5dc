import type { Reply } from '../api/client.ts';
import { wordsOf } from '../values/words.ts';

export type CancellationRequest = NonNullable<Reply<'getOrder'>['cancellation_request']>;

const REASONS: Readonly<Record<string, string>> = {
  changed_mind: 'I do not need it any more',
  buyer_cancelled: 'My customer has cancelled',
  ordered_twice: 'It was ordered twice',
  wrong_item: 'Product, size or artwork is wrong',
  wrong_address: 'The address is wrong',
  takes_too_long: 'It takes too long',
  other: 'Something else',
};

/** The reasons to ask with, as a person says them. */
export const ASKING_REASONS = Object.entries(REASONS).map(([value, label]) => ({ value, label }));

/** What a person calls a reason. */
export function askingReasonLabel(reason: string): string {
  return REASONS[reason] ?? wordsOf(reason);
}

const STATES: Readonly<Record<string, string>> = {
  open: 'You have asked the shop to cancel this order',
  accepted: 'The shop has cancelled as you asked',
  refused: 'The shop does not cancel this order',
  withdrawn: 'You have withdrawn your request to cancel',
  lapsed: 'Your request to cancel came to nothing: the order had ended before an answer',
};

/** Where a request stands, in a sentence. */
export function requestStateText({ state }: CancellationRequest): string {
  return STATES[state] ?? `Your request to cancel is ${state}`;
}
