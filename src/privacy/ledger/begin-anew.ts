import { type Actor, actOnAccess } from '../../accounts/access/act-on-access.ts';
import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { FIRST_ID, newId, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { agrees } from './append.ts';
import { accountHash, type LedgerEntry, orderHash } from './entry.ts';
import { addFormer, beginDraft, LedgerDamaged, type LedgerDraft, ledgerFolder } from './ledger-file.ts';
import {
  findLedgerHead,
  forgetLedger,
  insertLedgerEntries,
  listErasedAccounts,
  listErasedOrders,
  listMacs,
  lockLedger,
  readAnew,
  setAnew,
} from './ledger-sql.ts';
import { openLedgerOf } from './open-ledger.ts';

type AnewContext = Pick<PrivacyContext, 'database' | 'clock' | 'config'>;

/** Orders of one look, and entries of one transaction at most. */
const BATCH = 1_000;

export type BegunLedger = { readonly folder: string; readonly entries: number; readonly formerEntries: number };

/**
 * Begins the ledger of erasures anew, when every copy of it is lost or damaged.
 * The new one has an entry for each order that is erased or waits for it, and for each erased account, as the database
 * knows them: so a backup from before is erased again by it. What the lost one had and the database does not know is
 * lost. Refuses with 409 while the ledger is sound. Until it ends nothing starts; one that was killed is begun again by
 * the same command, from its beginning. `say` gets lines of progress. Memory does not grow with the number of orders.
 */
export async function beginLedgerAnew(
  ctx: AnewContext,
  actor: Actor,
  reason: string | undefined,
  say: (line: string) => void,
): Promise<BegunLedger> {
  await refuseSound(ctx);
  const folder = ledgerFolder(ctx.config);
  const mark = await begin(ctx, actor, reason);
  const formerEntries = await keepMacs(ctx, folder);
  while (await ctx.database.transaction((tx) => heldBy(tx, mark, forgetLedger))) {
    // The next page.
  }
  const draft = await beginDraft(folder);
  let entries = 0;
  for await (const erased of listErased(ctx, draft, say)) {
    const lines = await draft.append(erased.map((one) => ({ ...one, at: mark, erasureId: newId(mark.getTime()) })));
    await ctx.database.transaction((tx) => heldBy(tx, mark, () => insertLedgerEntries(tx, lines, true)));
    entries += lines.length;
  }
  await draft.finish();
  // Renames alone, behind the lock: of two commands only the later one gets here.
  await ctx.database.transaction((tx) =>
    heldBy(tx, mark, async () => {
      await draft.install(mark);
      await setAnew(tx, null);
    }),
  );
  return { folder, entries, formerEntries };
}

async function refuseSound(ctx: AnewContext): Promise<void> {
  if ((await readAnew(ctx.database)) !== null) return;
  try {
    const ledger = await openLedgerOf(ctx);
    await agrees(ledger, await findLedgerHead(ctx.database));
    // Every line, also those that this database has never read.
    for (let from = 1; (await ledger.read(from, BATCH)).length > 0; ) from += BATCH;
  } catch (error) {
    if (error instanceof LedgerDamaged) return;
    throw error;
  }
  throw new ApiError('conflict', 'The ledger of erasures is there and sound: there is nothing to begin anew.');
}

async function begin(ctx: AnewContext, actor: Actor, reason: string | undefined): Promise<Date> {
  const act = { action: 'begin_erasure_ledger', subjectId: null, detail: {}, reason };
  const mark = await actOnAccess(ctx, actor, act, async (tx, now) => {
    await lockLedger(tx);
    await setAnew(tx, now);
    return now;
  });
  if (mark === undefined) throw new Error('a command has no repeat');
  return mark;
}

/** Runs a step while this command is the one that began last. */
async function heldBy<T>(tx: Db, mark: Date, step: (tx: Db) => Promise<T>): Promise<T> {
  const { begun_anew_at: at } = await lockLedger(tx);
  if (at?.getTime() !== mark.getTime()) {
    throw new ApiError(
      'conflict',
      'Another command has begun the ledger of erasures anew meanwhile: leave it to that one.',
    );
  }
  return step(tx);
}

/** Keeps the macs of what is forgotten, before it is: a backup that knows them is recognised by them. */
async function keepMacs(ctx: AnewContext, folder: string): Promise<number> {
  let kept = 0;
  for (let after = 0; ; ) {
    const page = await listMacs(ctx.database, after);
    await addFormer(
      folder,
      page.map(({ mac }) => mac),
    );
    kept += page.length;
    const last = page.at(-1);
    if (last === undefined) return kept;
    after = last.position;
  }
}

type Erased = Pick<LedgerEntry, 'scope' | 'hash'>;

async function* listErased(
  { database }: AnewContext,
  { key }: LedgerDraft,
  say: (line: string) => void,
): AsyncGenerator<Erased[]> {
  for (let after = FIRST_ID as Uuid, looked = 0; ; ) {
    const page = await listErasedOrders(database, after, BATCH);
    const erased = page.filter((order) => order.is_erased);
    if (erased.length > 0) {
      yield erased.map(({ account_id: accountId, id }) => ({ scope: 'order', hash: orderHash(key, accountId, id) }));
    }
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH) break;
    after = last.id;
    looked += page.length;
    say(`Erased orders are being listed: ${looked} orders looked at`);
  }
  for (let after = FIRST_ID as Uuid; ; ) {
    const page = await listErasedAccounts(database, after, BATCH);
    const accounts = new Set(page.filter((erasure) => erasure.is_account).map(({ account_id: id }) => id));
    if (accounts.size > 0) yield [...accounts].map((id) => ({ scope: 'account', hash: accountHash(key, id) }));
    const last = page.at(-1);
    if (last === undefined || page.length < BATCH) return;
    after = last.id;
  }
}
