import { isoTime } from '../../lib/clock.ts';
import type { Problem } from '../../lib/errors.ts';
import type { ChannelRow } from '../connected/channel-sql.ts';
import { itemKey, type ShopOrder } from '../shop-order.ts';
import type { InboxOutcome, InboxRow } from './inbox-sql.ts';
import type { IgnoreReason, WaitReason } from './reasons.ts';

/** Until stock is looked for again. */
export const STOCK_AGAIN_MS = 3_600_000;
/** Until a picture is fetched again that could not be: as long as its order has waited, between these. */
const FETCHED_AGAIN_MS = 60_000;
const FETCHED_AGAIN_MS_MAX = 3_600_000;
/** Afterwards a person has to say what is to be made. */
const FETCHED_UNTIL_MS = 2 * 86_400_000;
/** So many problems of an order are said. */
export const PROBLEMS_MAX = 20;

/** What is known of an item: a variant of ours, what others make, or nothing yet. */
export type KnownItem =
  | { readonly kind: 'ours'; readonly isBlank?: boolean; readonly entries?: readonly string[] }
  | { readonly kind: 'others' }
  | { readonly kind: 'missing' };

/** What is to be done with an order of a shop. */
export type Decision =
  | { readonly kind: 'place' }
  | { readonly kind: 'ignore'; readonly reason: IgnoreReason }
  | {
      readonly kind: 'wait';
      readonly reason: WaitReason;
      readonly missing?: readonly string[];
      readonly until?: Date;
      readonly message?: string;
    };

/** Names of entries that a message has. */
const NAMES_MAX = 5;

/** How long an order waits for its shop to say whether it is fraud: some shops never do. */
const ASSESSED_MS = 30 * 60_000;
/** Until it is looked whether a product has artwork. */
const ARTWORK_AGAIN_MS = 3_600_000;
const NO_ARTWORK =
  'A product of this order has no artwork, so blank garments would be made. Give it some, or place the order as it is.';

function isBlank(item: KnownItem | undefined): boolean {
  return item?.kind === 'ours' && item.isBlank === true;
}

/**
 * Decides about an order of a shop, before anything is looked up of its address or its prices.
 * A test is never placed, whatever else is so. What a person has approved waits neither for approval, nor for its
 * delay, nor because it is old, has no artwork or a status of the shop's own, its buyer entered what is not made, or
 * the shop suspects fraud: but what the shop itself holds waits for the shop. Pure.
 */
export function decide(
  order: ShopOrder,
  by: {
    readonly channel: Pick<ChannelRow, 'state' | 'needs_approval' | 'delay_minutes' | 'since' | 'makes_blanks'>;
    /** In the order of the order's items. */
    readonly items: readonly KnownItem[];
    readonly isApproved: boolean;
    /** It adds to an order that is placed: a person says whether. */
    readonly isSupplement: boolean;
    /** When it came, or was kept from being placed no longer. */
    readonly receivedAt: Date;
    readonly now: Date;
  },
): Decision {
  const { channel, items, isApproved, receivedAt, now } = by;
  if (order.test === true) return { kind: 'ignore', reason: 'test' };
  if (order.cancelled === true) return { kind: 'ignore', reason: 'cancelled_in_shop' };
  if (order.fulfilled === true) return { kind: 'ignore', reason: 'fulfilled_in_shop' };
  if (items.every(({ kind }) => kind === 'others')) return { kind: 'ignore', reason: 'nothing_ours' };
  if (channel.state === 'paused') return { kind: 'wait', reason: 'paused' };
  if (order.unpaid === true) return { kind: 'wait', reason: 'unpaid' };
  const ours = order.items.filter((_, index) => items[index]?.kind !== 'others');
  if ([order, ...ours].some(isHeld)) return { kind: 'wait', reason: 'on_hold' };
  if (order.unknown_status === true && !isApproved) return { kind: 'wait', reason: 'unknown_status' };
  const orderedAt = new Date(order.ordered_at);
  if (orderedAt < channel.since && !isApproved) return { kind: 'wait', reason: 'earlier' };
  if (order.high_risk === true && !isApproved) return { kind: 'wait', reason: 'high_risk' };
  const assessedAt = new Date(receivedAt.getTime() + ASSESSED_MS);
  if (order.risk_pending === true && !isApproved && assessedAt > now) {
    return { kind: 'wait', reason: 'risk_pending', until: assessedAt };
  }
  const days = [order, ...ours].flatMap(({ scheduled_for: day }) => (day === undefined ? [] : [Date.parse(day)]));
  const day = new Date(Math.max(0, ...days));
  if (day > now) return { kind: 'wait', reason: 'scheduled', until: day };
  const missing = order.items.flatMap((item, index) => (items[index]?.kind === 'missing' ? [itemKey(item)] : []));
  if (missing.length > 0) return { kind: 'wait', reason: 'needs_mapping', missing: [...new Set(missing)] };
  if (isApproved) return { kind: 'place' };
  const blank = order.items.find((_item, index) => isBlank(items[index]));
  if (blank !== undefined && !channel.makes_blanks) {
    const until = new Date(now.getTime() + ARTWORK_AGAIN_MS);
    return { kind: 'wait', reason: 'needs_artwork', until, message: NO_ARTWORK };
  }
  const unread = unreadEntries(order, items);
  if (unread !== undefined) return unread;
  if (by.isSupplement) return { kind: 'wait', reason: 'supplement' };
  if (channel.needs_approval) return { kind: 'wait', reason: 'approval' };
  const until = new Date(receivedAt.getTime() + channel.delay_minutes * 60_000);
  if (until > now) {
    return {
      kind: 'wait',
      reason: 'delayed',
      until,
      message: `It is placed at ${isoTime(until)} by the delay that you set.`,
    };
  }
  return { kind: 'place' };
}

