import type { Context } from '../lib/context.ts';
import { hasSqlState } from '../lib/db.ts';
import type { Uuid } from '../lib/ids.ts';
import type { InvoiceDocument } from './invoice.ts';
import { findInvoice, type InvoiceRow, ISSUED_MEANWHILE, insertInvoice } from './sql.ts';

/**
 * The invoice of an order: the one that it has, else one that is issued now from `document` with the next number of the
 * series. Numbers have no gaps and no invoice ever changes (domain, "Ledger"); of two requests at once one issues it.
 */
export async function issueInvoice(
  ctx: Pick<Context, 'database' | 'clock'>,
  invoice: { readonly accountId: Uuid; readonly orderId: Uuid },
  document: () => Promise<InvoiceDocument>,
): Promise<InvoiceRow> {
  const { accountId, orderId } = invoice;
  const issued = await findInvoice(ctx.database, accountId, orderId);
  if (issued !== undefined) return issued;
  try {
    return await insertInvoice(ctx.database, { ...invoice, document: await document(), now: ctx.clock.now() });
  } catch (error) {
    const twin = hasSqlState(error, ISSUED_MEANWHILE) ? await findInvoice(ctx.database, accountId, orderId) : undefined;
    if (twin === undefined) throw error;
    return twin;
  }
}
