import { readSellerDays } from '../../billing/seller-days.ts';
import { readLastEntry } from '../../billing/statement/read-entries.ts';
import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { monthOf, previousMonth, readMonth } from './month.ts';
import type { MonthList, MonthOfMoney, MonthQuery } from './month-schema.ts';
import { countDocuments, findFirstMovement } from './month-sql.ts';

/** Ten years. */
const MONTHS_MAX = 120;

/**
 * Documents of one archive.
 * Each takes a processor for a quarter of a second or more, so an archive is drawn in a minute or two.
 */
export const DOCUMENTS_OF_A_PART = 200;
/** Archives of a month. What a month has beyond them is not counted. */
export const ARCHIVES_MAX = 5_000;

type MonthContext = Pick<Context, 'database' | 'config' | 'clock'>;

/** The months since an account first moved, the latest first. */
export async function listMonths(ctx: MonthContext, { accountId }: SignedIn): Promise<MonthList> {
  const days = await readSellerDays(ctx);
  const current = monthOf(days, ctx.clock.now());
  const first = await findFirstMovement(ctx.database, accountId);
  const oldest = first === undefined ? current : monthOf(days, first);
  const data: MonthList['data'] = [];
  for (let month = current; data.length < MONTHS_MAX; month = previousMonth(month)) {
    data.push({ month, is_over: month < current });
    if (month <= oldest) break;
  }
  return { data };
}

/** How many documents a month has and in how many archives, and the balances around it. */
export async function readOwnMonth(
  ctx: MonthContext,
  { accountId }: SignedIn,
  query: MonthQuery,
): Promise<MonthOfMoney> {
  const month = await readMonth(ctx, query.month);
  const { documents, parts, isAtLeast } = await countParts(ctx, { accountId, ...month });
  const opening = await readLastEntry(ctx, accountId, month.from);
  const closing = await readLastEntry(ctx, accountId, month.until);
  return {
    month: month.name,
    first_day: month.firstDay,
    last_day: month.lastDay,
    is_over: month.isOver,
    ...documents,
    is_at_least: isAtLeast,
    parts,
    documents_of_a_part: DOCUMENTS_OF_A_PART,
    opening_balance: toPounds(pence(opening.balance_pence)),
    closing_balance: toPounds(pence(closing.balance_pence)),
    currency: 'GBP',
  };
}

/** The number of documents of a period, and of the archives that they are in. */
export async function countParts(ctx: Pick<Context, 'database'>, period: Parameters<typeof countDocuments>[1]) {
  const countedMax = DOCUMENTS_OF_A_PART * ARCHIVES_MAX;
  const documents = await countDocuments(ctx.database, period, countedMax);
  const sum = documents.invoices + documents.credit_notes;
  return {
    documents,
    parts: Math.min(ARCHIVES_MAX, Math.ceil(sum / DOCUMENTS_OF_A_PART)),
    isAtLeast: sum >= countedMax,
  };
}
