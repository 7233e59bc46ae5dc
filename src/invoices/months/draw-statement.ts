import { readEntries, readEntrySums, readLastEntry } from '../../billing/statement/read-entries.ts';
import type { LastEntry } from '../../billing/statement/statement-sql.ts';
import { descriptionOf, kindInWords } from '../../billing/view.ts';
import type { SignedIn } from '../../lib/caller.ts';
import { notFound } from '../../lib/errors.ts';
import { publicId, type Uuid } from '../../lib/ids.ts';
import { type RenderedPdf, renderPdf } from '../../lib/pdf/document.ts';
import { sellerDay, sellerDayBounds } from '../../lib/seller-day.ts';
import { type Seller, sellerAddress, vatNumberAt } from '../../lib/settings/seller.ts';
import type { PaymentsContext } from '../../payments/context.ts';
import { customerOf } from '../customer.ts';
import type { InvoiceParty } from '../invoice.ts';
import { daysOfMonth, type Month, readMonth } from './month.ts';
import type { MonthQuery } from './month-schema.ts';
import { findBuyer, listSummedDocuments } from './month-sql.ts';
import { type DaySum, type DocumentSums, type MonthStatement, type Movements, sumDocuments } from './statement.ts';
import { statementPdf } from './statement-pdf.ts';

/** Movements that are listed, on some thirty pages. More are summed by day and kind. */
export const MOVEMENTS_MAX = 1_000;
/** Documents that are summed at a time. */
const PAGE = 1_000;

type Range = { readonly accountId: Uuid; readonly opening: LastEntry; readonly closing: LastEntry };

/**
 * Draws the statement of a month as PDF, from the ledger and the documents.
 * It is as long as `MOVEMENTS_MAX` movements at most. Throws as `readMonth`, and 503 when too many documents wait to be
 * drawn.
 */
export async function drawStatement(
  ctx: PaymentsContext,
  { accountId }: SignedIn,
  query: MonthQuery,
): Promise<RenderedPdf> {
  const month = await readMonth(ctx, query.month);
  const opening = await readLastEntry(ctx, accountId, month.from);
  const closing = await readLastEntry(ctx, accountId, month.until);
  const range = { accountId, opening, closing };
  const rows = Math.min(MOVEMENTS_MAX, closing.entry - opening.entry);
  const pdf = await renderPdf(
    { rows, make: async () => statementPdf(await readMonthStatement(ctx, month, range)) },
    ctx.asker,
  );
  return { fileName: `statement-${month.name}.pdf`, pdf };
}

async function readMonthStatement(ctx: PaymentsContext, month: Month, range: Range): Promise<MonthStatement> {
  const { accountId, opening, closing } = range;
  const isShort = closing.entry - opening.entry <= MOVEMENTS_MAX;
  const movements = await (isShort ? readMovements(ctx, month, range) : readDaySums(ctx, month, range));
  const moved = movements.rows.reduce((sum, { movedPence }) => sum + movedPence, 0);
  if (opening.balance_pence + moved !== closing.balance_pence) {
    throw new Error('the movements of a month do not lead from its first balance to its last');
  }
  const buyer = await findBuyer(ctx.database, accountId);
  if (buyer === undefined) throw notFound();
  const at = month.isOver ? month.until : ctx.clock.now();
  return {
    month: month.name,
    firstDay: month.firstDay,
    lastDay: month.lastDay,
    at,
    isOver: month.isOver,
    accountId: publicId('acct', accountId),
    seller: sellerAt(ctx.config.seller, new Date(at.getTime() - 1)),
    customer: customerOf(buyer),
    opening,
    closing,
    movements,
    documents: await readDocumentSums(ctx, { accountId, ...month }),
  };
}

async function readMovements(ctx: PaymentsContext, month: Month, range: Range): Promise<Movements> {
  const { accountId, opening, closing } = range;
  const page = { after: opening.entry, before: closing.entry + 1, limit: MOVEMENTS_MAX };
  const entries = await readEntries(ctx, accountId, page);
  const rows = entries.toReversed().map((entry) => ({
    day: sellerDay(month.days, entry.created_at),
    what: descriptionOf(entry),
    sort: kindInWords(entry),
    reference: entry.reference,
    movedPence: entry.is_credit ? entry.amount_pence : -entry.amount_pence,
    balancePence: entry.balance_after_pence,
  }));
  return { kind: 'single', rows };
}

/** A day is a range of entries, too, so each is summed by itself. */
async function readDaySums(ctx: PaymentsContext, month: Month, range: Range): Promise<Movements> {
  const { accountId, opening, closing } = range;
  const rows: DaySum[] = [];
  let before = opening;
  for (const day of daysOfMonth(month)) {
    refuseAbandoned(ctx);
    const { until } = sellerDayBounds(month.days, day);
    const found = await readLastEntry(ctx, accountId, until);
    // While the month is not over, entries go on being added.
    const last = found.entry > closing.entry ? closing : found;
    const sums = await readEntrySums(ctx, accountId, { after: before.entry, through: last.entry });
    for (const [at, sum] of sums.entries()) {
      rows.push({
        day,
        sort: kindInWords(sum),
        entries: sum.entries,
        movedPence: sum.is_credit ? sum.amount_pence : -sum.amount_pence,
        balancePence: at === sums.length - 1 ? last.balance_pence : undefined,
      });
    }
    before = last;
  }
  return { kind: 'by_day', rows };
}

async function readDocumentSums(
  ctx: PaymentsContext,
  period: { accountId: Uuid; from: Date; until: Date },
): Promise<DocumentSums> {
  const { add, sums } = sumDocuments();
  for (const kind of ['invoice', 'credit_note'] as const) {
    for (let after: { at: Date; number: number } | undefined = { at: period.from, number: 0 }; after !== undefined; ) {
      refuseAbandoned(ctx);
      const page: Awaited<ReturnType<typeof listSummedDocuments>> = await listSummedDocuments(
        ctx.database,
        { ...period, kind },
        { after, limit: PAGE },
      );
      for (const document of page) add({ kind, ...document });
      const last = page.length < PAGE ? undefined : page.at(-1);
      after = last === undefined ? undefined : { at: last.issued_at, number: last.number };
    }
  }
  return sums();
}

/** It is not wanted any more. */
function refuseAbandoned(ctx: PaymentsContext): void {
  if (ctx.asker.hasGone?.() === true) throw notFound();
}

function sellerAt(seller: Seller, at: Date): InvoiceParty {
  const { lines, country } = sellerAddress(seller);
  return {
    name: seller.name,
    lines: country === undefined ? lines : [...lines, country],
    vat_number: vatNumberAt(seller, at),
  };
}
