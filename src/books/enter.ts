import { type Actor, actAs } from '../accounts/access/act-on-access.ts';
import { type ActorName, actorName } from '../accounts/access/second-person.ts';
import type { Db } from '../lib/db.ts';
import { ApiError } from '../lib/errors.ts';
import { HOUSE, newId, publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, sumPence, ZERO_PENCE } from '../lib/money.ts';
import { settleWaitingOrders } from '../payments/settle-waiting.ts';
import type { BooksContext } from './context.ts';
import { findEntry, findHolder, insertEntry, readEnteredSince } from './entries-sql.ts';
import { type EntryKind, isForTwo } from './entry-kinds.ts';
import type { BookEntry } from './entry-schema.ts';
import { type Leg, legsOf, storedLegs } from './plan.ts';
import { judgeLegs, postLegs } from './post-entry.ts';
import { readBookEntry } from './read-entries.ts';

/** What an entry is to be, before it is known whether a second person must approve it. */
export type EntryDraft = {
  readonly kind: EntryKind;
  /** YYYY-MM-DD */
  readonly valueDay: string;
  /** Used once for each kind and customer while it is not wholly corrected; `""` for none. */
  readonly reference: string;
  readonly reason: string;
  readonly customerId: Uuid | null;
  readonly orderId: Uuid | null;
  readonly legs: readonly Leg[];
  readonly shortfall: 'refuse' | 'receivable';
};

/** Entries of a customer within this time count together: a large one is not split into many. */
const TOGETHER_MS = 24 * 3_600_000;

/**
 * Makes an entry of the books: posts it at once, or proposes it where a second person must approve it.
 * `draft` runs in the transaction, so that a repeat of the request is answered with what it made the first time. What
 * it throws leaves nothing. Afterwards the orders that wait for money which a balance got are settled. Locks the
 * Idempotency-Key, the order, the corrected postings, then balances by account.
 */
export async function enter(
  ctx: BooksContext,
  actor: Actor,
  act: { readonly action: string; readonly orderId: Uuid | null; readonly detail: Readonly<Record<string, unknown>> },
  draft: (tx: Db, now: Date) => Promise<EntryDraft>,
): Promise<BookEntry> {
  const id = newId(ctx.clock.now().getTime());
  const by = actorName(actor);
  const attempt = () =>
    actAs(ctx, actor, { ...act, subjectId: id, reason: undefined }, async (tx, now) => {
      await enterWithin(ctx, tx, { id, by, draft: await draft(tx, now) }, now);
    });
  const acted = await attempt().catch((error: unknown) => {
    // Now it sees the other entry, which stays, and is proposed.
    if (error instanceof OvertakenByAnother) return attempt();
    throw error;
  });
  return settledEntry(ctx, acted.kind === 'done' ? id : acted.subjectId);
}

async function enterWithin(
  ctx: BooksContext,
  tx: Db,
  { id, by, draft }: { readonly id: Uuid; readonly by: ActorName; readonly draft: EntryDraft },
  now: Date,
): Promise<void> {
  const amountPence = amountOf(draft.legs);
  const isPosted = !(await needsSecond(ctx, tx, draft, amountPence, now));
  const { kind, customerId, reference } = draft;
  const entry = { ...draft, id, amountPence, plan: storedLegs(draft.legs), by, isPosted, now };
  if (!(await insertEntry(tx, entry))) {
    const holder = await findHolder(tx, { kind, customerId, reference });
    const which = holder === undefined ? '' : ` ${publicId('ent', holder.id)}, which is ${holder.state}`;
    throw new ApiError(
      'conflict',
      `The reference "${reference}" is that of another ${kind}:${which}. Correct or refuse that one first, or use another reference.`,
    );
  }
  // What cannot be posted now is not proposed either.
  if (!isPosted) return void (await judgeLegs(tx, draft));
  await postLegs(ctx, tx, { ...draft, id, actor: by.name }, now);
  // Asked again behind the lock of the balance: an entry that was posted while this one waited for it counts too.
  if (await needsSecond(ctx, tx, draft, ZERO_PENCE, now)) throw new OvertakenByAnother();
}

/** Another entry about the same customer was posted meanwhile, and together they need a second person. */
class OvertakenByAnother extends Error {
  override name = 'OvertakenByAnother';
}

/**
 * The amount of an entry.
 * A top-up that is moved to another account counts once: what it takes, not what it gives as well.
 */
function amountOf(legs: readonly Leg[]): Pence {
  const corrected = legs.filter(({ correctsId }) => correctsId !== null);
  return sumPence((corrected.length > 0 ? corrected : legs).map(({ amountPence }) => amountPence));
}

async function needsSecond(
  ctx: Pick<BooksContext, 'config'>,
  tx: Db,
  draft: EntryDraft,
  amountPence: Pence,
  now: Date,
): Promise<boolean> {
  if (!isForTwo(draft.kind)) return false;
  const since = new Date(now.getTime() - TOGETHER_MS);
  const before = draft.customerId === null ? 0 : await readEnteredSince(tx, draft.customerId, since);
  return before + amountPence >= ctx.config.secondPersonFromGbp * 100;
}

/** An entry as it is now, after the orders that wait for its money were settled. */
export async function settledEntry(ctx: BooksContext, id: Uuid | null): Promise<BookEntry> {
  const row = id === null ? undefined : await findEntry(ctx.database, id);
  if (row === undefined) throw new Error('an entry of the books is gone');
  if (row.state === 'posted') {
    const credited = legsOf(row.plan).filter(
      ({ credit, accountId }) => credit === 'customer_balance' && accountId !== HOUSE,
    );
    for (const accountId of new Set(credited.map((leg) => leg.accountId))) {
      await settleWaitingOrders(ctx, accountId);
    }
  }
  return readBookEntry(ctx, row.id);
}
