import { closeDays } from '../billing/close-days.ts';
import { readSellerDays } from '../billing/seller-days.ts';
import type { Context } from '../lib/context.ts';
import { unavailable } from '../lib/errors.ts';
import { AT_ONCE, every, type Worker } from '../lib/every.ts';
import { firstIdAt, type Uuid } from '../lib/ids.ts';
import { isUnnumbered } from '../lib/settings/seller.ts';
import {
  advanceInvoicing,
  findDueById,
  findDueByPayment,
  type InvoiceSourceRow,
  readInvoiceSources,
  readInvoicing,
} from './due-sql.ts';
import { isWithoutVat } from './invoice.ts';
import { issueDocuments } from './issue-invoice.ts';
import { invoiceOf } from './order-document.ts';
import { listOrdersToNote } from './read-documents.ts';

type IssueContext = Pick<Context, 'database' | 'clock' | 'config'>;

/** The sweep serves the books. A customer who asks for an invoice gets it at once, without the sweep. */
const POLL_MS = 15_000;

/** Documents of one transaction, which locks the series for as long as it takes. */
const BATCH = 100;

/** Batches of one round. A backlog continues in the next round. */
const BATCHES_MAX = 50;

/**
 * How long after its own time a row may still appear.
 * A statement takes 15 s at most, and the clocks of the nodes follow the database's. Younger rows are left for a later
 * round.
 */
const SETTLED_AFTER_MS = 60_000;

/**
 * Issues the invoices and credit notes that some orders still lack, in the order of payment.
 * Called by a reader and by the sweep, also concurrently: each document is issued once. Throws 503 for invoices that
 * wait for the VAT number of the seller; then none of these orders gets its documents.
 */
export async function issueForOrders(ctx: IssueContext, orderIds: readonly Uuid[]): Promise<void> {
  const sources = await readInvoiceSources(ctx.database, orderIds);
  refuseUnnumberedInvoices(ctx, sources);
  // Read once: the day of issue is that of the time of issue.
  const issue = { at: ctx.clock.now(), days: await readSellerDays(ctx) };
  const invoices = sources.map((source) => ({
    accountId: source.account_id,
    orderId: source.id,
    document: invoiceOf(source, ctx.config.seller, issue),
  }));
  await issueDocuments(ctx, { invoices, creditsOf: orderIds }, issue);
}

/**
 * Holds invoices with VAT back once the seller's day of registration has come without a VAT number.
 * That can happen only in a service that has been running since before the day. An issued invoice never changes, so a
 * late one is better than one without the number.
 */
function refuseUnnumberedInvoices({ config, clock }: IssueContext, sources: readonly InvoiceSourceRow[]): void {
  if (!isUnnumbered(config.seller, clock.now())) return;
  if (sources.every(({ vat_breakdown: vat }) => isWithoutVat(vat))) return;
  throw unavailable("Invoices with VAT wait for the seller's VAT number, which is not set yet.");
}

/**
 * Runs one round of the sweep: every paid order gets its invoice and every credit its note.
 * Works in bounded batches, off the placing path. Orders paid at placing are found by id, the others by time of
 * payment, and both only from where the last round ended, so that a round costs what has been added since. Any number
 * of nodes may run it. Returns how many orders it processed.
 */
export async function issueDueDocuments(ctx: IssueContext): Promise<number> {
  let issued = 0;
  for (let batch = 0; batch < BATCHES_MAX; batch += 1) {
    const taken = await issueBatch(ctx);
    if (taken === 0) break;
    issued += taken;
  }
  return issued;
}

async function issueBatch(ctx: IssueContext): Promise<number> {
  const settledBefore = new Date(ctx.clock.now().getTime() - SETTLED_AFTER_MS);
  const from = await readInvoicing(ctx.database);
  const placed = await findDueById(ctx.database, { after: from.placed_through, before: settledBefore, limit: BATCH });
  const paid = await findDueByPayment(ctx.database, { since: from.paid_through, limit: BATCH });
  const credited = await listOrdersToNote(ctx, BATCH);
  const orderIds = [...new Set([...placed, ...paid.map(({ id }) => id), ...credited])];
  if (orderIds.length > 0) await issueForOrders(ctx, orderIds);
  const lastPaidAt = paid.length < BATCH ? undefined : paid.at(-1)?.paid_at;
  await advanceInvoicing(ctx.database, {
    placed_through: (placed.length < BATCH ? undefined : placed.at(-1)) ?? firstIdAt(settledBefore),
    paid_through: lastPaidAt !== undefined && lastPaidAt < settledBefore ? lastPaidAt : settledBefore,
  });
  return orderIds.length;
}

/** Starts the sweep that issues invoices and credit notes and closes the days of the books. */
export function startInvoicing(ctx: IssueContext & Pick<Context, 'log'>): Worker {
  return every({
    log: ctx.log,
    pollMs: POLL_MS,
    failed: 'invoices could not be issued, or days of the books not closed',
    run: async () => {
      await closeDays(ctx);
      // A full round means that there is more to do.
      return (await issueDueDocuments(ctx)) >= BATCH * BATCHES_MAX ? AT_ONCE : undefined;
    },
  });
}
