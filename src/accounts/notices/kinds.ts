import { PERSON_ROLES, type PersonRole } from '../../lib/caller.ts';

type Kind = {
  /** What the page calls it. */
  readonly label: string;
  readonly means: string;
  /** Who gets it unless they choose otherwise. */
  readonly roles: readonly PersonRole[];
};

/**
 * What people get mails about. Each has a cause in the code that calls `mailPeople`.
 * Mails about the security of a person go to that person alone, always, and stand not in this list.
 */
export const NOTICE_KINDS = {
  order_on_hold: {
    label: 'An order is on hold',
    means: 'The print shop has stopped an order, and says why.',
    roles: ['owner', 'manager', 'orders'],
  },
  shop_orders_wait: {
    label: 'Orders of a connected shop wait for you',
    means: 'An order of a shop is not made before you answer, or its shop takes no news of it. Once a day of a shop.',
    roles: ['owner', 'manager', 'orders'],
  },
  shop_faulty: {
    label: 'A connected shop fails',
    means: 'For an hour no order could be taken from a shop; and again each week that this goes on.',
    roles: ['owner', 'manager'],
  },
  held_in_shop: {
    label: 'A connected shop changed an order that goes on here',
    means: 'A shop has held, changed, cancelled or sent an order itself that is placed already and goes on here.',
    roles: ['owner', 'manager', 'orders'],
  },
  artwork_failed: {
    label: 'Artwork could not be made',
    means: 'The print file of an order could not be made from its artwork.',
    roles: ['owner', 'manager', 'orders'],
  },
  order_undone: {
    label: 'The print shop cancelled or refunded an order',
    means: 'The print shop has cancelled an order or pieces of it, or refunded a part, without your having asked here.',
    roles: ['owner', 'manager', 'orders'],
  },
  order_dispatched: {
    label: 'An order was dispatched',
    means: 'The last parcel of an order has left. Off for everyone until they choose it: a shop may have thousands.',
    roles: [],
  },
  payment_failed: {
    label: 'A payment failed',
    means: 'A card or a direct debit was refused, and the order waits.',
    roles: ['owner', 'manager'],
  },
  method_changed: {
    label: 'Another payment method is charged',
    means: 'A card or a direct debit was saved in the portal, which orders are charged to.',
    roles: ['owner', 'manager'],
  },
  auto_top_up_stopped: {
    label: 'Automatic top-ups have stopped',
    means: 'The saved card was refused twice, or is there no longer, and the balance is not topped up any more.',
    roles: ['owner', 'manager'],
  },
  low_balance: {
    label: 'The balance is low',
    means: 'The balance has fallen below the threshold that the account has set on the page Money.',
    roles: ['owner', 'manager'],
  },
  problem_answered: {
    label: 'A problem was answered',
    means: 'The print shop has answered a problem that you reported: with a replacement, a refund or a reason.',
    roles: ['owner', 'manager', 'orders'],
  },
  cancellation_answered: {
    label: 'A request to cancel was answered',
    means: 'The print shop has cancelled an order as you asked, or says why it cannot.',
    roles: ['owner', 'manager', 'orders'],
  },
  vat_decided: {
    label: 'A VAT number was decided on',
    means: 'The print shop has entered a VAT number or a treatment for VAT.',
    roles: ['owner', 'manager'],
  },
  webhook_failing: {
    label: 'A webhook fails',
    means: 'Ten deliveries in a row to a webhook have failed.',
    roles: ['owner', 'manager'],
  },
  webhook_disabled: {
    label: 'A webhook was disabled',
    means: 'Deliveries to a webhook have failed so often that nothing is sent to it any more.',
    roles: ['owner', 'manager'],
  },
} as const satisfies Readonly<Record<string, Kind>>;

export type NoticeKind = keyof typeof NOTICE_KINDS;
export const NOTICE_NAMES = Object.keys(NOTICE_KINDS) as [NoticeKind, ...NoticeKind[]];

/** The roles that get a kind unless a person chooses otherwise. */
export function rolesOf(kind: NoticeKind): readonly PersonRole[] {
  const { roles }: Kind = NOTICE_KINDS[kind];
  return PERSON_ROLES.filter((role) => roles.includes(role));
}
