import { randomUUID } from 'node:crypto';
import { type NewOrder, type PlacedRow, placeOrders } from '../src/checkout/place-sql.ts';
import { type Db, hasSqlState } from '../src/lib/db.ts';
import { newId, newIdAt, newOrderReference, publicId } from '../src/lib/ids.ts';

/** A draft of an order as a message between processes brings it: times are texts. */
export type SentDraft = Omit<NewOrder, 'now' | 'cancellableUntil' | 'firstAttemptAt'> & {
  readonly now: string;
  readonly cancellableUntil: string;
  readonly firstAttemptAt: string;
};

/**
 * Places an order for each draft by the placing function alone, in one batch as the service sends it.
 * All ids are new. Returns how many were placed: none where the batch waited too long for a lock, such as that on
 * growing a table, which the function does not do for orders that go together. Throws unless each other was placed and
 * paid.
 */
export async function placeBatch(db: Db, drafts: readonly SentDraft[]): Promise<number> {
  let fates: readonly PlacedRow[];
  try {
    fates = await placeOrders(db, drafts.map(renewed), 'together');
  } catch (error) {
    if (hasSqlState(error, LOCK_TIMEOUT)) return 0;
    throw error;
  }
  const other = fates.find(({ fate, is_paid: isPaid }) => fate !== 'placed' || !isPaid);
  if (other !== undefined) throw new Error(`an order of a batch was not placed and paid: ${JSON.stringify(other)}`);
  return fates.length;
}

const LOCK_TIMEOUT = '55P03';

/** The same order under new ids, at the time of now. */
function renewed(draft: SentDraft): NewOrder {
  const now = new Date();
  const later = (text: string): Date => new Date(now.getTime() + Date.parse(text) - Date.parse(draft.now));
  const id = newIdAt(now);
  const reference = newOrderReference();
  const externalReference = randomUUID();
  const lineIds = new Map(draft.lines.map((line) => [(line as { id: string }).id, newId()]));
  const event = { order_id: publicId('ord', id), reference };
  return {
    ...draft,
    id,
    externalReference,
    now,
    order: { ...draft.order, reference },
    lines: draft.lines.map((line) => ({ ...line, id: lineIds.get((line as { id: string }).id) })),
    jobs: draft.jobs.map((job) => ({ ...job, line_id: lineIds.get((job as { line_id: string }).line_id) })),
    postings: draft.postings.map((posting) => ({ ...posting, id: newId(), reference })),
    eventId: newId(),
    createdData: { ...draft.createdData, ...event, external_reference: externalReference },
    failedData: { ...draft.failedData, ...event },
    firstAttemptAt: later(draft.firstAttemptAt),
    historyId: newId(),
    cancellableUntil: later(draft.cancellableUntil),
  };
}
