import type { Caller } from '../../lib/caller.ts';
import { messageOf } from '../../lib/error-message.ts';
import { ApiError, type Problem, quoted } from '../../lib/errors.ts';
import { every, type Worker } from '../../lib/every.ts';
import { newId, parseId, publicId, type Uuid } from '../../lib/ids.ts';
import { mapBounded } from '../../lib/map-bounded.ts';
import { fromPounds, pence } from '../../lib/money.ts';
import { serviceFor } from '../../lib/turns/owner.ts';
import { compileShape } from '../../lib/validation/validate.ts';
import { PlaceOrderBody } from '../../orders/schema.ts';
import { basketProblems } from '../basket-request.ts';
import type { CheckoutContext } from '../context.ts';
import { estimateOrder } from '../estimate-order.ts';
import { placeOrder } from '../place-order.ts';
import { placeOfProblem } from './file-orders.ts';
import { listOf } from './file-row.ts';
import type { EntryState } from './order-file-sql.ts';
import {
  beginEntries,
  type ClaimedFile,
  claimFile,
  type EntryOutcome,
  isCancelled,
  nextEntries,
  recordEntries,
  type WaitingEntry,
} from './work-sql.ts';

const IDLE_MS = 2_000;
/** Files of a process at a time, of an account each: slow pictures keep no other waiting. */
const FILES_AT_ONCE = 3;
/** Orders of a turn. Their file then waits for those of other accounts. */
const BATCH = 16;
const ORDERS_AT_ONCE = 4;
/** Longer than a turn takes whose pictures are all as slow as they may be. */
const LEASE_MS = 480_000;
/** The wait of a file after something that is not its fault, such as a database that is away. */
const AGAIN_MS = 15_000;
const ATTEMPTS_MAX = 8;
const WARNINGS_MAX = 5;

/**
 * Starts the worker that checks, prices and places the orders of files.
 * Any number may run: a file is leased for a turn of a few orders. One that dies in it has placed some, and the next
 * turn finds them by their references, so that none is placed twice.
 */
export function startOrderFiles(ctx: CheckoutContext): Worker {
  const busy = new Set<Uuid>();
  return every({
    log: ctx.log,
    pollMs: IDLE_MS,
    failed: 'orders of files could not be taken on',
    run: async ({ background, wake, stopping }) => {
      while (busy.size < FILES_AT_ONCE && !stopping.aborted) {
        const turn = await claimTurn(ctx, [...busy]);
        if (turn === undefined) return undefined;
        busy.add(turn.file.account_id);
        const task = takeTurn(ctx, turn)
          .catch((error: unknown) => {
            ctx.log.warn(
              { file: publicId('file', turn.file.id), error: messageOf(error) },
              'a file of orders could not be taken on',
            );
          })
          .finally(() => {
            busy.delete(turn.file.account_id);
            wake();
          });
        background(task);
      }
      return undefined;
    },
  });
}

type Turn = { readonly file: ClaimedFile; readonly token: Uuid };

async function claimTurn(ctx: CheckoutContext, busy: readonly Uuid[]): Promise<Turn | undefined> {
  const now = ctx.clock.now();
  const token = newId(now.getTime());
  const file = await claimFile(ctx.database, { token, now, until: new Date(now.getTime() + LEASE_MS), busy });
  return file && { file, token };
}

/** Takes each file that waits a turn further; returns how many there were. */
export async function runOrderFiles(ctx: CheckoutContext): Promise<number> {
  for (let count = 0; ; count += 1) {
    const turn = await claimTurn(ctx, []);
    if (turn === undefined) return count;
    await takeTurn(ctx, turn);
  }
}

async function takeTurn(app: CheckoutContext, { file, token }: Turn): Promise<void> {
  const asker = { owner: serviceFor(file.account_id) };
  const ctx: CheckoutContext = { ...app, asker, database: app.database.of(asker), images: app.images.of(asker) };
  const from: EntryState = file.state === 'checking' ? 'waiting' : 'ready';
  const entries = await nextEntries(ctx.database, file, from, BATCH);
  const places = from === 'ready' ? entries.map(({ place: each }) => each) : [];
  const begun = await beginEntries(ctx.database, file, places, ctx.clock.now());
  const caller: Caller = { accountId: file.account_id, limitedAs: `order file ${file.id}`, scopes: new Set() };
  const outcomes = await mapBounded(entries, ORDERS_AT_ONCE, async (entry) => {
    try {
      const begunAt = begun.get(entry.place);
      return await (begunAt === undefined ? check(ctx, caller, entry) : place(ctx, caller, entry, begunAt));
    } catch (error) {
      return afterError(ctx, entry, from, error);
    }
  });
  const now = ctx.clock.now();
  const isHeldUp = outcomes.some(({ state }) => state === from);
  const nextAt = new Date(now.getTime() + (isHeldUp ? AGAIN_MS : 0));
  await ctx.database.transaction((tx) => recordEntries(tx, file, token, { from, outcomes, now, nextAt }));
}

const shapeOf = compileShape(PlaceOrderBody);

