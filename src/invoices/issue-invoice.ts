import type { Context } from '../lib/context.ts';
import type { Uuid } from '../lib/ids.ts';
import { customerOf } from './customer.ts';
import { creditNoteOf, type InvoiceDocument, type Issue } from './invoice.ts';
import { insertCreditNotes, insertInvoices, lockSeries, readCreditsToNote } from './sql.ts';

/** An invoice to issue, unless its order has one already. */
export type InvoiceToIssue = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  readonly document: InvoiceDocument;
};

/**
 * Issues invoices, then the credit notes of some orders that have an invoice, in one number series.
 * Numbers have no gaps and no document ever changes (domain, "Ledger"). Locks the row of the series to the end of the
 * transaction, the only lock beside those of the rows written. It therefore runs apart from placing and from every
 * refund.
 */
export async function issueDocuments(
  ctx: Pick<Context, 'database'>,
  documents: { readonly invoices: readonly InvoiceToIssue[]; readonly creditsOf: readonly Uuid[] },
  issue: Issue,
): Promise<void> {
  const { at: now } = issue;
  await ctx.database.transaction(async (tx) => {
    await lockSeries(tx);
    await insertInvoices(tx, documents.invoices, now);
    const credits = await readCreditsToNote(tx, documents.creditsOf);
    const notes = credits.map((credit) => ({
      creditId: credit.id,
      orderId: credit.order_id,
      accountId: credit.account_id,
      document: creditNoteOf(
        { number: credit.invoice_number, issuedAt: credit.invoice_issued_at, document: credit.invoice },
        credit,
        { ...issue, customer: customerOf(credit.buyer) },
      ),
    }));
    await insertCreditNotes(tx, notes, now);
  });
}
