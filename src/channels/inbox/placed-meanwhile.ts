import { isDeepStrictEqual } from 'node:util';
import { placeOrder } from '../../checkout/place-order.ts';
import type { Caller } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import { publicId } from '../../lib/ids.ts';
import { compileShape } from '../../lib/validation/validate.ts';
import { getOrder } from '../../orders/read-orders.ts';
import { type Order, PlaceOrderBody } from '../../orders/schema.ts';
import type { ChannelRow } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { resolveItems } from '../items/resolve-items.ts';
import type { KeptItem, ShopOrder } from '../shop-order.ts';
import type { InboxOutcome, InboxRow } from './inbox-sql.ts';
import { findPlacedAs } from './known-sql.ts';
import { BY_ERASURE, BY_PERSON, BY_SHOP, passOnCancel } from './pass-on-cancel.ts';
import {
  itemsOfOrder,
  keptItems,
  referenceOf,
  requestAddress,
  requestOf,
  type SeenItems,
  type ShopRequest,
} from './request-of.ts';
import type { LaterOrder } from './to-be-made.ts';

/** What became of an order, and what is to be done of it as of a change of a placed order. */
export type LookOutcome = InboxOutcome & {
  readonly later?: LaterOrder;
  /** The reference of an order of before that goes on though cancelled there: people are mailed. */
  readonly goesOn?: string;
  /** What an operator is to do. */
  readonly task?: string;
};

/** What an order was placed of, as the look knows it that has placed it; its content where it is known. */
export type Made = Pick<InboxRow, 'parts' | 'content'> & { readonly items: readonly KeptItem[] };

export type OneLook = {
  readonly row: InboxRow;
  readonly channel: ChannelRow;
  readonly signal: AbortSignal;
  /** Of an order that this look itself has placed, before it was overtaken. */
  readonly made: Made | undefined;
};

/**
 * What became of an order that is there already, and not known as placed.
 * What its shop has now may be another than what was placed: that is a change of a placed order, and done as one.
 */
export async function outcomeOfPlaced(
  ctx: ChannelsContext,
  caller: Caller,
  { row, channel, signal, made }: OneLook,
): Promise<LookOutcome | undefined> {
  if (row.state === 'placed') return undefined;
  const reference = referenceOf(row.channel_id, row.shop_order_id);
  const orderId = await findPlacedAs(ctx.database, caller.accountId, reference);
  if (orderId === undefined) return undefined;
  const { content, reason } = row;
  if (content?.cancelled === true || reason === 'cancelled_in_shop') {
    return { ...(await passOnCancel(ctx, caller, orderId, BY_SHOP)), orderId };
  }
  if (reason === 'by_person') {
    const outcome = await passOnCancel(ctx, caller, orderId, BY_PERSON);
    // It stays ignored, as that person has decided.
    return outcome.reason === 'cancelled' ? undefined : { ...outcome, orderId };
  }
  if (reason === 'erased') {
    const id = publicId('ord', orderId);
    const task = `A recipient was erased at the moment at which the order ${id} was placed for them. Erase that order, too: POST /accounts/${publicId('acct', caller.accountId)}/erase '{"order":"${id}"}'.`;
    return { ...(await passOnCancel(ctx, caller, orderId, BY_ERASURE)), orderId, task };
  }
  const known = made === undefined ? {} : { items: made.items, ...(made.parts === null ? {} : { parts: made.parts }) };
  if (content === null) {
    const isLeft = reason === 'fulfilled_in_shop' || reason === 'nothing_ours' || reason === 'test';
    return { ...(isLeft ? CHANGED : AS_IT_IS), orderId, ...known };
  }
  if (made !== undefined && isDeepStrictEqual(made.content, content)) return { ...AS_IT_IS, orderId, ...known };
  const items = await resolveItems(ctx, caller, row.channel_id, content.items, unknownIn(channel));
  const order = await getOrder(ctx, caller, publicId('ord', orderId));
  const request = requestOf(content, { channelId: row.channel_id, items, services: channel.services });
  // Such an order is never placed: it was no such one when it was.
  const isLeft = content.fulfilled === true || content.test === true;
  if (made === undefined && !isLeft && (await isPlacedAs(ctx, caller, { body: request.body, order, signal }))) {
    return { ...AS_IT_IS, orderId, items: keptItems(content.items, request.itemOfLine) };
  }
  const seen = itemsOfOrder(content.items, items, request, order);
  const before = made ?? (await madeOf(ctx, caller, row, { content, request, seen, order, signal }));
  const { sent } = row.parts ?? {};
  const parts = before.parts === null ? {} : { parts: sent === undefined ? before.parts : { ...before.parts, sent } };
  const placed = { orderId, items: before.items, ...parts };
  if (isLeft || (made === undefined && !seen.isClear)) return { ...CHANGED, ...placed };
  const isCorrected = row.is_corrected && row.parts !== null;
  const later: LaterOrder = isCorrected ? { ...content, corrects: row.parts?.address ?? '' } : content;
  return { ...AS_IT_IS, ...placed, later };
}

