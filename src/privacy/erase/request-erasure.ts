import { createHmac } from 'node:crypto';
import { type Actor, actOnAccess } from '../../accounts/access/act-on-access.ts';
import { suspendAccount } from '../../accounts/access/suspend-account.ts';
import { noSuch, unavailable } from '../../lib/errors.ts';
import { FIRST_ID, newId, publicId, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { appendErasure } from '../ledger/append.ts';
import {
  accountHash,
  orderHash,
  type RecipientName,
  recipientHash,
  recipientKey,
  recipientKeysOf,
} from '../ledger/entry.ts';
import { LedgerDamaged, type LedgerFile } from '../ledger/ledger-file.ts';
import { openLedgerOf } from '../ledger/open-ledger.ts';
import { carryOut, readErasure } from './carry-out.ts';
import { refuseUnsettled } from './erase-account.ts';
import { eraseOrder } from './erase-order.ts';
import { addErasureOrders, type ErasureRow, findLatestErasure, insertErasure } from './erasure-sql.ts';
import { findRecipientOrders } from './find-orders.ts';
import { findAccountOfOrder, findAccountToErase, listOrderFamily, listUnerasedOf } from './find-orders-sql.ts';
import { forgetUnplaced, listUnplaced, type UnplacedOrder } from './shop-orders-sql.ts';

/** Whose data: of one order, of one recipient over all orders of an account, or of a whole account. */
export type Subject =
  | { readonly scope: 'order'; readonly accountId: Uuid; readonly orderId: Uuid }
  | { readonly scope: 'recipient'; readonly accountId: Uuid; readonly recipient: RecipientName }
  | { readonly scope: 'account'; readonly accountId: Uuid };

export type ErasureRequest = {
  readonly subject: Subject;
  readonly reason: string | undefined;
  /** How long to work on it before the answer; the rest is done by the worker. */
  readonly waitMs: number;
};

/**
 * Erases the personal data of an order, a recipient or an account, everywhere at once.
 * Lists the orders, writes the ledger of erasures, and then does all that can be done: what has ended is erased before
 * this returns, or soon after by the worker; an order that is still being made is erased by itself once it has ended.
 * Nothing personal is noted meanwhile. From the ledger on it is carried out whatever happens. A repeat finds the same
 * erasure, unless there is something new to erase. An account is suspended first. Throws 404 for an unknown account or
 * order, 409 for an account with unsettled money, and 503 without a sound ledger.
 */
export async function requestErasure(ctx: PrivacyContext, actor: Actor, request: ErasureRequest): Promise<ErasureRow> {
  try {
    return await erase(ctx, actor, request);
  } catch (error) {
    if (!(error instanceof LedgerDamaged)) throw error;
    // The message names folders of this machine.
    ctx.log.error({ error: error.message }, 'the ledger of erasures is lost or damaged');
    throw unavailable(
      'The ledger of erasures is lost or damaged, so nothing is erased: the log says what to do.',
      error,
    );
  }
}

async function erase(ctx: PrivacyContext, actor: Actor, request: ErasureRequest): Promise<ErasureRow> {
  const { subject } = request;
  await refuseUnknown(ctx, subject);
  if (subject.scope === 'account') await refuseUnsettled(ctx, subject.accountId);
  const ledger = await openLedgerOf(ctx);
  const hash = hashOf(ledger.key, subject);
  const id = newId(ctx.clock.now().getTime());
  // The keys and their hashes must not lead to a name either.
  const keyed = withLedgerHash(ledger, actor);
  await actOnAccess(ctx, keyed, actOf(subject, id, request.reason), async () => {});
  const earlier = await findLatestErasure(ctx.database, hash);
  if (subject.scope === 'recipient') await forgetInShops(ctx, subject);
  const erasure = await listNew(ctx, { ledger, id, hash, earlier }, subject, actor);
  await carryOut(ctx, erasure, deadline(request.waitMs));
  return readErasure(ctx, erasure.account_id, erasure.id);
}

async function refuseUnknown(ctx: PrivacyContext, subject: Subject): Promise<void> {
  if ((await findAccountToErase(ctx.database, subject.accountId)) === undefined) throw noSuch('account');
  if (subject.scope !== 'order') return;
  if ((await findAccountOfOrder(ctx.database, subject.orderId)) !== subject.accountId) throw noSuch('order');
}

function hashOf(key: Buffer, subject: Subject): string {
  if (subject.scope === 'order') return orderHash(key, subject.accountId, subject.orderId);
  if (subject.scope === 'recipient') return recipientHash(key, subject.accountId, subject.recipient);
  return accountHash(key, subject.accountId);
}

function withLedgerHash(ledger: LedgerFile, actor: Actor): Actor {
  if (actor.kind !== 'operator') return actor;
  const requestHash = createHmac('sha256', ledger.key).update(actor.once.requestHash).digest();
  return { ...actor, once: { ...actor.once, requestHash } };
}

function actOf(subject: Subject, id: Uuid, reason: string | undefined) {
  const order = subject.scope === 'order' ? { order_id: publicId('ord', subject.orderId) } : {};
  const detail = { account_id: publicId('acct', subject.accountId), scope: subject.scope, ...order };
  return { action: 'erase', subjectId: id, detail, reason };
}

type Listing = {
  readonly ledger: LedgerFile;
  readonly id: Uuid;
  readonly hash: string;
  readonly earlier: ErasureRow | undefined;
};

/**
 * Lists what is to be erased and lets the ledger have it;
 * the earlier erasure where there is nothing new.
 */
async function listNew(
  ctx: PrivacyContext,
  { ledger, id, hash, earlier }: Listing,
  subject: Subject,
  actor: Actor,
): Promise<Pick<ErasureRow, 'account_id' | 'id' | 'scope'>> {
  const { accountId, scope } = subject;
  if (scope === 'account' && earlier !== undefined) return earlier;
  const requestedAt = ctx.clock.now();
  await insertErasure(ctx.database, { accountId, id, scope, subject: hash, state: 'listing', requestedAt });
  const listed = await listOrders(ctx, id, subject, earlier);
  if (earlier !== undefined && listed === 0) return earlier;
  if (scope === 'account') await suspend(ctx, actor, accountId);
  await appendErasure(ctx, ledger, { at: requestedAt, scope, erasureId: id, hash });
  return { account_id: accountId, id, scope };
}

async function listOrders(
  ctx: PrivacyContext,
  id: Uuid,
  subject: Subject,
  earlier: ErasureRow | undefined,
): Promise<number> {
  const { accountId } = subject;
  if (subject.scope === 'account') return 0;
  if (subject.scope === 'order') return listFamily(ctx, id, subject, earlier);
  let listed = 0;
  for await (const orderIds of findRecipientOrders(ctx.database, accountId, subject.recipient)) {
    if (orderIds.length > 0) listed += await addErasureOrders(ctx.database, accountId, id, orderIds);
  }
  return listed;
}

/**
 * An order that is erased may hold new texts of operators:
 * they are erased again, under the earlier erasure.
 */
async function listFamily(
  ctx: PrivacyContext,
  id: Uuid,
  { accountId, orderId }: { readonly accountId: Uuid; readonly orderId: Uuid },
  earlier: ErasureRow | undefined,
): Promise<number> {
  const family = await listOrderFamily(ctx.database, accountId, orderId);
  if (earlier === undefined) return addErasureOrders(ctx.database, accountId, id, family);
  const fresh = await listUnerasedOf(ctx.database, accountId, family);
  for (const one of family.filter((member) => !fresh.includes(member))) {
    await eraseOrder(ctx, { accountId, orderId: one }, earlier.id, async () => {});
  }
  return addErasureOrders(ctx.database, accountId, id, fresh);
}

/**
 * Ignores what connected shops have sent for a recipient and is not placed, and empties it.
 * No order has it, so the ledger does not: in a restored backup it ends by its time.
 */
async function forgetInShops(
  { database, clock }: PrivacyContext,
  { accountId, recipient }: Extract<Subject, { scope: 'recipient' }>,
): Promise<void> {
  const key = recipientKey(recipient);
  for (let after: Uuid | undefined = FIRST_ID as Uuid; after !== undefined; ) {
    const page: UnplacedOrder[] = await listUnplaced(database, accountId, after);
    const own = page.filter(({ address }) =>
      recipientKeysOf({ contact_name: '', postcode: '', ...address }).includes(key),
    );
    if (own.length > 0) {
      const ids = own.map(({ id }) => id);
      await forgetUnplaced(database, accountId, ids, clock.now());
    }
    after = page.at(-1)?.id;
  }
}

async function suspend(ctx: PrivacyContext, actor: Actor, accountId: Uuid): Promise<void> {
  // Under no key: that of the request is the erasure's.
  const own = actor.kind === 'operator' ? { ...actor, once: { ...actor.once, key: undefined } } : actor;
  await suspendAccount(ctx, own, accountId, 'erased');
}

function deadline(waitMs: number): () => boolean {
  const endsAt = performance.now() + waitMs;
  return () => performance.now() > endsAt;
}
