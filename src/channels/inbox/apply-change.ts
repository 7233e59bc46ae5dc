import { isDeepStrictEqual } from 'node:util';
import type { Caller } from '../../lib/caller.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError, unavailable } from '../../lib/errors.ts';
import { newId, publicId, type Uuid } from '../../lib/ids.ts';
import { compileShape } from '../../lib/validation/validate.ts';
import { getOrder } from '../../orders/read-orders.ts';
import { Address } from '../../orders/schema.ts';
import { cancelOwnPieces } from '../../refunds/cancel-own-pieces.ts';
import { changeOwnAddress } from '../../shipments/change-own-address.ts';
import type { ChannelRow } from '../connected/channel-sql.ts';
import type { ChannelsContext } from '../context.ts';
import { type ResolvedItem, resolveItems } from '../items/resolve-items.ts';
import { CHANGE_MAIL, HOLD_MAIL, mailAboutPlaced, RISK_MAIL, SENDING_MAIL } from '../mails/mail-about-placed.ts';
import { platformOf } from '../platforms/platforms.ts';
import { readOrderToReport } from '../reports/report-sql.ts';
import { itemKey, itemTitle, type KeptItem, type ShopItem, type ShopOrder } from '../shop-order.ts';
import { correctAddress, type InboxOutcome, type InboxProblem, type InboxRow, insertInboxRow } from './inbox-sql.ts';
import { byPresentKey, isMadeTheSame, orderParts, type Parts } from './parts.ts';
import { unknownIn } from './placed-meanwhile.ts';
import { cancelSupplements, enqueueLook, keptByPresentKey, receivedOf, renewKept } from './receive-order.ts';
import { requestAddress } from './request-of.ts';
import { piecesSentThere } from './sent-since.ts';
import { keepItems, listSupplements, lockSupplements, SUPPLEMENTS_MAX } from './supplement-sql.ts';
import type { LaterOrder } from './to-be-made.ts';
import { wantedOf } from './wanted-of.ts';

/** A placed order that its shop has changed since. */
export type ChangedOrder = InboxRow & { readonly order_id: Uuid; readonly later: LaterOrder };

/** What was done of a change, and what is left to be written with it. */
export type AppliedChange =
  /** Nothing of ours is left in the order: it is to be cancelled as a whole, and what was added to it. */
  | { readonly kind: 'nothing left'; readonly settle: (tx: Db, now: Date) => Promise<void> }
  | { readonly kind: 'applied'; readonly settle: (tx: Db, now: Date) => Promise<InboxOutcome> };

const OPTIONAL = { company_name: '', line2: '', county: '', phone: '', email: '' } as const;
const shapeOf = compileShape(Address);

/** What is said of a placed order of which the shop sent something else since that cannot be done here. */
const CHANGED_SINCE =
  'The shop has changed this since the order was placed. Nothing of that is done by itself: compare the two.';

/** What is said of a placed order whose shop has taken back a cancel that the print shop was asked for. */
const ASKED_STILL =
  'The shop has taken back its cancel, and the print shop was asked to cancel this order. Withdraw that request, or it may be cancelled yet.';

/** What is said of an order that is cancelled here, while its shop wants pieces of it. */
const CANCELLED_HERE =
  'The shop wants this order, and here it is cancelled: nothing of it is made. Order it anew, or cancel it in the shop.';

/**
 * Does here what a shop has changed in a placed order.
 * The address is changed until the order is made; pieces that the shop wants no more are cancelled in the window; what
 * it wants besides becomes an order of its own, which waits for a person. What cannot be done is said in words, and
 * stops nothing else. All of it may be repeated: it brings the order to what the shop has now. What is written beside
 * the outcome is left to `settle`, under the lock of the order.
 */
