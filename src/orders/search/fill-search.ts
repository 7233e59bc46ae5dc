import type { Context } from '../../lib/context.ts';
import type { Db } from '../../lib/db.ts';
import { AT_ONCE, every, type Worker } from '../../lib/every.ts';
import { firstIdAt, LAST_ID, type Uuid } from '../../lib/ids.ts';
import {
  advanceContacts,
  advanceSearch,
  forgetSearchTerms,
  lockSearched,
  lockUnsearched,
  lockUnsearchedUnlocked,
  readContactsProgress,
  readSearched,
  readSearchProgress,
  type SearchedRow,
  writeSearchTerms,
} from './search-sql.ts';
import { searchTermsOf } from './search-terms.ts';

type FillContext = Pick<Context, 'database' | 'clock'>;

/** An order is found within a second of its commit. */
const POLL_MS = 500;
/** Orders of one transaction, which locks them for as long as it takes. */
const BATCH = 500;
/** Almost every order is committed this soon after its id was made: what each round looks at. */
const RECENT_MS = 1_500;
/** What is looked at every few rounds alone: ten looks at an order cost a tenth of placing it. */
const LATE_MS = 5_000;
const LATE_EVERY_ROUNDS = 4;
/**
 * How long after its id was made an order may still be committed: a statement takes 15 s at most.
 * What is older is looked at once more and then never again.
 */
const SETTLED_AFTER_MS = 60_000;
/** How often the older ones are looked at once more. */
const SETTLE_EVERY_MS = 15_000;

/**
 * Makes the orders of the last seconds findable.
 * Any number of nodes may run it. An order that is locked now is written in a later round, and one that is missed by
 * `fillSettled`. Returns how many it wrote.
 */
export async function fillRecent(ctx: FillContext, spanMs = LATE_MS): Promise<number> {
  const recent = firstIdAt(new Date(ctx.clock.now().getTime() - spanMs));
  return ctx.database.transaction(async (tx) => {
    const rows = await lockUnsearchedUnlocked(tx, { after: recent, before: LAST_ID as Uuid, limit: BATCH });
    await write(tx, rows);
    return rows.length;
  });
}

/**
 * Makes the orders findable that are older than a minute and were not looked at, the oldest first.
 * Orders that are placed while no worker runs, or before there was a search, come in by this. Returns whether more are
 * left.
 */
export async function fillSettled(ctx: FillContext): Promise<boolean> {
  const settled = firstIdAt(new Date(ctx.clock.now().getTime() - SETTLED_AFTER_MS));
  return ctx.database.transaction(async (tx) => {
    const after = await readSearchProgress(tx);
    if (after >= settled) return false;
    const rows = await lockUnsearched(tx, { after, before: settled, limit: BATCH });
    await write(tx, rows);
    const last = rows.length < BATCH ? undefined : rows.at(-1);
    await advanceSearch(tx, last?.id ?? settled);
    return last !== undefined;
  });
}

/**
 * Makes orders findable by what an earlier version left out: phone, e-mail, other addresses.
 * Once over the orders of before, and those of the day in which that version may still run beside this one. Returns
 * whether more are left that can be written now.
 */
export async function fillContacts(ctx: FillContext): Promise<boolean> {
  const settled = firstIdAt(new Date(ctx.clock.now().getTime() - SETTLED_AFTER_MS));
  return ctx.database.transaction(async (tx) => {
    const { contacts_through: after, contacts_until: until } = await readContactsProgress(tx);
    const before = until < settled ? until : settled;
    if (after >= before) return false;
    const rows = await lockSearched(tx, { after, before, limit: BATCH });
    await write(tx, rows);
    const last = rows.length < BATCH ? undefined : rows.at(-1);
    await advanceContacts(tx, last?.id ?? before);
    return last !== undefined;
  });
}

async function write(tx: Db, rows: readonly SearchedRow[]): Promise<void> {
  if (rows.length === 0) return;
  await writeSearchTerms(
    tx,
    rows.flatMap((row) => searchTermsOf(row).map((term) => ({ ...term, accountId: row.account_id, orderId: row.id }))),
  );
}

/** Makes a locked order findable by what it is now alone: after a change of its address. */
export async function refreshSearch(tx: Db, accountId: Uuid, orderId: Uuid): Promise<void> {
  await forgetSearchTerms(tx, accountId, orderId);
  await write(tx, await readSearched(tx, accountId, orderId));
}

/** Starts the worker that makes orders findable for operators. */
export function startSearchFilling(ctx: FillContext & Pick<Context, 'log'>): Worker {
  let settledAt = Number.NEGATIVE_INFINITY;
  let rounds = 0;
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'orders could not be made findable for operators',
    run: async () => {
      const isLate = rounds % LATE_EVERY_ROUNDS === 0;
      rounds += 1;
      const isFull = (await fillRecent(ctx, isLate ? LATE_MS : RECENT_MS)) === BATCH;
      if (performance.now() - settledAt < SETTLE_EVERY_MS) return isFull ? AT_ONCE : undefined;
      if (await fillSettled(ctx)) return AT_ONCE;
      if (await fillContacts(ctx)) return AT_ONCE;
      settledAt = performance.now();
      return isFull ? AT_ONCE : undefined;
    },
  });
}
