import { NativeSelect } from '@mantine/core';
import {
  type InboxReason,
  type InboxState,
  SHOP_ORDER_STATES,
  type Shop,
  shopOrderStateLabel,
} from '../../shared/shops/words.tsx';

/** Counts of a shop end here. */
const COUNTED_MAX = 1_000;

/**
 * What the list is narrowed to within a state, or of every state.
 * Of what waits it says how many there are, which the shops have with them.
 */
export function Reasons({
  state,
  chosen,
  shops,
  onChoose,
}: {
  state: string | undefined;
  chosen: string | undefined;
  shops: readonly Shop[];
  onChoose: (reason: string) => void;
}) {
  const groups = SHOP_ORDER_STATES.filter((each) => state === undefined || each === state)
    .map((each) => ({
      group: shopOrderStateLabel(each),
      items: reasonsOf(each).map(({ reason, label }) => ({
        value: reason,
        label: `${label}${countOf(shops, reason)}`,
      })),
    }))
    .filter(({ items }) => items.length > 0);
  if (groups.length === 0) return null;
  return (
    <NativeSelect
      aria-label="Reason"
      size="xs"
      data={[{ value: '', label: 'Every reason' }, ...groups]}
      value={chosen ?? ''}
      onChange={({ currentTarget }) => onChoose(currentTarget.value)}
    />
  );
}

function countOf(shops: readonly Shop[], reason: string): string {
  const counted = shops.flatMap(({ waiting }) => {
    const isCutOff = waiting.reduce((sum, { orders }) => sum + orders, 0) >= COUNTED_MAX;
    return waiting.filter((one) => one.reason === reason).map(({ orders }) => ({ orders, isCutOff }));
  });
  if (counted.length === 0) return '';
  const sum = counted.reduce((all, { orders }) => all + orders, 0);
  return ` (${sum.toLocaleString('en-GB')}${counted.some(({ isCutOff }) => isCutOff) ? '+' : ''})`;
}

/** What a list is narrowed to, in a word or two, with the state of the orders that have it. */
const NARROWED: Readonly<Record<InboxReason, readonly [state: InboxState, label: string]>> = {
  needs_mapping: ['waiting', 'Unknown item'],
  approval: ['waiting', 'Needs approval'],
  supplement: ['waiting', 'Addition to an order'],
  address_refused: ['waiting', 'Address refused'],
  needs_artwork: ['waiting', 'Artwork missing'],
  needs_personalisation: ['waiting', 'Personalisation to look at'],
  high_risk: ['waiting', 'Suspected fraud'],
  risk_pending: ['waiting', 'Looked at for fraud'],
  earlier: ['waiting', 'Older than the connection'],
  refused: ['waiting', 'Cannot be ordered'],
  unreadable: ['waiting', 'Cannot be read'],
  unpaid: ['waiting', 'Not paid in the shop'],
  on_hold: ['waiting', 'Held by the shop'],
  unknown_status: ['waiting', 'Status of the shop’s own'],
  scheduled: ['waiting', 'Scheduled'],
  delayed: ['waiting', 'Delay that you set'],
  out_of_stock: ['waiting', 'Out of stock'],
  paused: ['waiting', 'Shop paused'],
  suspended: ['waiting', 'Account suspended'],
  gave_up: ['failed', 'Fault of ours'],
  cancelled: ['placed', 'Cancelled'],
  cancel_asked: ['placed', 'Being cancelled'],
  asked_to_cancel: ['placed', 'Print shop asked to cancel'],
  cancel_refused: ['placed', 'Cancelled too late'],
  report_refused: ['placed', 'Shop takes no news'],
  change_asked: ['placed', 'Being changed'],
  changed_in_shop: ['placed', 'Changed in the shop'],
  nothing_ours: ['ignored', 'Nothing made here'],
  placed_before: ['ignored', 'Placed before'],
  test: ['ignored', 'Test order'],
  cancelled_in_shop: ['ignored', 'Cancelled in the shop'],
  fulfilled_in_shop: ['ignored', 'Sent by the shop'],
  by_person: ['ignored', 'Ignored by a person'],
  erased: ['ignored', 'Recipient erased'],
  disconnected: ['ignored', 'Shop disconnected'],
  too_old: ['ignored', 'Too old'],
};

/** The reasons that orders of a state can have, with what a list calls each. */
function reasonsOf(state: InboxState): { readonly reason: InboxReason; readonly label: string }[] {
  return (Object.keys(NARROWED) as InboxReason[]).flatMap((reason) => {
    const [of, label] = NARROWED[reason];
    return of === state ? [{ reason, label }] : [];
  });
}
