import type { Db } from '../../lib/db.ts';
import { ApiError } from '../../lib/errors.ts';
import { FIRST_ID, type Uuid } from '../../lib/ids.ts';
import { pence, poundsText } from '../../lib/money.ts';
import type { PrivacyContext } from '../context.ts';
import {
  eraseAccountPiece,
  eraseBrandRows,
  eraseProducts,
  eraseRevisions,
  readUnsettledMoney,
  takeDesigns,
} from './erase-account-sql.ts';

/**
 * Throws 409 while money is to be settled with an account:
 * once it is erased, nothing says whom to pay.
 */
export async function refuseUnsettled(ctx: Pick<PrivacyContext, 'database'>, accountId: Uuid): Promise<void> {
  const left = await listUnsettled(ctx.database, accountId);
  if (left.length === 0) return;
  throw new ApiError('conflict', `Settle this account before it is erased: ${left.join('; ')}.`);
}

/** What is to be done about money before the name of an account may go; empty when nothing is. */
export async function listUnsettled(db: Db, accountId: Uuid): Promise<string[]> {
  const unsettled = await readUnsettledMoney(db, accountId);
  const { balance_pence: balance, owing_orders: owing, charges, top_ups: topUps } = unsettled;
  return [
    ...(balance === 0
      ? []
      : [`pay out its balance of £${poundsText(pence(balance))} (POST /accounts/{id}/withdrawals)`]),
    ...(owing === 0 ? [] : [`pay the refunds that are owed to it (orders: ${owing}, GET /orders?needs=refund)`]),
    ...(charges === 0 ? [] : [`wait for the end of its charges that are under way (${charges})`]),
    // A page takes money for an hour, and what it takes goes to the balance.
    ...(topUps === 0 ? [] : [`wait for the end of its top-ups by card that are under way (${topUps})`]),
  ];
}

/**
 * Erases what an account has beside its orders:
 * people, tokens, apps, webhooks, products, pictures, payment method. In bounded transactions, each of which may be
 * the last of this process. Idempotent.
 */
export async function eraseAccountParts(
  ctx: Pick<PrivacyContext, 'database' | 'clock'>,
  accountId: Uuid,
  erasureId: Uuid,
): Promise<void> {
  while (await ctx.database.transaction((tx) => eraseAccountPiece(tx, accountId, ctx.clock.now()))) {
    // The next piece.
  }
  for (let from: Uuid | undefined = FIRST_ID as Uuid; from !== undefined; ) {
    const after: Uuid = from;
    from = await ctx.database.transaction((tx) => eraseProducts(tx, accountId, ctx.clock.now(), after));
  }
  for (let after: string | undefined = ''; after !== undefined; ) {
    after = await takeDesigns(ctx.database, accountId, erasureId, after);
  }
}

/**
 * Erases the brands of an account that none of its orders has any more.
 * Called after its orders: those that are being made keep theirs for their slips, until they are erased. In bounded
 * transactions, each of which may be the last of this process. Idempotent.
 */
export async function eraseBrands(
  ctx: Pick<PrivacyContext, 'database'>,
  accountId: Uuid,
  erasureId: Uuid,
): Promise<void> {
  for (let from: Uuid | undefined = FIRST_ID as Uuid; from !== undefined; ) {
    const after: Uuid = from;
    from = await ctx.database.transaction((tx) => eraseRevisions(tx, accountId, erasureId, after));
  }
  for (let from: Uuid | undefined = FIRST_ID as Uuid; from !== undefined; ) {
    const after: Uuid = from;
    from = await ctx.database.transaction((tx) => eraseBrandRows(tx, accountId, after));
  }
}