export async function applyChange(
  ctx: ChannelsContext,
  caller: Caller,
  changed: ChangedOrder,
  channel: Pick<ChannelRow, 'platform' | 'unknown_is_others'>,
): Promise<AppliedChange> {
  const { later } = changed;
  const parts = orderParts(ctx.secrets.digest, later);
  const earlier = ctx.secrets.everyDigest.map((digest) => orderParts(digest, later));
  const row = { ...changed, parts: changed.parts === null ? null : byPresentKey(changed.parts, parts, earlier) };
  const family = ended(row, await listSupplements(ctx.database, row));
  const resolved = await resolveItems(ctx, caller, row.channel_id, later.items, unknownIn(channel));
  const wanted = wantedOf(family, later.items);
  const isNothingLeft =
    wanted.kept.flat().every(({ line, quantity }) => line === undefined || quantity === 0) &&
    wanted.more.every(({ index }) => resolved[index]?.kind === 'others');
  if (isNothingLeft) {
    return { kind: 'nothing left', settle: (tx, now) => cancelSupplements(ctx, tx, row, { order: later, now }) };
  }
  const isOver = family.every(({ order_id: orderId, order_state: state }) => orderId === null || state === 'cancelled');
  // Where it wants nothing of what is cancelled, its lines were replaced: what is new waits for a person.
  const wantsCancelled = wanted.kept.flat().some(({ line, quantity }) => line !== undefined && quantity > 0);
  if (isOver && wantsCancelled) {
    const problems = [{ path: '', message: CANCELLED_HERE }];
    return {
      kind: 'applied',
      settle: async (tx) => {
        await mailAboutPlaced(ctx, tx, row, CHANGE_MAIL);
        return { state: 'placed', reason: 'changed_in_shop', problems };
      },
    };
  }
  const isMoved = row.parts?.address !== parts.address;
  const address = isMoved ? await changeAddresses(ctx, caller, row, family) : { problems: [], isPartly: false };
  const own = isMoved ? undefined : await ownAddress(ctx, caller, row);
  const { platform } = channel;
  const namesRefunded = platform === 'signed' || platformOf(platform).capabilities.namesRefunded;
  const pieces: InboxProblem[] = [];
  const unchanged = new Set<Uuid>();
  for (const [index, member] of family.entries()) {
    const fewer = { kept: wanted.kept[index] ?? [], namesRefunded, later: later.items };
    const problems = await cancelPieces(ctx, caller, member, fewer);
    if (problems.length > 0) unchanged.add(member.id);
    pieces.push(...problems);
  }
  const held = heldThere(row, family);
  const sent = piecesSentThere(later);
  const risky = suspectedThere(row, family);
  const isAsked = later.takes_back_cancel === true && family.some(isToBeSent);
  const asked: InboxProblem[] = isAsked ? [{ path: '', message: ASKED_STILL }] : [];
  const said = [
    ...asked,
    ...held,
    ...risky,
    ...sent,
    ...address.problems,
    ...pieces,
    ...madeOtherwise(row, family, { parts, earlier }),
  ];
  const settle = async (tx: Db, now: Date): Promise<InboxOutcome> => {
    const { items, problems } = await writeFamily(ctx, tx, { row, family, unchanged, resolved, own, now });
    const all = [...said, ...problems];
    if (held.length > 0) await mailAboutPlaced(ctx, tx, row, HOLD_MAIL);
    if (sent.length > 0) await mailAboutPlaced(ctx, tx, row, SENDING_MAIL);
    if (risky.length > 0) await mailAboutPlaced(ctx, tx, row, RISK_MAIL);
    if (all.length > asked.length + held.length + sent.length + risky.length)
      await mailAboutPlaced(ctx, tx, row, CHANGE_MAIL);
    return {
      state: 'placed',
      reason: all.length === 0 ? '' : 'changed_in_shop',
      problems: all,
      items,
      // What was not done is tried again, or said again, with the next change.
      parts: { ...(row.parts ?? parts), address: addressOf(row, parts, address) },
    };
  };
  return { kind: 'applied', settle };
}

/**
 * Those of which it is known what is ordered: the order, and additions that are not open any more.
 * What a person has declined is known; what the shop has taken back itself may come again.
 */
