import { readSellerDays } from '../billing/seller-days.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { validationFailed } from '../lib/errors.ts';
import { parseId, publicId } from '../lib/ids.ts';
import { pence, toPounds } from '../lib/money.ts';
import { type Page, readPage, toPage } from '../lib/paging.ts';
import { parseDay, sellerDayBounds } from '../lib/seller-day.ts';
import { findIssuedRow, type IssuedPage, type IssuedPosition, type IssuedRow, listIssuedRows } from './list-sql.ts';
import type { IssuedDocument, ListDocumentsQuery } from './ops-schema.ts';
import { creditNoteNumber, invoiceNumber } from './view.ts';

/** No document is after this one. */
const LAST: IssuedPosition = { issuedAt: new Date(8_640_000_000_000_000), number: Number.MAX_SAFE_INTEGER };

/**
 * A page of the invoices and credit notes that were issued in a period, latest first, for operators.
 * `from` and `to` are days of the seller and belong to the period. An `account` that is no account's id has none.
 * Throws 422 for a day that no calendar has, and for a period that ends before it begins.
 */
export async function listIssuedDocuments(
  ctx: Pick<Context, 'database' | 'config'>,
  query: ListDocumentsQuery,
): Promise<Page<IssuedDocument>> {
  const from = dayIn('from', query.from);
  const to = dayIn('to', query.to);
  if (from !== undefined && to !== undefined && from > to) {
    throw validationFailed([{ path: 'from', code: 'out_of_bounds', message: 'must not be later than to.' }]);
  }
  const accountId = query.account === undefined ? undefined : parseId('acct', query.account);
  if (query.account !== undefined && accountId === undefined) return { data: [], has_more: false, next_cursor: null };
  const days = await readSellerDays(ctx);
  const since = from === undefined ? new Date(0) : sellerDayBounds(days, from).from;
  const end = to === undefined ? LAST : { issuedAt: sellerDayBounds(days, to).until, number: 0 };
  const { limit } = readPage('cn', { limit: query.limit });
  const before = earlier(end, positionOf(query.cursor));
  if (query.number !== undefined) {
    const row = await issuedRowOf(ctx, query.number);
    const isOf = row !== undefined && isListed(row, { before, since, accountId, kind: query.kind });
    return { data: isOf ? [issuedView(row)] : [], has_more: false, next_cursor: null };
  }
  const rows = await listIssuedRows(ctx.database, { before, since, accountId, kind: query.kind, limit: limit + 1 });
  return toPage(rows, limit, issuedView, cursorOf);
}

/** The document with a number, in any case, with or without what it begins with. */
async function issuedRowOf(ctx: Pick<Context, 'database'>, text: string): Promise<IssuedRow | undefined> {
  const [prefix, digits] = text.includes('-') ? text.toUpperCase().split('-') : [undefined, text];
  const row = await findIssuedRow(ctx.database, Number(digits));
  const kind = prefix === 'INV' ? 'invoice' : 'credit_note';
  return prefix === undefined || row?.kind === kind ? row : undefined;
}

function isListed(row: IssuedRow, page: Omit<IssuedPage, 'limit'>): boolean {
  const { before, since, accountId, kind } = page;
  const position = { issuedAt: row.issued_at, number: row.number };
  return (
    row.issued_at >= since &&
    earlier(position, before) === position &&
    (accountId === undefined || row.account_id === accountId) &&
    (kind === undefined || row.kind === kind)
  );
}

function dayIn(path: string, text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const day = parseDay(text);
  if (day === undefined) throw validationFailed([{ path, code: 'time', message: `There is no such day as ${text}.` }]);
  return day;
}

/** A position in time and in the series, which is never looked up. */
function positionOf(cursor: string | undefined): IssuedPosition {
  if (cursor === undefined) return LAST;
  const [number = '', ms = ''] = cursor.split('.');
  return { issuedAt: new Date(Number(ms)), number: Number(number) };
}

function earlier(one: IssuedPosition, other: IssuedPosition): IssuedPosition {
  const difference = one.issuedAt.getTime() - other.issuedAt.getTime();
  return difference < 0 || (difference === 0 && one.number < other.number) ? one : other;
}

function cursorOf({ number, issued_at: issuedAt }: IssuedDocument): string {
  return `${Number(number.slice(number.indexOf('-') + 1))}.${Date.parse(issuedAt)}`;
}

/** Shows a document in a list, with pence turned into pounds. */
export function issuedView(row: IssuedRow): IssuedDocument {
  const pounds = (amountPence: number): number => toPounds(pence(amountPence));
  const issuedAt = isoTime(row.issued_at);
  return {
    number: row.kind === 'invoice' ? invoiceNumber(row.number) : creditNoteNumber(row.number),
    kind: row.kind,
    account_id: publicId('acct', row.account_id),
    order_id: publicId('ord', row.order_id),
    order_reference: row.order_reference,
    credit_note_id: row.credit_id === null ? null : publicId('cn', row.credit_id),
    issued_at: issuedAt,
    issued_on: row.issued_on ?? issuedAt.slice(0, 10),
    tax_point: row.tax_point.slice(0, 10),
    customer_name: row.customer_name,
    customer_vat_number: row.customer_vat_number,
    currency: 'GBP',
    net_total: pounds(row.net_pence),
    vat_total: pounds(row.vat_pence),
    duty_total: pounds(row.duty_pence),
    total: pounds(row.total_pence),
  };
}
