import { type Actor, actAs } from '../../accounts/access/act-on-access.ts';
import { actorName } from '../../accounts/access/second-person.ts';
import { titleOfAccount } from '../../billing/chart.ts';
import { readBooksAt } from '../../billing/read-books.ts';
import { readSellerDays } from '../../billing/seller-days.ts';
import { isoTime } from '../../lib/clock.ts';
import { ApiError, validationFailed } from '../../lib/errors.ts';
import { type Pence, pence, sumPence, toPounds } from '../../lib/money.ts';
import { PAGE_LIMIT_DEFAULT, type Page, toPage } from '../../lib/paging.ts';
import { dayAfter, parseDay, sellerDayBounds } from '../../lib/seller-day.ts';
import { type Codes, codesOf } from './codes.ts';
import { type JournalFile, sageFile, xeroFile } from './journal-files.ts';
import { daysOf, justBefore, type Period, type ReportContext, reportDayOf } from './period.ts';
import type { Journal, JournalBody, JournalSummary, ListJournalsQuery } from './report-schema.ts';
import {
  findJournal,
  insertJournal,
  type JournalRow,
  listJournalRows,
  lockLastJournal,
  POSTED_WITHIN_MS,
} from './reports-sql.ts';

/** A journal may begin long before the first, with all that was posted until now. */
const JOURNAL_DAYS_MAX = 3_700;

/**
 * Hands days over to the accounting system: makes the journal that has them.
 * Each journal begins the day after the one before, so that no day is exported twice and none is left out. Its days
 * have ended more than an hour ago: no posting can be added to them, and the journal is the same whenever it is read.
 * Throws 422 for days that are not over, 409 for days that do not follow the last journal.
 */
export async function makeJournal(ctx: ReportContext, actor: Actor, body: JournalBody): Promise<Journal> {
  const by = actorName(actor);
  const { until, day: lastDay } = await reportDayOf(ctx, body.to, 'to');
  const act = { action: 'make_journal', orderId: null, subjectId: null, detail: body, reason: undefined };
  await actAs(ctx, actor, act, async (tx, now) => {
    const last = await lockLastJournal(tx);
    const next = last === undefined ? undefined : dayAfter(last.until_day);
    const from = body.from ?? next;
    if (from === undefined) {
      const message = 'is required for the first journal: the first day that it has.';
      throw validationFailed([{ path: 'from', code: 'required', message }]);
    }
    if (next !== undefined && from !== next) {
      const detail = `Journals are made until ${last?.until_day}. The next one begins on ${next}.`;
      throw new ApiError('conflict', detail);
    }
    if (parseDay(from) === undefined || from > lastDay || daysOf({ firstDay: from, lastDay }) > JOURNAL_DAYS_MAX) {
      const message = `must be a day that is not after to, and at most ${JOURNAL_DAYS_MAX} days before it.`;
      throw validationFailed([{ path: 'from', code: 'out_of_bounds', message }]);
    }
    if (until.getTime() + POSTED_WITHIN_MS > now.getTime()) {
      const message = `is not over for an hour yet: postings of ${lastDay} may still be added.`;
      throw validationFailed([{ path: 'to', code: 'out_of_bounds', message }]);
    }
    await insertJournal(tx, { from, to: body.to, by: by.name, now });
  });
  return getJournal(ctx, body.to);
}

/** A journal by its last day. Throws 404. */
export async function getJournal(ctx: ReportContext, to: string): Promise<Journal> {
  const { row, lines } = await readJournal(ctx, to);
  const sideOf = (amount: Pence, sign: 1 | -1): number => toPounds(pence(Math.max(sign * amount, 0)));
  const total = sumPence(lines.map((line) => pence(Math.max(line.pence, 0))));
  return {
    ...summaryView(row),
    currency: 'GBP',
    lines: lines.map((line) => ({
      account: line.account,
      title: line.title,
      xero_code: line.codes.xero,
      sage_code: line.codes.sage,
      debit: sideOf(line.pence, 1),
      credit: sideOf(line.pence, -1),
    })),
    debit_total: toPounds(total),
    credit_total: toPounds(total),
  };
}

/** A journal as a file that Xero imports. Throws 404. */
export async function getXeroJournal(ctx: ReportContext, to: string): Promise<string> {
  return xeroFile(await fileOf(ctx, to));
}

/** A journal as a file that Sage 50 imports. Throws 404. */
export async function getSageJournal(ctx: ReportContext, to: string): Promise<string> {
  return sageFile(await fileOf(ctx, to));
}

async function fileOf(ctx: ReportContext, to: string): Promise<JournalFile> {
  const { row, lines } = await readJournal(ctx, to);
  return { from: row.from_day, to: row.until_day, lines };
}

/** A page of the journals that were made, latest first: their days are handed over. */
export async function listJournals(ctx: ReportContext, query: ListJournalsQuery): Promise<Page<JournalSummary>> {
  const limit = query.limit === undefined ? PAGE_LIMIT_DEFAULT : Number(query.limit);
  const before = query.cursor === undefined ? '9999-01-01' : (parseDay(query.cursor) ?? '1970-01-01');
  const rows = await listJournalRows(ctx.database, before, limit + 1);
  return toPage(rows, limit, summaryView, (journal) => journal.to);
}

type Line = { readonly account: string; readonly title: string; readonly codes: Codes; readonly pence: Pence };

async function readJournal(ctx: ReportContext, to: string): Promise<{ row: JournalRow; lines: Line[] }> {
  const day = parseDay(to);
  const row = day === undefined ? undefined : await findJournal(ctx.database, day);
  if (row === undefined) {
    throw new ApiError(
      'not_found',
      'No journal was made that ends on this day. Make it first, or look at GET /books/journals.',
    );
  }
  const days = await readSellerDays(ctx);
  const from = sellerDayBounds(days, row.from_day).from;
  const until = sellerDayBounds(days, row.until_day).until;
  return { row, lines: await linesOf(ctx, { from, until }) };
}

/** What each account moved in a period, debits above zero; accounts that did not move are left out. */
async function linesOf(ctx: ReportContext, { from, until }: Pick<Period, 'from' | 'until'>): Promise<Line[]> {
  const before = new Map((await readBooksAt(ctx, justBefore(from))).map((row) => [row.account, row]));
  const after = await readBooksAt(ctx, justBefore(until));
  return after.flatMap(({ account, debitPence, creditPence }) => {
    const then = before.get(account);
    const moved = debitPence - (then?.debitPence ?? 0) - (creditPence - (then?.creditPence ?? 0));
    if (moved === 0) return [];
    return [
      { account, title: titleOfAccount(account) ?? account, codes: codesOf(account, ctx.config), pence: pence(moved) },
    ];
  });
}

function summaryView(row: JournalRow): JournalSummary {
  return { from: row.from_day, to: row.until_day, made_by: row.made_by, made_at: isoTime(row.made_at) };
}