function ended(row: InboxRow, supplements: readonly InboxRow[]): readonly InboxRow[] {
  const answered = supplements.filter(({ ended_at: endedAt, state, reason }) => {
    const isTakenBack = state === 'ignored' && reason === 'cancelled_in_shop';
    return endedAt !== null && !isTakenBack;
  });
  return [row, ...answered];
}

type Family = {
  readonly row: ChangedOrder;
  readonly family: readonly InboxRow[];
  /** Those of which pieces could not be cancelled. */
  readonly unchanged: ReadonlySet<Uuid>;
  readonly resolved: readonly ResolvedItem[];
  /** Where its order goes, where that is not the address of the shop. */
  readonly own: ShopAddress | undefined;
  readonly now: Date;
};

/** Writes how many pieces each order has now, and the one that adds what the shop has besides. */
async function writeFamily(
  ctx: ChannelsContext,
  tx: Db,
  { row, family, unchanged, resolved, own, now }: Family,
): Promise<{ items: readonly KeptItem[]; problems: readonly InboxProblem[] }> {
  const supplements = await lockSupplements(tx, row);
  const locked = ended(row, supplements);
  if (locked.map(({ id }) => id).join() !== family.map(({ id }) => id).join()) {
    // Its pieces were not looked at. The queue tries again.
    throw unavailable('An addition to the order was answered meanwhile.');
  }
  const { kept, more } = wantedOf(locked, row.later.items);
  const itemsOf = locked.map(({ id, items }, index) => (unchanged.has(id) ? items : (kept[index] ?? items)));
  for (const [index, member] of locked.entries()) {
    if (index > 0) await keepItems(tx, member.account_id, member.id, itemsOf[index] ?? member.items);
  }
  const others = more.filter(({ index }) => resolved[index]?.kind === 'others');
  const ours = more.filter(({ index }) => resolved[index]?.kind !== 'others');
  const added = ours.flatMap(({ index, quantity }): ShopItem[] => {
    const item = row.later.items[index];
    return item === undefined ? [] : [{ ...item, quantity }];
  });
  const open = supplements.find(({ ended_at: endedAt }) => endedAt === null);
  const isTooMany = open === undefined && added.length > 0 && supplements.length >= SUPPLEMENTS_MAX;
  if (!isTooMany) await writeSupplement(ctx, tx, { row, open, count: supplements.length, added, own, now });
  const items = [
    ...(itemsOf[0] ?? row.items),
    ...others.flatMap(({ index, quantity }) => {
      const item = row.later.items[index];
      return item === undefined ? [] : [{ id: item.id, key: itemKey(item), title: itemTitle(item), quantity }];
    }),
  ];
  const message = `The shop has added to this order more than ${SUPPLEMENTS_MAX} times. Order the rest by hand.`;
  return { items, problems: isTooMany ? [{ path: 'items', message }] : [] };
}

/** One addition of an order is open at a time: it has all that the shop wants besides. */
async function writeSupplement(
  ctx: ChannelsContext,
  tx: Db,
  by: {
    readonly row: ChangedOrder;
    readonly open: InboxRow | undefined;
    readonly count: number;
    readonly added: readonly ShopItem[];
    readonly own: ShopAddress | undefined;
    readonly now: Date;
  },
): Promise<void> {
  const { row, open, count, added, own, now } = by;
  if (added.length === 0) {
    // The shop has taken back what it had added.
    if (open !== undefined) await cancelSupplements(ctx, tx, row, { order: row.later, now, isOpenOnly: true });
    return;
  }
  const id = open?.shop_order_id ?? `${row.shop_order_id}:${count + 2}`;
  const received = receivedOf(ctx, { ...row.later, id, items: [...added] }, now);
  if (open === undefined) {
    const rowId = newId(now.getTime());
    const of = { accountId: row.account_id, channelId: row.channel_id };
    await insertInboxRow(tx, { ...received, ...of, id: rowId, supplementOf: row.shop_order_id });
    const added = { ...row, id: rowId };
    const revision = own === undefined ? 1 : await correctAddress(tx, added, own);
    await enqueueLook(tx, { ...added, revision }, now);
    return;
  }
  const kept = keptByPresentKey(open, received);
  if (!received.digest.equals(kept.digest)) await renewKept(tx, kept, received);
}

