import { type AccountTotals, readBooksAt } from '../../billing/read-books.ts';
import { readSellerDays } from '../../billing/seller-days.ts';
import { creditNoteNumber, invoiceNumber } from '../../invoices/view.ts';
import { FIRST_ID, publicId } from '../../lib/ids.ts';
import { pence, toPounds } from '../../lib/money.ts';
import { PAGE_LIMIT_DEFAULT, type Page } from '../../lib/paging.ts';
import { type SellerDays, sellerDay, sellerDayBounds } from '../../lib/seller-day.ts';
import { justBefore, listDays, type Period, periodOf, type ReportContext } from './period.ts';
import type { PeriodQuery, VatDocument, VatDocumentsQuery, VatReport } from './report-schema.ts';
import {
  listCreditItems,
  listSaleItems,
  POSTED_WITHIN_MS,
  readEntryMoves,
  readPostedAfter,
  type ShiftRow,
  sumCredits,
  sumSales,
  type VatItemRow,
  type VatSumRow,
} from './reports-sql.ts';

/**
 * Output VAT of a period by rate and treatment, with the proof that it is what the ledger has.
 * A sale counts on the day of its tax point, the payment; a credit on the day it was given. Both are in the figures
 * before their document is issued. What was posted some milliseconds after the tax point, on the other side of a
 * midnight, is shown apart, so that documents and ledger agree to the penny. Each day is a statement of its own. Throws
 * 422 as `periodOf`.
 */
export async function getVatReport(ctx: ReportContext, query: PeriodQuery): Promise<VatReport> {
  const period = await periodOf(ctx, query);
  const days = await readSellerDays(ctx);
  const [sales, credits]: [VatSumRow[], VatSumRow[]] = [[], []];
  for (const day of listDays(period)) {
    const { from, until } = sellerDayBounds(days, day);
    sales.push(...(await sumSales(ctx.database, from, until)));
    credits.push(...(await sumCredits(ctx.database, from, until)));
  }
  const rates = ratesOf(sales, credits);
  const open = (rows: readonly VatSumRow[], of: (row: VatSumRow) => number): number =>
    rows.reduce((sum, row) => sum + of(row), 0);
  const openNet = open(sales, (row) => row.open_net_pence) - open(credits, (row) => row.open_net_pence);
  const openVat = open(sales, (row) => row.open_vat_pence) - open(credits, (row) => row.open_vat_pence);
  const inReturn = rates.filter(({ treatment }) => treatment !== 'not_registered');
  return {
    from: period.firstDay,
    to: period.lastDay,
    currency: 'GBP',
    box_1: pounds(inReturn.reduce((sum, rate) => sum + rate.vat, 0)),
    box_6: pounds(inReturn.reduce((sum, rate) => sum + rate.net, 0)),
    rates: rates.map((rate) => ({
      rate: rate.rateBasisPoints / 100,
      treatment: rate.treatment,
      net: pounds(rate.net),
      vat: pounds(rate.vat),
      sales_net: pounds(rate.salesNet),
      sales_vat: pounds(rate.salesVat),
      credits_net: pounds(rate.creditsNet),
      credits_vat: pounds(rate.creditsVat),
      documents: rate.documents,
    })),
    not_invoiced: {
      documents: open(sales, (row) => row.open_documents) + open(credits, (row) => row.open_documents),
      net: pounds(openNet),
      vat: pounds(openVat),
    },
    ledger: await ledgerOf(ctx, period, sales, credits),
    is_final: period.until.getTime() + POSTED_WITHIN_MS <= ctx.clock.now().getTime(),
  };
}

type Rate = {
  readonly rateBasisPoints: number;
  readonly treatment: VatSumRow['treatment'];
  net: number;
  vat: number;
  salesNet: number;
  salesVat: number;
  creditsNet: number;
  creditsVat: number;
  documents: number;
};

/** The sums of all days by rate and treatment, the highest rate first. */
function ratesOf(sales: readonly VatSumRow[], credits: readonly VatSumRow[]): Rate[] {
  const rates = new Map<string, Rate>();
  const add = (row: VatSumRow, sign: 1 | -1): void => {
    const key = `${row.rate_bp} ${row.treatment}`;
    const rate = rates.get(key) ?? {
      rateBasisPoints: row.rate_bp,
      treatment: row.treatment,
      net: 0,
      vat: 0,
      salesNet: 0,
      salesVat: 0,
      creditsNet: 0,
      creditsVat: 0,
      documents: 0,
    };
    rate.net += sign * row.net_pence;
    rate.vat += sign * row.vat_pence;
    if (sign === 1) {
      rate.salesNet += row.net_pence;
      rate.salesVat += row.vat_pence;
    } else {
      rate.creditsNet += row.net_pence;
      rate.creditsVat += row.vat_pence;
    }
    rate.documents += row.documents;
    rates.set(key, rate);
  };
  for (const row of sales) add(row, 1);
  for (const row of credits) add(row, -1);
  return [...rates.values()].toSorted(
    (a, b) => b.rateBasisPoints - a.rateBasisPoints || a.treatment.localeCompare(b.treatment),
  );
}