/** What a buyer entered for a product that takes nothing is not dropped: the buyer expects it. */
function unreadEntries(order: ShopOrder, items: readonly KnownItem[]): Decision | undefined {
  const asked = order.items.flatMap((item, index) => {
    const known = items[index];
    return known?.kind === 'ours' && (known.entries ?? []).length > 0 ? [{ item, names: known.entries ?? [] }] : [];
  });
  if (asked.length === 0) return undefined;
  const names = [...new Set(asked.flatMap((one) => one.names))];
  const more = names.length > NAMES_MAX ? ` and ${names.length - NAMES_MAX} more` : '';
  const shown = `${names
    .slice(0, NAMES_MAX)
    .map((name) => `“${name}”`)
    .join(', ')}${more}`;
  const message = `What the buyer entered under ${shown} is made by no one: the product is not personalised. Say that such entries do not matter for it, or which personalised product it is, or place this order as it is.`;
  return {
    kind: 'wait',
    reason: 'needs_personalisation',
    missing: [...new Set(asked.map(({ item }) => itemKey(item)))],
    message,
  };
}

/** When an order came, or since when nothing in its shop has kept it from being placed. Pure. */
export function freeSince({ received_at: receivedAt, parts }: Pick<InboxRow, 'received_at' | 'parts'>): Date {
  return parts?.free_at === undefined ? receivedAt : new Date(parts.free_at);
}

const isHeld = (one: { readonly on_hold?: boolean }): boolean => one.on_hold === true;

/** What is wrong with the request of an order, and by which code. */
export type Wrong = Pick<Problem, 'path' | 'message'> & Partial<Pick<Problem, 'code'>>;

/**
 * An order that cannot be placed as it is waits for a person, with what is wrong in words.
 * It is looked at again where that may be over by itself: there was no stock, or a picture could not be fetched.
 * Pure.
 */
export function refused(
  row: Pick<InboxRow, 'received_at' | 'parts'>,
  by: {
    readonly wrong: readonly Wrong[];
    readonly itemOfLine: readonly number[];
    readonly code?: string;
    readonly now: Date;
  },
): InboxOutcome {
  const { wrong, itemOfLine, code, now } = by;
  const problems = wrong
    .slice(0, PROBLEMS_MAX)
    .map(({ path, message }) => ({ path: shopPath(path, itemOfLine), message }));
  if (code === 'out_of_stock') {
    return { state: 'waiting', reason: 'out_of_stock', problems, lookAt: new Date(now.getTime() + STOCK_AGAIN_MS) };
  }
  const outcome: InboxOutcome = { state: 'waiting', reason: reasonOf(wrong.map(({ path }) => path)), problems };
  const waitedMs = now.getTime() - freeSince(row).getTime();
  if (waitedMs >= FETCHED_UNTIL_MS || !wrong.every((one) => one.code === 'fetch')) return outcome;
  const againMs = Math.min(Math.max(waitedMs, FETCHED_AGAIN_MS), FETCHED_AGAIN_MS_MAX);
  return { ...outcome, lookAt: new Date(now.getTime() + againMs) };
}

function reasonOf(paths: readonly string[]): WaitReason {
  if (paths.some((path) => path.startsWith('shipping_address'))) return 'address_refused';
  return paths.some((path) => path.includes('.decoration')) ? 'needs_personalisation' : 'refused';
}

/** A line of the request is an item of the shop's order, which has the lines of others too. */
function shopPath(path: string, itemOfLine: readonly number[]): string {
  return path.replace(/^items\[(\d+)\]/, (_match, line: string) => `items[${itemOfLine[Number(line)] ?? line}]`);
}
