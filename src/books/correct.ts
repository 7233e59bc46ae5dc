import { type Actor, idOr } from '../accounts/access/act-on-access.ts';
import type { PostingKind } from '../billing/postings.ts';
import type { Db } from '../lib/db.ts';
import { ApiError, noSuch, type Problem, validationFailed } from '../lib/errors.ts';
import { HOUSE, parseId, publicId, type Uuid } from '../lib/ids.ts';
import { type Pence, pence, poundsText } from '../lib/money.ts';
import { type CollectionRow, findCollections } from './collections-sql.ts';
import type { BooksContext } from './context.ts';
import { type EntryDraft, enter } from './enter.ts';
import { type CorrectableRow, findPosting, listPostingsOfEntry, readLeftToCorrect } from './entries-sql.ts';
import { amountIn, customerIn, valueDayOf } from './entry-input.ts';
import type { BookEntry, CorrectionBody } from './entry-schema.ts';
import type { Leg } from './plan.ts';

/** What is wrong with a correction, whatever it is of: it names one posting or one entry. */
export function correctionProblems(body: unknown): Problem[] {
  if (typeof body !== 'object' || body === null) return [];
  const {
    posting_id: posting,
    entry_id: entry,
    account_id: account,
    amount_gbp: amount,
    move_to: moveTo,
  } = body as Partial<Record<keyof CorrectionBody, unknown>>;
  if ((posting === undefined) === (entry === undefined)) {
    return [{ path: 'posting_id', code: 'one_of', message: 'Send either posting_id or entry_id.' }];
  }
  if (entry === undefined) return [];
  return [
    ['account_id', account],
    ['amount_gbp', amount],
    ['move_to', moveTo],
  ].flatMap(([path, value]) =>
    value === undefined
      ? []
      : [{ path: String(path), code: 'unknown_field', message: 'goes with posting_id: an entry is taken back whole.' }],
  );
}

/**
 * Takes back a posting that was entered wrongly, whole or in part, or all that is left of an entry.
 * The correction is posted now, linked to what it corrects, and never takes back more than is left of it. A top-up
 * may be moved to the account that it was for. A debt that was collected by bank is owed for its order again, less what
 * the balance was credited since because the order was paid twice: that is taken from the balance. Where a balance does
 * not cover what is taken from it: 409, or by `shortfall` the rest becomes a receivable. Throws 404 for an unknown
 * posting, entry or account; 409 for a posting that belongs to an order, which other operations undo.
 */
export async function correct(ctx: BooksContext, actor: Actor, body: CorrectionBody): Promise<BookEntry> {
  const shape = correctionProblems(body);
  if (shape.length > 0) throw validationFailed(shape);
  const amountPence = body.amount_gbp === undefined ? undefined : amountIn(body.amount_gbp, 'amount_gbp');
  const valueDay = await valueDayOf(ctx, undefined);
  const moveTo = body.move_to === undefined ? undefined : customerIn(body.move_to);
  const orderId = await orderOf(ctx, body);
  return enter(ctx, actor, { action: 'correct_entry', orderId, detail: body }, async (tx) => {
    const rows = await rowsOf(tx, body);
    const collections = await collectionsOf(tx, rows);
    const legs = await reversalOf(tx, rows, collections, amountPence);
    const [first] = rows;
    if (first === undefined) throw new Error('a correction is of no posting');
    if (moveTo !== undefined) legs.push(movedTopUp(first, moveTo, legs));
    return {
      ...draftOf(first, legs),
      orderId: orderIn(rows, collections),
      valueDay,
      reason: body.reason,
      shortfall: body.shortfall ?? 'refuse',
    };
  });
}

function draftOf(
  first: CorrectableRow,
  legs: readonly Leg[],
): Pick<EntryDraft, 'kind' | 'reference' | 'customerId' | 'legs'> {
  // A correction has no reference of its own: what it corrects has one.
  return {
    kind: 'correction',
    reference: '',
    customerId: first.account_id === HOUSE ? null : first.account_id,
    legs,
  };
}

/** The order of what is corrected, for the audit log. */
async function orderOf(ctx: BooksContext, body: CorrectionBody): Promise<Uuid | null> {
  const rows = await rowsOf(ctx.database, body);
  return orderIn(rows, await collectionsOf(ctx.database, rows));
}

/** The order that owes more or less by a correction: write-offs and collections have one. */
function orderIn(rows: readonly CorrectableRow[], [collection]: readonly CollectionRow[]): Uuid | null {
  if (collection !== undefined) return collection.order_id;
  return rows.find((row) => row.book_entry_id !== null && row.order_id !== null)?.order_id ?? null;
}

async function collectionsOf(db: Db, rows: readonly CorrectableRow[]): Promise<CollectionRow[]> {
  return findCollections(
    db,
    rows.map(({ account_id: accountId, id }) => ({ accountId, id })),
  );
}