/** The figures by account of the ledger: VAT of each rate, and what was sold without VAT. */
async function ledgerOf(
  ctx: ReportContext,
  period: Period,
  sales: readonly VatSumRow[],
  credits: readonly VatSumRow[],
): Promise<VatReport['ledger']> {
  const before = await readBooksAt(ctx, justBefore(period.from));
  const after = await readBooksAt(ctx, justBefore(period.until));
  const entries = await readEntryMoves(ctx.database, period.from, period.until);
  const [carriedIn, carriedOut] = [
    await readPostedAfter(ctx.database, period.from),
    await readPostedAfter(ctx.database, period.until),
  ];
  const documents = documentSums(sales, credits);
  const posted = movements(before, after);
  const names = new Set([
    ...documents.keys(),
    ...posted.keys(),
    ...[...carriedIn, ...carriedOut].map(({ account }) => account),
  ]);
  return [...names].toSorted().map((account) => {
    const shown = documents.get(account) ?? 0;
    const [later, others] = [penceOf(carriedOut, account), penceOf(carriedIn, account)];
    const [own, ledger] = [penceOf(entries, account), posted.get(account) ?? 0];
    return {
      account,
      documents: pounds(shown),
      posted_after: pounds(later),
      posted_of_others: pounds(others),
      entries: pounds(own),
      ledger: pounds(ledger),
      unexplained: pounds(ledger - own - (shown - later + others)),
    };
  });
}

function documentSums(sales: readonly VatSumRow[], credits: readonly VatSumRow[]): Map<string, number> {
  const sums = new Map<string, number>([['net', 0]]);
  const add = (account: string, amount: number): void => {
    sums.set(account, (sums.get(account) ?? 0) + amount);
  };
  for (const [rows, sign] of [
    [sales, 1],
    [credits, -1],
  ] as const) {
    for (const row of rows) {
      add('net', sign * row.net_pence);
      if (row.vat_pence !== 0) add(`vat:${row.rate_bp}`, sign * row.vat_pence);
    }
  }
  return sums;
}

const OF_SALES: ReadonlySet<string> = new Set(['sales', 'setup_fees', 'shipping_income', 'refunds']);

/** What each account of VAT, and all of sales together, moved to the credit between two times. */
function movements(before: readonly AccountTotals[], after: readonly AccountTotals[]): Map<string, number> {
  const sums = new Map<string, number>([['net', 0]]);
  for (const [rows, sign] of [
    [after, 1],
    [before, -1],
  ] as const) {
    for (const { account, debitPence, creditPence } of rows) {
      const name = OF_SALES.has(account) ? 'net' : account;
      if (name !== 'net' && !name.startsWith('vat:')) continue;
      sums.set(name, (sums.get(name) ?? 0) + sign * (creditPence - debitPence));
    }
  }
  return sums;
}

function penceOf(rows: readonly ShiftRow[], account: string): number {
  return rows.find((row) => row.account === account)?.pence ?? 0;
}

/**
 * A page of the documents of a period, a record for each rate: sales first, then credits.
 * Each in the order of time; a document that is still to be issued has no number. Throws 422 as `periodOf`.
 */
export async function listVatDocuments(ctx: ReportContext, query: VatDocumentsQuery): Promise<Page<VatDocument>> {
  const period = await periodOf(ctx, query);
  const days = await readSellerDays(ctx);
  const limit = query.limit === undefined ? PAGE_LIMIT_DEFAULT : Number(query.limit);
  const start = positionOf(period, query.cursor);
  const page = { from: period.from, until: period.until, after: start.at, id: start.id, limit: limit + 1 };
  const list = start.of === 's' ? listSaleItems : listCreditItems;
  const rows = await list(ctx.database, page);
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  const next =
    last !== undefined
      ? `${start.of}.${last.at.getTime()}.${last.id}`
      : start.of === 's'
        ? `c.${period.from.getTime()}.${FIRST_ID}`
        : null;
  const data = shown.flatMap((row) => (row.is_within ? documentViews(row, start.of, days) : []));
  return { data, has_more: next !== null, next_cursor: next };
}

function positionOf(period: Period, cursor: string | undefined): { of: 's' | 'c'; at: Date; id: string } {
  if (cursor === undefined) return { of: 's', at: period.from, id: FIRST_ID };
  const [of, ms = '', id = FIRST_ID] = cursor.split('.');
  const at = new Date(Math.min(Number(ms), period.until.getTime() + POSTED_WITHIN_MS));
  return { of: of === 'c' ? 'c' : 's', at: at < period.from ? period.from : at, id: isUuid(id) ? id : FIRST_ID };
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/.test(text);
}

function documentViews(row: VatItemRow, of: 's' | 'c', days: SellerDays): VatDocument[] {
  const isSale = of === 's';
  const number = row.number === null ? null : isSale ? invoiceNumber(row.number) : creditNoteNumber(row.number);
  return row.rates.map((rate) => ({
    kind: isSale ? 'invoice' : 'credit_note',
    number,
    tax_point: sellerDay(days, row.tax_point),
    order_reference: row.order_reference,
    account_id: publicId('acct', row.account_id),
    rate: rate.rate_bp / 100,
    treatment: rate.treatment,
    net: pounds(isSale ? rate.net_pence : -rate.net_pence),
    vat: pounds(isSale ? rate.vat_pence : -rate.vat_pence),
  }));
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
