import type { Caller } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { JobFault } from '../../lib/queue.ts';
import { askToCancel } from '../../refunds/asking/ask-to-cancel.ts';
import { isAskedToCancel } from '../../refunds/asking/is-asked.ts';
import { cancelOrder } from '../../refunds/cancel-order.ts';
import type { ChannelsContext } from '../context.ts';
import type { InboxOutcome } from './inbox-sql.ts';

/** Why an order is cancelled, and what is said of it. */
export type Cancelled = {
  /** What the print shop is asked with after the window. */
  readonly asked: { readonly reason: 'buyer_cancelled' | 'other'; readonly text: string };
  /** What is said with the request; nothing where its reason says all. */
  readonly said: string;
  /** How it begins what is said of an order that cannot be cancelled. */
  readonly goesOn: string;
};

/** The shop has cancelled its order. */
export const BY_SHOP: Cancelled = {
  asked: { reason: 'buyer_cancelled', text: 'It was cancelled in the connected shop.' },
  said: '',
  goesOn: 'The shop has cancelled it, but here it goes on: ',
};

/** A person has ignored an order that was just being placed. */
export const BY_PERSON: Cancelled = {
  asked: { reason: 'other', text: 'It was ignored by a person while it was placed.' },
  said: 'It was ignored while it was placed here, and its window is over: the print shop was asked to cancel it.',
  goesOn: 'It was ignored while it was placed, but here it goes on: ',
};

/** Its recipient was erased while it was placed. */
export const BY_ERASURE: Cancelled = {
  asked: { reason: 'other', text: 'Its recipient was erased while it was placed.' },
  said: 'Its recipient was erased while it was placed here, and its window is over: the print shop was asked to cancel it.',
  goesOn: 'Its recipient was erased while it was placed, but here it goes on: ',
};

/** Cancels in the window of the order, and asks the print shop to cancel after it. */
export async function passOnCancel(
  ctx: ChannelsContext,
  caller: Caller,
  orderId: Uuid,
  { asked, said, goesOn }: Cancelled,
): Promise<InboxOutcome> {
  const id = publicId('ord', orderId);
  try {
    await cancelOrder(ctx, caller, id);
    return { state: 'placed', reason: 'cancelled' };
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'unavailable') throw error;
    if (error.code === 'refund_failed') throw new JobFault(error.message);
    if (error.code !== 'cancellation_window_closed') return refusedCancel(error, goesOn);
  }
  const isAsked: InboxOutcome = {
    state: 'placed',
    reason: 'asked_to_cancel',
    problems: said === '' ? [] : [{ path: '', message: said }],
  };
  try {
    await askToCancel(ctx, caller, id, asked);
    return isAsked;
  } catch (error) {
    // Its people may have asked already, for a reason of theirs.
    if (await isAskedToCancel(ctx.database, caller.accountId, orderId)) return isAsked;
    if (error instanceof ApiError && error.code !== 'unavailable') return refusedCancel(error, goesOn);
    throw error;
  }
}

function refusedCancel({ message }: ApiError, goesOn: string): InboxOutcome {
  return { state: 'placed', reason: 'cancel_refused', problems: [{ path: '', message: goesOn + message }] };
}
