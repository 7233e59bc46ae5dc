import type { Db } from '../../lib/db.ts';
import { FIRST_ID, LAST_ID, type Uuid } from '../../lib/ids.ts';
import type { PrivacyContext } from '../context.ts';
import { carryOut } from '../erase/carry-out.ts';
import { addErasureOrders, insertErasure, listOpenErasures } from '../erase/erasure-sql.ts';
import { listOrderFamily } from '../erase/find-orders-sql.ts';
import { takeOver } from './append.ts';
import { accountHash, orderHash, recipientHashesOf } from './entry.ts';
import type { LedgerFile } from './ledger-file.ts';
import {
  estimateOrders,
  findLastToReplay,
  listAccountsToReplay,
  listOrdersToReplay,
  lockLedger,
  type MatchedEntry,
  markReplayed,
  matchLedger,
  setReplay,
} from './ledger-sql.ts';
import { openLedgerOf } from './open-ledger.ts';

/** Rows of one transaction: each takes a few keyed hashes. */
const BATCH = 500;

export type ReplayReport = { readonly entries: number; readonly orders: number; readonly accounts: number };

const NOTHING: ReplayReport = { entries: 0, orders: 0, accounts: 0 };

/**
 * Compares the database with the ledger, and erases again what a restored database has back.
 * One comparison when they agree. Otherwise it looks at every order and account once, in batches that go on where a
 * killed process stopped, with a line of progress for `say`, and then erases what it has found and what has ended.
 * Runs before a service is ready. Throws `LedgerDamaged` when the ledger is lost, cut short or another one.
 */
export async function replayLedger(
  ctx: PrivacyContext,
  say: (line: string) => void = () => {},
  signal?: AbortSignal,
): Promise<ReplayReport> {
  const ledger = await openLedgerOf(ctx);
  while (await takeOver(ctx, ledger)) say('Erasures of the ledger are being read');
  const upTo = await findLastToReplay(ctx.database);
  if (upTo === undefined) return NOTHING;
  const found = await findAgain(ctx, ledger, upTo, say, signal);
  await carryOutOpen(ctx, say, signal);
  return found;
}

async function findAgain(
  ctx: PrivacyContext,
  ledger: LedgerFile,
  last: number,
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<ReplayReport> {
  const report = { entries: 0, orders: 0, accounts: 0 };
  const total = await estimateOrders(ctx.database);
  let seen = 0;
  for (;;) {
    signal?.throwIfAborted();
    const step = await ctx.database.transaction((tx) => findBatch(tx, ledger.key, last));
    report.orders += step.orders;
    report.accounts += step.accounts;
    seen += step.seen;
    if (step.isEnd) break;
    say(`Erasures are being replayed: ${seen} of about ${Math.max(total, seen)} orders`);
  }
  report.entries = last;
  return report;
}

type Step = { readonly seen: number; readonly orders: number; readonly accounts: number; readonly isEnd: boolean };

/** Looks at the next batch; the place and what was found are saved in one transaction. */
async function findBatch(tx: Db, key: Buffer, last: number): Promise<Step> {
  const saved = await lockLedger(tx);
  const isUnderWay = saved.up_to_position > 0;
  const upTo = isUnderWay ? saved.up_to_position : last;
  const orders = await listOrdersToReplay(tx, saved.orders_through, BATCH);
  let found = 0;
  const hashesOf = new Map<string, { accountId: Uuid; orderId: Uuid; at: Date }[]>();
  for (const order of orders) {
    const hashes = [
      orderHash(key, order.account_id, order.id),
      ...order.addresses.flatMap((address) => recipientHashesOf(key, order.account_id, address)),
    ];
    for (const hash of new Set(hashes)) {
      const same = hashesOf.get(hash) ?? [];
      hashesOf.set(hash, [...same, { accountId: order.account_id, orderId: order.id, at: order.created_at }]);
    }
  }
  for (const entry of await matchLedger(tx, [...hashesOf.keys()], upTo)) {
    // A person who orders again after an erasure has not asked for the erasure of that order.
    const meant = (hashesOf.get(entry.hash) ?? []).filter(({ at }) => entry.scope === 'order' || at <= entry.at);
    for (const { accountId, orderId } of meant) {
      await reopen(tx, accountId, entry);
      // The ledger names one order of a family, and all of it was erased.
      const family = entry.scope === 'order' ? await listOrderFamily(tx, accountId, orderId) : [orderId];
      found += await addErasureOrders(tx, accountId, entry.erasure_id, family);
    }
  }
  const through = orders.at(-1)?.id ?? saved.orders_through;
  if (orders.length === BATCH) {
    await setReplay(tx, { up_to_position: upTo, orders_through: through, accounts_through: saved.accounts_through });
    return { seen: orders.length, orders: found, accounts: 0, isEnd: false };
  }
  return {
    ...(await findAccounts(tx, key, { ...saved, up_to_position: upTo, orders_through: LAST_ID as Uuid })),
    orders: found,
  };
}

async function findAccounts(
  tx: Db,
  key: Buffer,
  saved: { readonly up_to_position: number; readonly orders_through: Uuid; readonly accounts_through: Uuid },
): Promise<Step> {
  const accounts = await listAccountsToReplay(tx, saved.accounts_through, BATCH);
  const byHash = new Map(accounts.map(({ id }) => [accountHash(key, id), id]));
  const entries = await matchLedger(tx, [...byHash.keys()], saved.up_to_position);
  for (const entry of entries) await reopen(tx, byHash.get(entry.hash) ?? (FIRST_ID as Uuid), entry);
  const through = accounts.at(-1)?.id ?? saved.accounts_through;
  const isEnd = accounts.length < BATCH;
  if (isEnd) {
    await markReplayed(tx, saved.up_to_position);
    await setReplay(tx, { up_to_position: 0, orders_through: FIRST_ID as Uuid, accounts_through: FIRST_ID as Uuid });
  } else await setReplay(tx, { ...saved, accounts_through: through });
  return { seen: 0, orders: 0, accounts: entries.length, isEnd };
}

/** The erasure of an entry, as this database knows it, or made anew. */
async function reopen(tx: Db, accountId: Uuid, entry: MatchedEntry): Promise<void> {
  const { erasure_id: id, scope, hash, at } = entry;
  await insertErasure(tx, { accountId, id, scope, subject: hash, state: 'erasing', requestedAt: at });
}

/** Does all of the open erasures that can be done now. */
async function carryOutOpen(
  ctx: PrivacyContext,
  say: (line: string) => void,
  signal: AbortSignal | undefined,
): Promise<void> {
  for (let after = FIRST_ID as Uuid; ; ) {
    const open = await listOpenErasures(ctx.database, after, BATCH);
    for (const erasure of open) {
      signal?.throwIfAborted();
      await carryOut(ctx, erasure);
    }
    const last = open.at(-1);
    if (last === undefined || open.length < BATCH) return;
    say('What the ledger names is being erased');
    after = last.id;
  }
}
