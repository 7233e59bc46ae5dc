import { readSellerDays } from '../../billing/seller-days.ts';
import type { SignedIn } from '../../lib/caller.ts';
import type { Context } from '../../lib/context.ts';
import { type Problem, validationFailed } from '../../lib/errors.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { parseDay, sellerDay } from '../../lib/seller-day.ts';
import type { Spending, SpendingQuery } from './spending-schema.ts';
import { isSpendingComplete, listSpendingDays, type SpendingRow } from './spending-sql.ts';

const DAY_MS = 86_400_000;
const DAYS_MAX = 366;
const DAYS_DEFAULT = 30;

/**
 * What an account has spent by day, from the documents that it was issued.
 * Throws 422 for a day that no calendar has, a period that ends before it begins, and one that is too long.
 */
export async function readSpending(
  ctx: Pick<Context, 'database' | 'config' | 'clock'>,
  { accountId }: SignedIn,
  query: SpendingQuery,
): Promise<Spending> {
  const { from, to } = periodOf(query, sellerDay(await readSellerDays(ctx), ctx.clock.now()));
  // Read first: what is added meanwhile is then called incomplete rather than the reverse.
  const isComplete = await isSpendingComplete(ctx.database);
  const rows = await listSpendingDays(ctx.database, accountId, { from, to, limit: DAYS_MAX });
  return {
    from,
    to,
    data: rows.map((row) => ({ day: row.day, ...partsOf(row) })),
    sum: partsOf(rows.reduce(addRows, NOTHING)),
    currency: 'GBP',
    is_complete: isComplete,
  };
}

function periodOf(query: SpendingQuery, today: string): { from: string; to: string } {
  const problems: Problem[] = [];
  const read = (path: 'from' | 'to', otherwise: () => string): string => {
    const text = query[path];
    if (text === undefined) return otherwise();
    const day = parseDay(text);
    if (day !== undefined) return day;
    problems.push({ path, code: 'time', message: `There is no such day as ${text}.` });
    return today;
  };
  const to = read('to', () => today);
  const from = read('from', () => dayBefore(to, DAYS_DEFAULT - 1));
  if (problems.length === 0 && from > to) {
    problems.push({ path: 'from', code: 'out_of_bounds', message: 'must not be later than to.' });
  } else if (problems.length === 0 && dayBefore(to, DAYS_MAX - 1) > from) {
    const message = `must be at most ${DAYS_MAX} days, the last included: ${dayBefore(to, DAYS_MAX - 1)} or later.`;
    problems.push({ path: 'from', code: 'out_of_bounds', message });
  }
  if (problems.length > 0) throw validationFailed(problems);
  return { from, to };
}

function dayBefore(day: string, days: number): string {
  const at = new Date(Date.parse(day) - days * DAY_MS);
  // No calendar here has days before the year 1.
  return at.getUTCFullYear() < 1 ? '0001-01-01' : at.toISOString().slice(0, 10);
}

type Parts = Omit<SpendingRow, 'day'>;

const NOTHING: Parts = {
  products_pence: 0,
  setup_pence: 0,
  shipping_pence: 0,
  vat_pence: 0,
  duty_pence: 0,
  refunded_pence: 0,
  invoices: 0,
  credit_notes: 0,
};

function addRows(sum: Parts, row: Parts): Parts {
  return {
    products_pence: sum.products_pence + row.products_pence,
    setup_pence: sum.setup_pence + row.setup_pence,
    shipping_pence: sum.shipping_pence + row.shipping_pence,
    vat_pence: sum.vat_pence + row.vat_pence,
    duty_pence: sum.duty_pence + row.duty_pence,
    refunded_pence: sum.refunded_pence + row.refunded_pence,
    invoices: sum.invoices + row.invoices,
    credit_notes: sum.credit_notes + row.credit_notes,
  };
}

function partsOf(row: Parts): Spending['sum'] {
  const pounds = (amountPence: number): number => toPounds(pence(amountPence));
  const spent = row.products_pence + row.setup_pence + row.shipping_pence + row.vat_pence + row.duty_pence;
  return {
    products: pounds(row.products_pence),
    setup: pounds(row.setup_pence),
    shipping: pounds(row.shipping_pence),
    vat: pounds(row.vat_pence),
    duty: pounds(row.duty_pence),
    refunds: pounds(row.refunded_pence),
    total: pounds(spent - row.refunded_pence),
    invoices: row.invoices,
    credit_notes: row.credit_notes,
  };
}
