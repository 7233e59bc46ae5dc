import { type Intake, ingestArtwork, NO_INTAKE } from '../artwork/ingest.ts';
import { NORMALISE_JOB } from '../artwork/sql.ts';
import type { Caller } from '../lib/caller.ts';
import { hasSqlState } from '../lib/db.ts';
import type { ErrorCode } from '../lib/error-catalogue.ts';
import { messageOf } from '../lib/error-message.ts';
import { ApiError, unavailable, validationFailed } from '../lib/errors.ts';
import type { Uuid } from '../lib/ids.ts';
import { createCounter } from '../lib/metrics/instruments.ts';
import { fromPounds, type Pence, poundsText, toPounds } from '../lib/money.ts';
import { asPiece } from '../lib/turns/pieces.ts';
import { findOrderById, findReference, type OrderRow } from '../orders/read-sql.ts';
import { orderOf } from '../orders/reading/put-together.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import { CHARGE_WITHIN_MS, chargeAttempt } from '../payments/attempt.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { freeUnpaidRights } from '../payments/setups/claim-setups.ts';
import { outsideProblems } from './basket-artwork.ts';
import { type BasketRequest, refuseOrderShape } from './basket-request.ts';
import type { CheckoutContext } from './context.ts';
import { draftOrder, type OrderSource } from './draft-order.ts';
import { gather } from './gather.ts';
import { REFERENCE_DRAWN_TWICE, STALE_SETUPS } from './place-sql.ts';
import { type PreparedBasket, prepareBasket } from './prepare-basket.ts';
import { type PricedBasket, priceBasket } from './price-basket.ts';
import { type Replay, readReplay } from './replay.ts';

/** How often a quote is made at most, when it goes out of date before it is written (domain, "Setup"). */
const QUOTES_MAX = 3;

/**
 * A request to place an order, and where it comes from (decisions, "Origin of an order").
 * The portal, the sales channels and the API all place orders by this one use case.
 */
export type PlaceOrderRequest = BasketRequest & {
  readonly source: OrderSource;
  /** The most that it may cost; refused as `expected_total` is. */
  readonly totalMaxPence?: Pence;
};

/** The codes that a placing is refused with; each is a series of the metrics from the start. */
const REFUSALS: readonly ErrorCode[] = [
  'validation_failed',
  'not_found',
  'out_of_stock',
  'duplicate_external_reference',
  'price_changed',
  'unavailable',
  'internal_error',
];

export type PlaceOrderResult =
  | { readonly kind: 'placed'; readonly order: OrderRow }
  | ({ readonly kind: 'replayed' } & Replay);

/**
 * Places an order (spec 4.1): checks it, fetches its artwork, prices it, writes it and charges it.
 * Order and charge to the balance are one statement. What the balance does not cover is charged to the account's card
 * or direct debit once the order is committed; without either, or when that fails, the order stays unpaid and waits.
 * The same `external_reference` of the same account returns the first order and charges nothing, with a warning if the
 * request differs in what it orders; of another account it is refused. If this throws, nothing was written.
 */
export async function placeOrder(
  ctx: CheckoutContext,
  caller: Caller,
  request: PlaceOrderRequest,
): Promise<PlaceOrderResult> {
  try {
    refuseOrderShape(request.body);
    const result = await placeOrReplay(ctx, caller, request);
    countOrder({ outcome: result.kind, code: '' });
    return result;
  } catch (error) {
    countOrder({ outcome: 'refused', code: error instanceof ApiError ? error.code : 'internal_error' });
    throw error;
  }
}

const countOrder = createCounter({
  name: 'platen_orders_total',
  help: 'Orders that were placed, replayed by their external_reference, or refused with a code, once their shape was valid.',
  labels: ['outcome', 'code'],
  series: [
    { outcome: 'placed', code: '' },
    { outcome: 'replayed', code: '' },
    ...REFUSALS.map((code) => ({ outcome: 'refused', code })),
  ],
});

async function placeOrReplay(
  ctx: CheckoutContext,
  caller: Caller,
  request: PlaceOrderRequest,
): Promise<PlaceOrderResult> {
  try {
    return await place(ctx, caller, request);
  } catch (error) {
    // An existing order always wins: a concurrent twin may have placed it while this request was being refused.
    const winner = await ownOrder(ctx, caller, request.body);
    if (winner === undefined) throw error;
    return winner;
  }
}

async function place(ctx: CheckoutContext, caller: Caller, request: PlaceOrderRequest): Promise<PlaceOrderResult> {
  const { body } = request;
  let intake: Intake | undefined;
  try {
    for (let quotes = 0; quotes < QUOTES_MAX; quotes += 1) {
      const gathered = await gather(ctx, caller.accountId, body);
      const taken = gathered.reference;
      if (taken !== null && taken.account_id !== caller.accountId) throw duplicateReference();
      if (taken !== null) return await replay(ctx, caller, body, taken.order_id);
      const prepared = await prepareBasket(ctx, caller.accountId, request, gathered);
      intake ??= await fetchBasketArtwork(ctx, caller, prepared, request);
      const priced = await priceBasket(ctx, caller.accountId, body, prepared, intake);
      refuseOtherTotal(request, priced.quote.totalPence);
      // Bytes first: an order never refers to artwork that is not stored.
      await intake.keep();
      const written = await write(ctx, caller, request, priced);
      if (written !== 'stale') return written;
    }
  } finally {
    await intake?.discard();
  }
  throw unavailable('Prices changed while this order was being placed. Nothing was charged. Send it again.');
}

