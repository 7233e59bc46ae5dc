import { Readable } from 'node:stream';
import type { SignedIn } from '../../lib/caller.ts';
import { ApiError, notFound, validationFailed } from '../../lib/errors.ts';
import type { RenderedPdf } from '../../lib/pdf/document.ts';
import { safeFileName } from '../../lib/text/file-name.ts';
import { writeCsv } from '../../lib/text/write-csv.ts';
import { writeZip, type ZipFile } from '../../lib/zip/write-zip.ts';
import type { PaymentsContext } from '../../payments/context.ts';
import { ownBilledOrder } from '../billed-order.ts';
import { drawCreditNote, drawInvoice } from '../get-invoice.ts';
import { issuedView } from '../list-documents.ts';
import type { IssuedRow } from '../list-sql.ts';
import type { IssuedDocument } from '../ops-schema.ts';
import { readMonth } from './month.ts';
import type { MonthPartQuery } from './month-schema.ts';
import { listPart } from './month-sql.ts';
import { countParts, DOCUMENTS_OF_A_PART } from './read-months.ts';

/** How often a document is tried again while too many others wait to be drawn, a minute each time. */
const ATTEMPTS_MAX = 3;

/** An archive that is written as it is read. */
export type Archive = { readonly fileName: string; readonly parts: number; readonly bytes: Readable };

/**
 * An archive of the documents that an account was issued in a month, each as PDF, with a list of them.
 * Documents are drawn one after the other as the archive is read, each in the account's turn, so it takes the memory of
 * one. It ends early when its reader goes, and fails when a document does, so that none looks whole that is not.
 * Throws 409 for a month without documents, and 422 for a part that it has not.
 */
export async function archiveMonth(ctx: PaymentsContext, caller: SignedIn, query: MonthPartQuery): Promise<Archive> {
  const month = await readMonth(ctx, query.month);
  const period = { accountId: caller.accountId, from: month.from, until: month.until };
  const { parts } = await countParts(ctx, period);
  if (parts === 0) throw new ApiError('conflict', `No document was issued in ${month.name}.`);
  const part = query.part === undefined ? 1 : Number(query.part);
  if (part > parts) {
    const has = `The month has ${parts} ${parts === 1 ? 'part' : 'parts'}.`;
    throw validationFailed([{ path: 'part', code: 'out_of_bounds', message: `must be at most ${parts}. ${has}` }]);
  }
  const rows = await listPart(ctx.database, period, {
    passed: (part - 1) * DOCUMENTS_OF_A_PART,
    limit: DOCUMENTS_OF_A_PART,
  });
  const name = parts === 1 ? `documents-${month.name}` : `documents-${month.name}-${part}-of-${parts}`;
  const files = filesOf(ctx, caller, { rows, folder: month.name });
  // Not ahead of its reader: a document that is not read is not drawn.
  return { fileName: `${name}.zip`, parts, bytes: Readable.from(writeZip(files), { highWaterMark: 1 }) };
}

async function* filesOf(
  ctx: PaymentsContext,
  caller: SignedIn,
  { rows, folder }: { rows: readonly IssuedRow[]; folder: string },
): AsyncGenerator<ZipFile> {
  const changedAt = rows.at(-1)?.issued_at ?? ctx.clock.now();
  yield { name: `${folder}/index.csv`, bytes: Buffer.from(indexOf(rows.map(issuedView))), changedAt };
  for (const row of rows) {
    const { fileName, pdf } = await drawn(ctx, caller, row);
    yield { name: `${folder}/${safeFileName(fileName)}`, bytes: pdf, changedAt: row.issued_at };
  }
}

/** Draws a document, and waits for a further turn when too many others wait. */
async function drawn(ctx: PaymentsContext, caller: SignedIn, row: IssuedRow): Promise<RenderedPdf> {
  const { order_id: orderId, credit_note_id: noteId } = issuedView(row);
  for (let attempt = 1; ; attempt += 1) {
    if (ctx.asker.signal?.aborted === true) throw notFound();
    try {
      const order = await ownBilledOrder(ctx, caller, orderId);
      return await (noteId === null ? drawInvoice(ctx, order) : drawCreditNote(ctx, order, noteId));
    } catch (error) {
      const isBusy = error instanceof ApiError && error.code === 'unavailable';
      if (!isBusy || attempt === ATTEMPTS_MAX) throw error;
    }
  }
}

const COLUMNS = [
  'number',
  'kind',
  'issued_on',
  'tax_point',
  'order_id',
  'order_reference',
  'customer_name',
  'customer_vat_number',
  'currency',
  'net_total',
  'vat_total',
  'duty_total',
  'total',
] as const satisfies readonly (keyof IssuedDocument)[];

/** The list of the documents of an archive, with the name of each file. */
function indexOf(documents: readonly IssuedDocument[]): string {
  const rows = documents.map((one) => [...COLUMNS.map((column) => one[column]), `${one.number}.pdf`]);
  return writeCsv([[...COLUMNS, 'file'], ...rows]);
}
