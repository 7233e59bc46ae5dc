import type { SignedIn } from '../../lib/caller.ts';
import { firstIdAt } from '../../lib/ids.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { autoSettleSince } from '../../orders/blocked/auto-settle.ts';
import type { PaymentsContext } from '../context.ts';
import { topUpBounds } from '../top-ups/top-up-bounds.ts';
import type { CardTopUp } from '../top-ups/top-up-schema.ts';
import { listUnpaidRows } from '../top-ups/top-up-sql.ts';
import { cardTopUpView } from '../top-ups/top-up-view.ts';
import type { AccountMoney } from './money-schema.ts';
import { readMoneyRow, SUMMED_MAX } from './money-sql.ts';

/** How long a top-up that came to nothing is still worth a look. An open one ends within an hour. */
const LATELY_MS = 24 * 3_600_000;

/** The balance of the account, which orders wait for it, what is owed back, and what a top-up may be. */
export async function readMoney(ctx: PaymentsContext, caller: SignedIn): Promise<AccountMoney> {
  const { accountId } = caller;
  const row = await readMoneyRow(ctx.database, accountId, autoSettleSince(ctx));
  if (row === undefined) throw new Error('the account of a session has no balance');
  const missing = Math.max(0, row.waiting_pence - row.balance_pence);
  const bounds = topUpBounds(ctx.config);
  const summed = (orders: number, amountPence: number): AccountMoney['waiting'] => ({
    orders,
    amount: toPounds(pence(amountPence)),
    is_at_least: orders > SUMMED_MAX,
  });
  return {
    balance: toPounds(pence(row.balance_pence)),
    currency: 'GBP',
    waiting: summed(row.waiting, row.waiting_pence),
    to_free_all: toPounds(pence(missing)),
    pending_refunds: summed(row.refunds, row.refunds_pence),
    top_up: ctx.payments === undefined ? null : { min: toPounds(bounds.minPence), max: toPounds(bounds.maxPence) },
    unpaid_top_ups: await unpaidTopUps(ctx, caller),
  };
}

async function unpaidTopUps(ctx: PaymentsContext, { accountId, person }: SignedIn): Promise<CardTopUp[]> {
  if (person.role !== 'owner' && person.role !== 'manager') return [];
  const since = firstIdAt(new Date(ctx.clock.now().getTime() - LATELY_MS));
  const rows = await listUnpaidRows(ctx.database, accountId, since);
  return rows.map((topUp) => cardTopUpView({ topUp, payUrl: null }));
}
