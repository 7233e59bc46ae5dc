import type { AppContext } from '../../app/context.ts';
import { requestHash } from '../../http/request-hash.ts';
import { issueForOrders } from '../../invoices/issue-due.ts';
import type { Caller } from '../../lib/caller.ts';
import { ApiError } from '../../lib/errors.ts';
import type { Uuid } from '../../lib/ids.ts';
import type { Once } from '../../lib/operator.ts';
import type { OpsOrder } from '../../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../../orders/read-ops-order.ts';
import { refreshSearch } from '../../orders/search/fill-search.ts';
import { holdOrder, resumeOrder } from '../../production/hold-order.ts';
import { pauseLine } from '../../production/pause-line.ts';
import { promoteOrder } from '../../production/promote-order.ts';
import { replacePieces } from '../../production/replace-pieces.ts';
import { startLines } from '../../production/start-lines.ts';
import { finishPieces, spoilPieces } from '../../production/work-line.ts';
import { cancelByOps } from '../../refunds/cancel-by-ops.ts';
import { cancelOrder } from '../../refunds/cancel-order.ts';
import { refundByOps } from '../../refunds/refund-by-ops.ts';
import { changeAddress } from '../../shipments/change-address.ts';
import { correctShipment } from '../../shipments/correct-shipment.ts';
import { shipOrder } from '../../shipments/ship-order.ts';
import {
  acceptInMonth,
  askInMonth,
  declineInMonth,
  refundInMonth,
  refuseInMonth,
  reportInMonth,
} from './ask-and-answer.ts';
import type { Cast, PlacedOrder } from './cast.ts';
import type { Verb } from './fates.ts';

type Work = {
  readonly ctx: AppContext;
  readonly cast: Cast;
  readonly placed: PlacedOrder;
  /** Waits for the print files of lines, which it reads again and again. */
  readonly untilReady: (read: () => Promise<OpsOrder['lines']>) => Promise<void>;
};

/**
 * Does one verb of the month with an order.
 * It runs the use case that a request of an operator or of the customer runs.
 * What was done before is not done again: each act of an operator has an Idempotency-Key of its own.
 */
export async function workOrder(work: Work, verb: Verb): Promise<void> {
  const { ctx, cast, placed } = work;
  const { reference: id } = placed;
  const once = onceFor(`${placed.number} ${verb}`);
  switch (verb) {
    case 'promote':
      await promoteOrder(ctx, cast.press, { id, once });
      return;
    case 'promote in vain':
      await inVain(promoteOrder(ctx, cast.press, { id, once }));
      return;
    case 'hold':
      await holdOrder(ctx, cast.press, { id, once, ...WHY_HELD[Number(placed.number.slice(-1)) % 2 === 0 ? 0 : 1] });
      return;
    case 'resume':
      await resumeOrder(ctx, cast.press, { id, once });
      return;
    case 'change address':
      await changeAddress(ctx, cast.office, { id, once, body: { line2: 'The flat above the bakery' } });
      return;
    case 'start':
      return start(work, id, once);
    case 'spoil':
      return spoil(work, once);
    case 'pause':
      return pause(work, once);
    case 'finish':
      return finish(work, id, 'finish');
    case 'ship a part':
      return ship(work, id, once, onePiece);
    case 'ship':
      return ship(work, id, once, everyPiece);
    case 'correct tracking':
      return correct(work, once);
    case 'cancel':
      await cancelOrder(ctx, cast.customer, id);
      return issueForOrders(ctx, [placed.id]);
    case 'cancel by ops':
      await cancelByOps(ctx, cast.office, id, { body: { reason: 'You asked us to by phone.' }, once });
      return issueForOrders(ctx, [placed.id]);
    case 'cancel a piece':
      return cancelPiece(work, once);
    case 'refund':
      await refundByOps(ctx, cast.office, id, { body: { amount_gbp: 3.5, reason: 'It arrived two days late.' }, once });
      return issueForOrders(ctx, [placed.id]);
    case 'report a problem':
      return reportInMonth(work);
    case 'refund the problem':
      await refundInMonth(work, once);
      return issueForOrders(ctx, [placed.id]);
    case 'refuse the problem':
      return refuseInMonth(work, once);
    case 'ask to cancel':
      return askInMonth(work);
    case 'cancel as asked':
      await acceptInMonth(work, once);
      return issueForOrders(ctx, [placed.id]);
    case 'refuse to cancel':
      return declineInMonth(work, once);
    case 'replace':
      return replace(work, once);
    case 'promote again':
      await promoteOrder(ctx, cast.press, { id: again(placed), once });
      return;
    case 'start again':
      return start(work, again(placed), once);
    case 'finish again':
      return finish(work, again(placed), 'finish again');
    case 'ship again':
      return ship(work, again(placed), once, everyPiece);
  }
}

/** Does for an order of the past what the worker of the search does for those of the last minutes. */
export async function makeFindable(ctx: AppContext, { accountId }: Caller, id: Uuid): Promise<void> {
  await ctx.database.transaction((tx) => refreshSearch(tx, accountId, id));
}

