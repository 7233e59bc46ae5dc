import { isoTime } from '../../lib/clock.ts';
import { noSuch } from '../../lib/errors.ts';
import { LAST_ID, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { type Page, readPage, toPage } from '../../lib/paging.ts';
import type { PrivacyContext } from '../context.ts';
import type { ErasureReceipt, ListErasuresQuery } from '../ops-schema.ts';
import { listUnsettled } from './erase-account.ts';
import {
  countWaitingOrders,
  type ErasureRow,
  findAnyErasure,
  listErasureRows,
  listWaitingReferences,
} from './erasure-sql.ts';
import { countErasureFiles } from './order-files-sql.ts';

type ReadContext = Pick<PrivacyContext, 'database'>;

/** How many of the orders that an erasure waits for its receipt names. */
const NAMED_MAX = 100;

/** What stays after an erasure, and why. */
const KEPT = [
  'Invoices and credit notes with the legal identity of the buyer, and the books: tax law demands them for six years.',
  'Of parcels that left the customs territory the declaration and the tracking number: the evidence for their VAT.',
  'Amounts, quantities, times, ids, the country of delivery and its VAT territory: they name no person.',
];

/** The receipt of an erasure: counts and references of orders, and nothing personal. */
export async function receiptOf(ctx: ReadContext, erasure: ErasureRow): Promise<ErasureReceipt> {
  const { id } = erasure;
  const isOpen = erasure.state !== 'done';
  return {
    id: publicId('ers', id),
    account_id: publicId('acct', erasure.account_id),
    scope: erasure.scope,
    state: isOpen ? 'in_progress' : 'done',
    orders_erased: erasure.orders_erased,
    orders_waiting: isOpen ? await countWaitingOrders(ctx.database, id) : 0,
    waiting_for: isOpen ? await listWaitingReferences(ctx.database, id, NAMED_MAX) : [],
    files_removed: erasure.files_removed,
    files_waiting: isOpen ? await countErasureFiles(ctx.database, id) : 0,
    to_settle: isOpen && erasure.scope === 'account' ? await listUnsettled(ctx.database, erasure.account_id) : [],
    kept: KEPT,
    requested_at: isoTime(erasure.requested_at),
    done_at: erasure.done_at === null ? null : isoTime(erasure.done_at),
  };
}

/** A page of all erasures, newest first. */
export async function listErasures(ctx: ReadContext, query: ListErasuresQuery): Promise<Page<ErasureReceipt>> {
  const { limit, after } = readPage('ers', query);
  const rows = await listErasureRows(ctx.database, after ?? (LAST_ID as Uuid), limit + 1);
  const receipts = await Promise.all(rows.map((row) => receiptOf(ctx, row)));
  return toPage(
    receipts,
    limit,
    (receipt) => receipt,
    ({ id }) => id,
  );
}

/** An erasure by its id. Throws 404 for an unknown one. */
export async function getErasure(ctx: ReadContext, id: string): Promise<ErasureReceipt> {
  const erasureId = parseId('ers', id);
  const row = erasureId === undefined ? undefined : await findAnyErasure(ctx.database, erasureId);
  if (row === undefined) throw noSuch('erasure');
  return receiptOf(ctx, row);
}