async function rowsOf(tx: Db, body: CorrectionBody): Promise<CorrectableRow[]> {
  if (body.entry_id !== undefined) {
    const rows = await listPostingsOfEntry(tx, idOr(noSuch('entry of the books'), 'ent', body.entry_id));
    if (rows.length === 0) throw noSuch('entry of the books');
    return rows;
  }
  const { posting_id: posting = '', account_id: account } = body;
  const accountId = account === undefined || account === null ? HOUSE : parseId('acct', account);
  const id = parseId('pst', posting);
  const row = accountId === undefined || id === undefined ? undefined : await findPosting(tx, accountId, id);
  if (row === undefined) throw noSuchPosting(account === undefined || account === null);
  return [row];
}

/** 404 that says where the ids stand: a statement of a customer has others. */
function noSuchPosting(isOfShop: boolean): ApiError {
  const of = isOfShop ? 'the shop itself. For one of a customer name the account, too' : 'this account';
  const where = 'Both ids stand in the statement of a ledger account: of a top-up in GET /books/bank.';
  return new ApiError('not_found', `There is no such posting of ${of}. ${where}`);
}

/** Legs that take back what is left of some postings, or a part of the only one. */
async function reversalOf(
  tx: Db,
  rows: readonly CorrectableRow[],
  collections: readonly CollectionRow[],
  amountPence: Pence | undefined,
): Promise<Leg[]> {
  const left = await readLeftToCorrect(
    tx,
    [...new Set(rows.map((row) => row.account_id))],
    rows.map(({ id }) => id),
  );
  const legs = rows.flatMap((row): Leg[] => {
    refuseKind(row);
    const leftPence = pence(left.find(({ id }) => id === row.id)?.left_pence ?? 0);
    if (leftPence === 0) return [];
    if (amountPence !== undefined && amountPence > leftPence) {
      const message = `must be at most £${poundsText(leftPence)}, which is what is left to correct.`;
      throw validationFailed([{ path: 'amount_gbp', code: 'out_of_bounds', message }]);
    }
    return [
      {
        accountId: row.account_id,
        kind: 'correction',
        ...sidesOf(
          row,
          collections.find(({ id }) => id === row.id),
        ),
        amountPence: amountPence ?? leftPence,
        correctsId: row.id,
        reference: row.reference,
      },
    ];
  });
  // The last posted first: what a later one took is there again for an earlier one.
  if (legs.length > 0) return legs.toReversed();
  throw new ApiError('conflict', 'All of this is corrected already: nothing is left.');
}

/**
 * What is moved back, and for which order.
 * Money that was collected by bank is owed for its order again; what of it the balance must give is split off when the
 * entry is judged. Otherwise only postings of entries keep their order: those of orders are summed by order, and their
 * sums must stay.
 */
function sidesOf(
  row: CorrectableRow,
  collection: CollectionRow | undefined,
): Pick<Leg, 'orderId' | 'debit' | 'credit'> {
  if (collection !== undefined && row.debit_account === 'bank') {
    return { orderId: collection.order_id, debit: 'receivables', credit: 'bank' };
  }
  const orderId = row.book_entry_id === null ? null : row.order_id;
  return { orderId, debit: row.credit_account, credit: row.debit_account };
}

function movedTopUp(row: CorrectableRow, moveTo: Uuid, legs: readonly Leg[]): Leg {
  if (row.kind !== 'top_up') {
    const message = 'goes with a top-up alone: only that was credited to an account.';
    throw validationFailed([{ path: 'move_to', code: 'unknown_field', message }]);
  }
  if (moveTo === row.account_id) {
    throw validationFailed([{ path: 'move_to', code: 'out_of_bounds', message: 'must be another account.' }]);
  }
  const [taken] = legs;
  if (taken === undefined) throw new Error('a correction takes nothing back');
  return {
    accountId: moveTo,
    orderId: null,
    kind: 'top_up',
    debit: row.debit_account,
    credit: row.credit_account,
    amountPence: taken.amountPence,
    correctsId: null,
    reference: row.reference,
  };
}

/** What undoes a posting that belongs to an order. */
const UNDONE_BY: Readonly<Partial<Record<PostingKind, string>>> = {
  charge: 'Cancel the order, or refund a part of it.',
  sale: 'Cancel the order, or refund a part of it: a credit note goes with that.',
  refund: 'A refund has its credit note and stays. Place the order again if it is to be charged again.',
  sale_reversed: 'A refund has its credit note and stays. Place the order again if it is to be charged again.',
  refund_owed: 'A refund has its credit note and stays. Place the order again if it is to be charged again.',
  refund_paid: 'Pay the refund out: the books are right once it is paid.',
  top_up:
    'A dispute was won after the customer had paid by bank. If that payment by bank was a mistake, correct its posting (charge_recovered), and this one is taken back with it.',
  charge_returned: 'The payment provider took the money. Record what comes of it when it is collected or won.',
};

/** Only what a person entered is corrected. What an order is made of is undone with its documents. */
function refuseKind(row: CorrectableRow): void {
  if (row.book_entry_id !== null) return;
  if (row.kind === 'top_up' && row.debit_account === 'bank') return;
  if (row.kind === 'charge_recovered' && row.debit_account === 'bank') return;
  const undone = UNDONE_BY[row.kind] ?? 'The payment provider reported it.';
  throw new ApiError(
    'conflict',
    `The posting ${publicId('pst', row.id)} (${row.kind}) belongs to an order and is not corrected by itself. ${undone}`,
  );
}