/** The key of an act of the month, the same in every run. */
export function onceFor(act: string): Once {
  return { key: `demo month ${act}`, requestHash: requestHash('POST', 'demo month', act) };
}

const WHY_HELD = [
  { code: 'address', reason: 'The postcode and the street do not go together. Please check the address.' },
  { code: 'artwork', reason: 'The customer wants to look at the colours once more.' },
] as const;

/** There are too few blanks: the attempt leaves a task for the operators. */
async function inVain(attempt: Promise<unknown>): Promise<void> {
  try {
    await attempt;
  } catch (error) {
    if (error instanceof ApiError && error.code === 'out_of_stock') return;
    throw error;
  }
  throw new Error('an order was promoted although there were too few blanks');
}

function again(placed: PlacedOrder): string {
  if (placed.replacement === undefined) throw new Error(`${placed.number} was not replaced`);
  return placed.replacement;
}

async function see(ctx: AppContext, id: string): Promise<OpsOrder> {
  return readOpsOrder(ctx, await opsOrderIdOf(ctx, id));
}

async function start({ ctx, cast, untilReady }: Work, id: string, once: Once): Promise<void> {
  await untilReady(async () => (await see(ctx, id)).lines);
  await startLines(ctx, cast.press, { id, once });
}

function firstLine(order: OpsOrder): OpsOrder['lines'][number] {
  const [line] = order.lines;
  if (line === undefined) throw new Error(`order ${order.reference} has no line`);
  return line;
}

async function spoil(work: Work, once: Once): Promise<void> {
  const order = await see(work.ctx, work.placed.reference);
  const line = firstLine(order).id;
  const { reference: id } = order;
  await spoilPieces(work.ctx, work.cast.press, { id, line, once, quantity: 1, reason: 'The print slipped.' });
}

async function pause(work: Work, once: Once): Promise<void> {
  const order = await see(work.ctx, work.placed.reference);
  const line = firstLine(order).id;
  const why = { code: 'machine', reason: 'The printer waits for white ink until this afternoon.' };
  await pauseLine(work.ctx, work.cast.press, { id: order.reference, line, once, ...why });
}

async function finish({ ctx, cast, placed }: Work, id: string, verb: string): Promise<void> {
  const order = await see(ctx, id);
  for (const [index, line] of order.lines.entries()) {
    const quantity = line.quantity - line.quantity_cancelled;
    if (quantity === 0 || line.print_jobs.length === 0) continue;
    const once = onceFor(`${placed.number} ${verb} ${index}`);
    await finishPieces(ctx, cast.press, { id, line: line.id, once, quantity });
  }
}

type Choice = (order: OpsOrder) => { line_id: string; quantity: number }[];

const onePiece: Choice = (order) => [{ line_id: firstLine(order).id, quantity: 1 }];

const everyPiece: Choice = (order) =>
  order.lines
    .map((line) => ({ line_id: line.id, quantity: line.quantity - line.quantity_cancelled - line.quantity_shipped }))
    .filter(({ quantity }) => quantity > 0);

async function ship({ ctx, cast, placed }: Work, id: string, once: Once, choose: Choice): Promise<void> {
  const order = await see(ctx, id);
  const items = choose(order);
  // Nothing is left of an order whose parcel went out in an earlier run.
  if (items.length === 0) return;
  const isHome = order.shipping_address.country_code === 'GB';
  const digits = `${placed.number.replace(/\D/g, '')}${String(placed.number.length + items.length)}`.padStart(9, '4');
  const parcel = isHome
    ? { carrier: 'Royal Mail', tracking_number: `JX${digits}GB` }
    : { carrier: 'DHL Express', tracking_number: `33${digits.slice(0, 8)}` };
  await shipOrder(ctx, cast.press, { id, once, body: { ...parcel, items } });
}

async function correct(work: Work, once: Once): Promise<void> {
  const order = await see(work.ctx, work.placed.reference);
  const [parcel] = order.shipments;
  if (parcel === undefined) throw new Error(`order ${order.reference} was not sent`);
  const body = { tracking_number: `JX7${parcel.tracking_number.slice(3)}` };
  await correctShipment(work.ctx, work.cast.press, { id: order.reference, shipment: parcel.id, body, once });
}

async function cancelPiece(work: Work, once: Once): Promise<void> {
  const order = await see(work.ctx, work.placed.reference);
  const items = [{ line_id: firstLine(order).id, quantity: 1 }];
  const body = { reason: 'One piece fewer, as you asked.', items };
  await cancelByOps(work.ctx, work.cast.office, order.reference, { body, once });
  await issueForOrders(work.ctx, [work.placed.id]);
}

async function replace(work: Work, once: Once): Promise<void> {
  const order = await see(work.ctx, work.placed.reference);
  const items = [{ line_id: firstLine(order).id, quantity: 1 }];
  const input = { id: order.reference, once, items, reason: 'It arrived with a torn seam.' };
  const made = await replacePieces(work.ctx, work.cast.press, input);
  work.placed.replacement = made.reference;
  await makeFindable(work.ctx, work.cast.customer, await opsOrderIdOf(work.ctx, made.id));
}