/** Refuses with 409 an order that costs another total than was agreed. */
function refuseOtherTotal({ body, totalMaxPence }: PlaceOrderRequest, totalPence: Pence): void {
  const expectedPence = body.expected_total === undefined ? undefined : fromPounds(body.expected_total);
  const isOther = expectedPence !== undefined && expectedPence !== totalPence;
  if (!isOther && (totalMaxPence === undefined || totalPence <= totalMaxPence)) return;
  const agreed = poundsText(expectedPence ?? totalMaxPence ?? totalPence);
  throw new ApiError('price_changed', `The order costs ${poundsText(totalPence)} now, not ${agreed}.`, {
    extras: { total: toPounds(totalPence) },
  });
}

/** Fetches every address that a basket names, all or nothing (spec 4.1 rule 6); 422 with all failures. */
export async function fetchBasketArtwork(
  ctx: PaymentsContext,
  { accountId }: Pick<Caller, 'accountId'>,
  prepared: PreparedBasket,
  request: Pick<BasketRequest, 'signal'>,
): Promise<Intake> {
  // Most orders print stored designs: they are spared a signal, and a deadline that would live for a minute
  // (docs/decisions/0080).
  if (prepared.artwork.length === 0) return NO_INTAKE;
  const intake = await ingestArtwork(ctx, accountId, prepared.artwork, request.signal);
  const problems = [...intake.problems, ...outsideProblems(prepared.lines, intake)];
  if (problems.length === 0) return intake;
  await intake.discard();
  throw validationFailed(problems);
}

async function write(
  ctx: CheckoutContext,
  caller: Caller,
  { body, source }: PlaceOrderRequest,
  priced: PricedBasket,
): Promise<PlaceOrderResult | 'stale'> {
  const draft = await asPiece(ctx.asker, priced.lines.length, () =>
    draftOrder(ctx, caller.accountId, body, source, priced),
  );
  try {
    const row = await ctx.placing(ctx.database, draft.row);
    if (row.fate === 'taken') return await replayWinner(ctx, caller, body);
    if (row.fate !== 'placed') return 'stale';
    ctx.wake(NORMALISE_JOB);
    ctx.wakeDeliveries();
    const order = draft.placed(row);
    const { attemptId } = draft.row;
    if (!row.is_attempted || attemptId === null) return { kind: 'placed', order };
    return { kind: 'placed', order: await charge(ctx, caller, order, attemptId) };
  } catch (error) {
    if (hasSqlState(error, STALE_SETUPS)) await freeUnpaidRights(ctx, caller.accountId, draft.row.newSetups);
    // On a collision of the generated reference, a new one is drawn with the next quote.
    if (hasSqlState(error, STALE_SETUPS, REFERENCE_DRAWN_TWICE)) return 'stale';
    throw error;
  }
}

/**
 * Charges what the balance left of a committed order, and returns the order as it is then.
 * Never throws: an outcome that cannot be learned or booked now is found by the payment sweep.
 */
async function charge(ctx: PaymentsContext, caller: Caller, order: OrderRow, attemptId: Uuid): Promise<OrderRow> {
  try {
    const outcome = await chargeAttempt(ctx, attemptId, CHARGE_WITHIN_MS);
    if (outcome === 'unresolved') return order;
    const parts = await findOrderById(ctx.database, caller.accountId, order.id);
    return parts === undefined ? order : orderOf(parts);
  } catch (error) {
    ctx.log.warn({ attempt: attemptId, error: messageOf(error) }, 'a charge was left');
    return order;
  }
}

/**
 * Finds the order that won the race for a reference.
 * The loser's snapshot does not show the winner, so a new statement looks again.
 */
async function replayWinner(ctx: PaymentsContext, caller: Caller, body: PlaceOrderBody): Promise<PlaceOrderResult> {
  const externalReference = body.external_reference;
  const found = externalReference === undefined ? undefined : await findReference(ctx.database, externalReference);
  if (found === undefined) throw new Error('a reference that was taken cannot be found');
  if (found.account_id !== caller.accountId) throw duplicateReference();
  return replay(ctx, caller, body, found.order_id);
}

async function replay(
  ctx: PaymentsContext,
  caller: Caller,
  body: PlaceOrderBody,
  orderId: Uuid,
): Promise<PlaceOrderResult> {
  const found = await readReplay(ctx, ctx.database, { accountId: caller.accountId, orderId, body });
  if (found === undefined) throw new Error('a reference leads to an order that is not there');
  return { kind: 'replayed', ...found };
}

async function ownOrder(
  ctx: PaymentsContext,
  caller: Caller,
  body: PlaceOrderBody,
): Promise<PlaceOrderResult | undefined> {
  const externalReference = body.external_reference;
  if (externalReference === undefined) return undefined;
  try {
    // The refusal may be that no connection was free: do not wait as long again for another one.
    const database = ctx.database.priority;
    const found = await findReference(database, externalReference);
    if (found?.account_id !== caller.accountId) return undefined;
    const winner = await readReplay(ctx, database, { accountId: caller.accountId, orderId: found.order_id, body });
    return winner && { kind: 'replayed', ...winner };
  } catch {
    // The database cannot be reached: the refusal that led here is the answer.
    return undefined;
  }
}

/** The error is the same whatever the other order is (decisions, "duplicate_external_reference"). */
export function duplicateReference(): ApiError {
  return new ApiError(
    'duplicate_external_reference',
    'This external_reference is already in use. References are unique across all accounts: put a prefix of your own before yours, such as "acme-1042".',
  );
}
