import { isoTime } from '../../lib/clock.ts';
import { publicId } from '../../lib/ids.ts';
import type { ShopOrderView } from '../inbox-schema.ts';
import type { InboxRow } from './inbox-sql.ts';
import type { InboxReason } from './reasons.ts';

/** What a person can have placed at once: what waits for a person, or only for its time. */
const ANSWERABLE: readonly InboxReason[] = [
  'earlier',
  'unknown_status',
  'high_risk',
  'risk_pending',
  'delayed',
  'approval',
  'supplement',
  'address_refused',
  'needs_artwork',
  'needs_personalisation',
  'out_of_stock',
  'refused',
];

/** Whether a person can have an order looked at now. */
export function canPlace({ state, reason }: Pick<InboxRow, 'state' | 'reason'>): boolean {
  return state === 'failed' || (state === 'waiting' && ANSWERABLE.includes(reason));
}

/** Whether a person can have an order ignored. */
export function canIgnore({ state }: Pick<InboxRow, 'state'>): boolean {
  return state === 'waiting' || state === 'failed';
}

/**
 * Whether a person can put the address of an order right.
 * That of a placed one is changed in its order.
 */
export function canCorrect(row: Pick<InboxRow, 'state' | 'reason' | 'content'>): boolean {
  return isKnown(row) && canIgnore(row);
}

/** Whether it is known what was ordered, and where it is to go. */
export function isKnown({ reason, content }: Pick<InboxRow, 'reason' | 'content'>): boolean {
  return content !== null && reason !== 'unreadable';
}

/** An order of a shop, as the people of its account see it. */
export function shopOrderView(row: InboxRow): ShopOrderView {
  const { content, order_id: orderId, order_reference: reference } = row;
  const address = isKnown(row) ? content?.shipping_address : undefined;
  return {
    id: publicId('sho', row.id),
    channel: { id: publicId('chan', row.channel_id), name: row.channel_name },
    shop_order_id: row.shop_order_id,
    number: row.shop_number,
    state: row.state,
    reason: row.reason,
    problems: row.problems,
    order:
      orderId === null || reference === null
        ? null
        : { id: publicId('ord', orderId), reference, is_unpaid: row.order_state === 'awaiting_payment' },
    items: row.items.map(({ id, key, title, quantity, line }) => ({
      id,
      key,
      title,
      quantity,
      state: stateOf(row, key, line),
    })),
    recipient: address
      ? {
          name: address.contact_name ?? '',
          city: address.city ?? '',
          postcode: address.postcode ?? '',
          country: address.country_code ?? '',
        }
      : null,
    ordered_at: isoTime(row.ordered_at),
    received_at: isoTime(row.received_at),
    next_look_at: row.look_at && isoTime(row.look_at),
    reported:
      row.is_reported === null
        ? null
        : { at: row.reported_at && isoTime(row.reported_at), is_known: row.is_reported, problem: row.report_problem },
    actions: {
      place: canPlace(row),
      ignore: canIgnore(row),
      correct_address: canCorrect(row),
      ignore_entries: row.state === 'waiting' && row.reason === 'needs_personalisation' && row.missing.length > 0,
    },
  };
}

function stateOf(row: InboxRow, key: string, line: number | undefined): ShopOrderView['items'][number]['state'] {
  if (line !== undefined) return 'ours';
  if (row.state === 'placed') return 'others';
  return row.reason === 'needs_mapping' && row.missing.includes(key) ? 'missing' : 'unknown';
}