/** What is sent already is held by no one. */
function heldThere({ later }: ChangedOrder, family: readonly InboxRow[]): InboxProblem[] {
  const ours = new Set(
    family.flatMap(({ items }) => items.flatMap(({ id, line }) => (line === undefined ? [] : [id]))),
  );
  const isHeld = later.on_hold === true || later.items.some((item) => item.on_hold === true && ours.has(item.id));
  return isHeld && family.some(isToBeSent) ? [{ path: '', message: HELD_THERE }] : [];
}

function isToBeSent({ order_id: orderId, order_state: state }: InboxRow): boolean {
  return orderId !== null && state !== 'dispatched' && state !== 'delivered' && state !== 'cancelled';
}

const HELD_THERE =
  'The shop holds this order since it was placed, and here it goes on. Cancel it, or ask the print shop to wait.';

/** A shop may learn some time after an order that it is fraud. */
function suspectedThere({ later, parts }: ChangedOrder, family: readonly InboxRow[]): InboxProblem[] {
  const isNews = later.high_risk === true && parts !== null && parts.risky !== true;
  return isNews && family.some(isToBeSent) ? [{ path: '', message: SUSPECTED_THERE }] : [];
}

const SUSPECTED_THERE =
  'The shop suspects fraud since this order was placed, and here it goes on. Look at it there, and cancel it if it is not to be made.';

/** Items, also of additions, that are made in another way than the shop wants now. */
function madeOtherwise(
  { later, parts: before }: ChangedOrder,
  family: readonly InboxRow[],
  now: { readonly parts: Parts; readonly earlier: readonly Parts[] },
): InboxProblem[] {
  if (before === null) return [];
  const ordered = family.flatMap(({ items, parts }) =>
    parts === null ? [] : [{ items, parts: byPresentKey(parts, now.parts, now.earlier) }],
  );
  const made = later.items.flatMap(({ id }, index) => {
    const isSame = ordered.every(({ items, parts }) => {
      const isOurs = items.some((item) => item.id === id && item.line !== undefined);
      return !isOurs || !Object.hasOwn(parts.made, id) || isMadeTheSame(parts, now.parts, id);
    });
    return isSame ? [] : [{ path: `items[${index}]`, message: CHANGED_SINCE }];
  });
  return before.rest === now.parts.rest ? made : [...made, { path: '', message: CHANGED_SINCE }];
}

type ChangedAddresses = {
  readonly problems: readonly InboxProblem[];
  /** Some orders have the new address, and others could not be given it. */
  readonly isPartly: boolean;
};

/** Gives the address that the shop has now to its order, and to what was added to that. */
async function changeAddresses(
  ctx: ChannelsContext,
  caller: Caller,
  { later }: ChangedOrder,
  family: readonly InboxRow[],
): Promise<ChangedAddresses> {
  const given = requestAddress(later.shipping_address);
  const wrong = [...shapeOf(given)].map(({ path, message }) => ({ path: `shipping_address.${path}`, message }));
  if (wrong.length > 0) return { problems: wrong, isPartly: false };
  const body = { shipping_address: { ...OPTIONAL, ...given } };
  const placed = family.filter(({ order_state: state }) => state !== 'cancelled');
  const problems: InboxProblem[] = [];
  let changed = 0;
  for (const { order_id: orderId, order_reference: reference } of placed) {
    if (orderId === null) continue;
    const id = publicId('ord', orderId);
    const { shipping_address: before } = await getOrder(ctx, caller, id);
    const where = placed.length === 1 ? 'here it' : `that of ${reference}`;
    const refused = isDeepStrictEqual(requestAddress(before), given)
      ? []
      : await refusalOf('shipping_address', `The shop has changed the address, and ${where} is as it was: `, () =>
          changeOwnAddress(ctx, caller, id, body, 'it is made'),
        );
    if (refused.length === 0) changed += 1;
    problems.push(...refused);
  }
  return { problems, isPartly: changed > 0 && problems.length > 0 };
}