const AS_IT_IS = { state: 'placed', reason: '' } as const;

/**
 * What an order was placed of whose worker has died, as far as the order and its replay show that.
 * A part that may have been another is given a digest that none has: it is brought to what the shop has, or said. What
 * no person has approved was not suspected of fraud.
 */
async function madeOf(
  ctx: ChannelsContext,
  caller: Caller,
  row: InboxRow,
  by: {
    readonly content: ShopOrder;
    readonly request: ShopRequest;
    readonly seen: SeenItems;
    readonly order: Order;
    readonly signal: AbortSignal;
  },
): Promise<Made> {
  const { content, request, seen, order, signal } = by;
  const made = { items: seen.items, content: null };
  if (row.parts === null) return { ...made, parts: null };
  const own = requestAddress(order.shipping_address);
  const isThere = isDeepStrictEqual(own, requestAddress(content.shipping_address));
  const body = { ...request.body, items: seen.lines, shipping_address: own };
  const isSame = await isPlacedAs(ctx, caller, { body, order, signal });
  const { risky, ...parts } = row.parts;
  const suspected = risky === true && row.is_approved ? { risky } : {};
  const address = isThere ? parts.address : '';
  return { ...made, parts: { ...parts, ...suspected, address, rest: isSame ? parts.rest : '' } };
}

const shapeOf = compileShape(PlaceOrderBody);

/** Whether an order was placed by just such a request. Nothing is placed: there is that order. */
async function isPlacedAs(
  ctx: ChannelsContext,
  caller: Caller,
  by: { readonly body: object; readonly order: Order; readonly signal: AbortSignal },
): Promise<boolean> {
  if ([...shapeOf(by.body)].length > 0) return false;
  const body = by.body as PlaceOrderBody;
  if (by.order.notes !== (body.notes ?? '')) return false;
  try {
    const result = await placeOrder(ctx, caller, { body, unknownFields: [], signal: by.signal, source: 'channel' });
    return result.kind === 'replayed' && result.warnings.length === 0;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'unavailable' || error.code === 'internal_error') throw error;
    return false;
  }
}

/** What an item is that the shop's rules say nothing of. */
export function unknownIn({
  unknown_is_others: isOthers,
}: Pick<ChannelRow, 'unknown_is_others'>): 'others' | 'missing' {
  return isOthers ? 'others' : 'missing';
}

const CHANGED_SINCE =
  'The shop has changed this order while it was placed. Nothing of that is done by itself: compare the two.';

/** A placed order of which the shop sent something else while it was placed. */
export const CHANGED = {
  state: 'placed',
  reason: 'changed_in_shop',
  problems: [{ path: '', message: CHANGED_SINCE }],
} as const;