/** Checks and prices an order as its estimate does. */
async function check(ctx: CheckoutContext, caller: Caller, entry: WaitingEntry): Promise<EntryOutcome> {
  const { body, repeated } = entry;
  if (repeated !== null) return outcomeOfRepeat(ctx, caller, entry, repeated);
  const shape = [...shapeOf(body), ...basketProblems(body)];
  if (shape.length > 0) return { ...outcomeOf(entry, 'wrong'), problems: problemsIn(entry, shape) };
  const estimate = await estimateOrder(ctx, caller, requestOf(entry));
  const warnings = [...new Set(estimate.warnings.map(({ message }) => message))].slice(0, WARNINGS_MAX);
  const { existing_order: existing } = estimate;
  if (existing !== undefined) {
    const differs = estimate.warnings.filter(({ code }) => code === 'replayed_with_different_body');
    const order = { id: parseId('ord', existing.id) ?? null, reference: existing.reference };
    return existingOutcome(ctx, caller, entry, order, differs);
  }
  return { ...outcomeOf(entry, 'ready'), total_pence: fromPounds(estimate.total) ?? null, warnings };
}

/** Places an order, unless it costs more by now than was shown. */
async function place(ctx: CheckoutContext, caller: Caller, entry: WaitingEntry, begunAt: Date): Promise<EntryOutcome> {
  if (entry.total_pence === null) throw new Error('an order that is ready has no total');
  if (entry.repeated !== null) return outcomeOfRepeat(ctx, caller, entry, entry.repeated);
  const request = { ...requestOf(entry), source: 'portal', totalMaxPence: pence(entry.total_pence) } as const;
  const result = await placeOrder(ctx, caller, request);
  const { order } = result;
  // The same order as this entry's, placed by an earlier try whose end was not recorded. Any other came from elsewhere.
  const isOwn = order.source === 'portal' && order.created_at >= begunAt;
  if (result.kind === 'replayed' && (!isOwn || result.warnings.length > 0)) {
    return existingOutcome(ctx, caller, entry, order, result.warnings);
  }
  const isUnpaid = order.state === 'awaiting_payment';
  return {
    ...outcomeOf(entry, 'placed'),
    total_pence: order.total_pence,
    warnings: isUnpaid ? [UNPAID] : [],
    is_unpaid: isUnpaid,
    order_id: order.id,
    reference: order.reference,
  };
}

const UNPAID = 'It is placed, but not paid yet. Top up the balance soon: that pays it, and then it is made.';

/** The order that has the number of an entry, or that an earlier file placed, stays as it is. */
async function existingOutcome(
  ctx: CheckoutContext,
  { accountId }: Caller,
  entry: WaitingEntry,
  { id, reference }: { readonly id: Uuid | null; readonly reference: string },
  notes: readonly { readonly message: string }[],
): Promise<EntryOutcome> {
  const cancelled = `Order ${reference} was cancelled, and is not placed again under this number.`;
  const isOff = id !== null && (await isCancelled(ctx.database, accountId, id));
  const messages = [...notes.map(({ message }) => message), ...(isOff ? [cancelled] : [])];
  return {
    ...outcomeOf(entry, 'existing'),
    problems: messages.map((message) => ({ row: entry.row_numbers[0] ?? 1, field: 'number', message })),
    order_id: id,
    reference,
  };
}

/** The file was read with another prefix, or by another number, when the order was placed. */
async function outcomeOfRepeat(
  ctx: CheckoutContext,
  caller: Caller,
  entry: WaitingEntry,
  { order_id: id, reference, external_reference: number }: Repeated,
): Promise<EntryOutcome> {
  const message = `An earlier file placed it as ${quoted(number)}, order ${reference}. Choose to place such orders again if it is another order.`;
  return existingOutcome(ctx, caller, entry, { id, reference }, [{ message }]);
}

type Repeated = NonNullable<WaitingEntry['repeated']>;

function requestOf({ body }: WaitingEntry) {
  return { body, unknownFields: [], signal: new AbortController().signal };
}

/** What the caller can mend ends the order here; anything else is tried again. */
function afterError(ctx: CheckoutContext, entry: WaitingEntry, from: EntryState, error: unknown): EntryOutcome {
  const ended = from === 'waiting' ? 'wrong' : 'refused';
  if (error instanceof ApiError && error.code !== 'unavailable') {
    const { errors } = error.extras as { errors?: readonly Problem[] };
    const problems =
      errors === undefined || errors.length === 0 ? [{ path: pathOf(error), message: error.message }] : errors;
    return { ...outcomeOf(entry, ended), problems: problemsIn(entry, problems) };
  }
  ctx.log.warn({ error: messageOf(error) }, 'an order of a file could not be taken on');
  const attempts = entry.attempts + 1;
  if (attempts < ATTEMPTS_MAX) return { ...outcomeOf(entry, from), attempts };
  const message = 'The service could not take it on. Upload it again later.';
  return { ...outcomeOf(entry, ended), attempts, problems: problemsIn(entry, [{ path: '', message }]) };
}

/** Where the file has what a refusal without problems of its own is about. */
function pathOf({ code, extras }: ApiError): string {
  if (code === 'duplicate_external_reference') return 'external_reference';
  if (code !== 'out_of_stock') return '';
  const { oversold = [] } = extras as { oversold?: readonly { lines: readonly number[] }[] };
  return `items[${oversold[0]?.lines[0] ?? 0}].quantity`;
}

type Reason = Pick<Problem, 'path' | 'message' | 'valid_values'>;

function problemsIn({ row_numbers: rows }: WaitingEntry, reasons: readonly Reason[]) {
  return reasons.map(({ path, message, valid_values: valid = [] }) => ({
    ...placeOfProblem(path, rows),
    message: valid.length === 0 ? message : `${message} There are ${listOf(valid)}.`,
  }));
}

function outcomeOf(entry: WaitingEntry, state: EntryState): EntryOutcome {
  return {
    place: entry.place,
    state,
    total_pence: null,
    problems: [],
    warnings: [],
    is_unpaid: false,
    attempts: entry.attempts,
    order_id: null,
    reference: null,
  };
}