/**
 * The digest of the address that the shop's order has here.
 * What a person has put right stays while the shop has its own as it was. It is none's where some orders have another.
 */
function addressOf({ later, parts }: ChangedOrder, now: Parts, { problems, isPartly }: ChangedAddresses): string {
  if (isPartly) return '';
  return problems.length === 0 ? (later.corrects ?? now.address) : (parts?.address ?? '');
}

type ShopAddress = ShopOrder['shipping_address'];

/** The address of an order that people have put right here: what is added to it goes there, too. */
async function ownAddress(
  ctx: ChannelsContext,
  caller: Caller,
  { order_id: orderId, order_state: state, later }: ChangedOrder,
): Promise<ShopAddress | undefined> {
  if (state === 'cancelled') return undefined;
  const { shipping_address: address } = await getOrder(ctx, caller, publicId('ord', orderId));
  const own = requestAddress(address);
  const isErased = own.line1 === '';
  return isErased || isDeepStrictEqual(own, requestAddress(later.shipping_address)) ? undefined : own;
}

type FewerPieces = {
  readonly kept: readonly KeptItem[];
  readonly namesRefunded: boolean;
  readonly later: readonly ShopItem[];
};

/**
 * Cancels the pieces of a placed order that its shop wants no more.
 * Where some of a line were sent, and the shop does not say whether it has refunded those, a person decides.
 */
async function cancelPieces(
  ctx: ChannelsContext,
  caller: Caller,
  { account_id: accountId, id, order_id: orderId, items }: InboxRow,
  { kept: wanted, namesRefunded, later }: FewerPieces,
): Promise<InboxProblem[]> {
  const fewer = wanted.flatMap(({ id: shopItemId, line, quantity }, index) =>
    line !== undefined && quantity < (items[index]?.quantity ?? 0) ? [{ shopItemId, line, quantity }] : [],
  );
  if (orderId === null || fewer.length === 0) return [];
  const order = await readOrderToReport(ctx.database, accountId, id);
  if (order === undefined) throw new Error('a placed order of a shop is gone');
  // A shop that takes pieces back, or refunds them, once they are sent wants nothing of us.
  if (order.state === 'dispatched' || order.state === 'delivered' || order.state === 'cancelled') return [];
  const kept = new Map<Uuid, number>();
  const unclear: InboxProblem[] = [];
  for (const { shopItemId, line, quantity } of fewer) {
    const placed = order.lines[line];
    if (placed === undefined) continue;
    const { shipped, left } = placed;
    if (namesRefunded || shipped === 0) kept.set(placed.id, quantity);
    else if (quantity === 0) kept.set(placed.id, shipped);
    else if (left > 0 && quantity < shipped + left) unclear.push(refundedOf(shopItemId, later, placed));
  }
  const refused = await refusalOf('items', 'The shop wants fewer pieces, and here they are made: ', () =>
    cancelOwnPieces(ctx, caller, publicId('ord', orderId), { kept, reason: 'fewer in the connected shop' }),
  );
  return [...unclear, ...refused];
}

function refundedOf(
  id: string,
  later: readonly ShopItem[],
  { shipped, left }: { readonly shipped: number; readonly left: number },
): InboxProblem {
  const index = later.findIndex((item) => item.id === id);
  const message = `The shop has refunded pieces of this, and does not say whether those were sent. ${shipped} left here, and ${left} more will be made and sent. Ask the print shop to cancel what your buyer does not wait for.`;
  return { path: index === -1 ? 'items' : `items[${index}]`, message };
}

/** What is wrong where the customer could not do it either; what is a fault of ours is thrown. */
async function refusalOf(path: string, beginning: string, act: () => Promise<unknown>): Promise<InboxProblem[]> {
  try {
    await act();
    return [];
  } catch (error) {
    if (!(error instanceof ApiError) || error.code === 'unavailable' || error.code === 'internal_error') throw error;
    return [{ path, message: beginning + error.message }];
  }
}
