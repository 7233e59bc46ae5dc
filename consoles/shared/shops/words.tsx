import type { Input, Reply } from '../api/client.ts';
import { Moment } from '../values/moment.tsx';
import { wordsOf } from '../values/words.ts';

/** A connected shop. */
export type Shop = Reply<'getChannel'>;
/** An order of a connected shop, and what became of it. */
export type ShopOrder = Reply<'listShopOrders'>['data'][number];
/** What the orders of shops can be narrowed to. */
export type InboxState = NonNullable<NonNullable<Input<'listShopOrders'>['query']>['state']>;
export type InboxReason = NonNullable<NonNullable<Input<'listShopOrders'>['query']>['reason']>;

type Tone = 'good' | 'wait' | 'bad' | 'busy' | 'still';

const STATES: Readonly<Record<string, readonly [label: string, tone: Tone]>> = {
  waiting: ['Waiting', 'wait'],
  failed: ['Failed', 'bad'],
  placed: ['Placed', 'good'],
  ignored: ['Ignored', 'still'],
  new: ['New', 'busy'],
};

/** The states of an order of a shop, what a person looks at first before the others. */
export const SHOP_ORDER_STATES = Object.keys(STATES) as readonly InboxState[];

/** What a person calls a state. */
export function shopOrderStateLabel(state: string): string {
  return STATES[state]?.[0] ?? state;
}

/** What became of an order of a shop, in a word. */
export function ShopOrderState({ order: { state, reason } }: { order: ShopOrder }) {
  const [label, tone]: readonly [string, Tone] = STATES[state] ?? [state, 'still'];
  // Waiting for a person is not waiting for the shop, or for a time.
  const shown = state === 'waiting' && !isForPerson(reason) ? 'busy' : tone;
  return (
    <span className="platen-status" data-tone={reason === 'cancel_refused' ? 'bad' : shown}>
      {label}
    </span>
  );
}

/** Why an order of a shop waits or is ignored, or what came after it was placed; each says who has to do what. */
const REASONS: Readonly<Record<string, string>> = {
  gave_up: 'It could not be placed by a fault of ours; the print shop looks at it',
  paused: 'The shop is paused: let it go on',
  earlier: 'Ordered before the shop was connected: place it, or ignore it',
  unpaid: 'The buyer has not paid in the shop',
  on_hold: 'The shop holds it',
  unknown_status: 'The shop has a status of its own for it: place it, or have the shop move it on',
  high_risk: 'The shop suspects fraud: look at it, then place it or ignore it',
  risk_pending: 'The shop is still looking whether it is fraud',
  scheduled: 'The shop wants it made later',
  delayed: 'It waits for the minutes that you set, so that the shop can still change it',
  needs_mapping: 'An item is not known here yet: say what it is',
  approval: 'You look at each order of this shop: place it, or ignore it',
  supplement: 'The shop added this to an order that is placed: place it, or ignore it',
  address_refused: 'The address is not complete or not served: correct it here, or in the shop',
  needs_artwork: 'A product in it has no artwork: give it some, or place the order to have blank garments made',
  needs_personalisation:
    'What the buyer entered is missing, cannot be printed, or is made by no one: see what is wrong',
  out_of_stock: 'Not in stock',
  unreadable: 'The shop does not give it out so that it can be read: put it right there, or ignore it',
  refused: 'It cannot be ordered as it is: put right what is wrong, then place it',
  suspended: 'The account is suspended: ask the print shop',
  test: 'A test of the shop, which is never placed',
  cancelled_in_shop: 'The shop cancelled it before it was placed',
  fulfilled_in_shop: 'The shop had sent it already',
  nothing_ours: 'Nothing in it is made here: if that is wrong, say what its items are, and have the shop send it again',
  placed_before: 'It was placed while this shop was connected before',
  by_person: 'A person of your account, or of the print shop, ignored it',
  erased: 'Its recipient was erased',
  disconnected: 'Its shop was disconnected',
  too_old: 'Nobody placed it in 90 days',
  cancelled: 'The shop cancelled it, and so it is cancelled here',
  cancel_asked: 'The shop cancelled it; it is being cancelled here',
  asked_to_cancel: 'Its window was over when it was cancelled: the print shop was asked to cancel it',
  cancel_refused: 'It was cancelled too late, and here it goes on: ask the print shop',
  change_asked: 'The shop changed it; that is being done here',
  changed_in_shop: 'The shop changed it after it was placed, and not all of that could be done here: look at its order',
};

/** The words for a reason; one that is newer than this page is shown as the service writes it. */
export function reasonWords(reason: string): string {
  return REASONS[reason] ?? wordsOf(reason);
}

const FOR_PERSON: ReadonlySet<string> = new Set([
  'earlier',
  'unknown_status',
  'high_risk',
  'needs_mapping',
  'approval',
  'supplement',
  'address_refused',
  'needs_artwork',
  'needs_personalisation',
  'refused',
  'unreadable',
]);

/** Whether an order that waits so waits for a person of the account, rather than for the shop or a time. */
export function isForPerson(reason: string): boolean {
  return FOR_PERSON.has(reason);
}

/** How many orders of a shop wait for a person. */
export function waitingForPerson({ waiting }: Shop): number {
  return waiting.reduce((sum, { reason, orders }) => sum + (isForPerson(reason) ? orders : 0), 0);
}

/** Why an order is where it is, with the time of the next look at it. */
export function ShopOrderReason({ order }: { order: ShopOrder }) {
  const { state, reason, next_look_at: again } = order;
  if (state === 'new') return <>It is being looked at</>;
  if (reason === '') return order.order?.is_unpaid === true ? <>It is made once it is paid</> : null;
  return (
    <>
      {reasonWords(reason)}
      {again === null ? null : (
        <>
          {AGAIN[reason] ?? '; looked at again'} <Moment at={again} />
        </>
      )}
    </>
  );
}

/** What happens at the next look. */
const AGAIN: Readonly<Record<string, string>> = {
  scheduled: '; placed',
  delayed: '; placed',
  risk_pending: '; placed at the latest',
};

/** `1 order`, `3 orders`. */
export function manyOrders(count: number): string {
  return count === 1 ? '1 order' : `${count.toLocaleString('en-GB')} orders`;
}

/** Where the orders of a shop stand, narrowed to a state, and to a reason. */
export function inboxOf(channel: string, state: InboxState, reason?: string): string {
  const narrowed = { state, ...(reason === undefined ? {} : { reason }), channel };
  return `/shop-orders?${new URLSearchParams(narrowed).toString()}`;
}
