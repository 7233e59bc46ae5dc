import { type RequestedPieces, refuseShort } from '../catalogue/short/refuse-short.ts';
import { ApiError, type Problem, validationFailed } from '../lib/errors.ts';
import { newId, parseId, publicId, type Uuid } from '../lib/ids.ts';
import { pence } from '../lib/money.ts';
import { actorOf, type Once, type Operator } from '../lib/operator.ts';
import { repeatProblems } from '../lib/validation/validate.ts';
import type { OrdersContext } from '../orders/context.ts';
import type { CustomsDeclaration } from '../orders/customs.ts';
import { dispatchedEvent, mailDispatched } from '../orders/dispatched-event.ts';
import { moveOrder } from '../orders/move-order.ts';
import { actOnOrder } from '../orders/operate.ts';
import type { OpsOrder } from '../orders/ops-schema.ts';
import { opsOrderIdOf, readOpsOrder } from '../orders/read-ops-order.ts';
import { finishedQuantity, type OrderState, publicStatus } from '../orders/status.ts';
import type { Prices } from '../pricing/price-cache.ts';
import { bookAt } from '../pricing/reference.ts';
import type { OrderEvent } from '../webhooks/events.ts';
import { declareParcel } from './customs.ts';
import type { CreateShipmentBody, ShippedOrder } from './schema.ts';
import { insertShipment, readForShipping, type ShippingLineRow, type ShippingRow } from './sql.ts';
import { inOneLine, trackingNumberProblems, trackingUrlProblems } from './tracking.ts';

export type ShipRequest = { readonly id: string; readonly body: CreateShipmentBody; readonly once: Once };

/**
 * Sends a parcel with pieces of an order (operating, `POST /orders/{id}/shipments`).
 * Only lines that have started can ship, any part of what is left of them, in any number of parcels. Each parcel emits
 * `order.shipment_created`. The one after which every piece that is not cancelled has shipped moves the order to
 * `dispatched`, and emits `order.dispatched` in the same transaction. A parcel that leaves the customs territory is
 * declared, and the declaration is kept. Locks the order, so that a parcel and a cancel, or two parcels with the same
 * pieces, run one after the other, and the second is checked against what the first left. Throws 404; 422 for a line
 * that is not the order's or is named twice, for more than is left, and for no tracking number where the order's
 * service is a tracked one; 409 for an order that is not in production, a line that is paused or has not started,
 * spoiled pieces that are not made again (`pieces_short`), and, where `SHIP_REQUIRES` is `finished`, unfinished
 * pieces. Where it is `started` the answer warns of these.
 */
export async function shipOrder(ctx: OrdersContext, operator: Operator, request: ShipRequest): Promise<ShippedOrder> {
  const { body, once } = request;
  const urlProblems = trackingUrlProblems(body);
  if (urlProblems.length > 0) throw validationFailed(urlProblems);
  const orderId = await opsOrderIdOf(ctx, request.id);
  const prices = await ctx.prices.latest();
  const shipmentId = newId(ctx.clock.now().getTime());
  const act = { action: 'ship', detail: body, makes: shipmentId };
  const acted = await actOnOrder(ctx, operator, { orderId, once }, act, async (tx, order, now) => {
    const content = await readForShipping(tx, order.account_id, orderId);
    const parcel = parcelOf(order.state, content, body);
    refuseShort(order.reference, 'shipped', parcel.map(requestedOf));
    if (ctx.config.shipRequires === 'finished') refuseUnfinished(parcel);
    await insertShipment(tx, {
      orderId,
      accountId: order.account_id,
      id: shipmentId,
      carrier: body.carrier,
      trackingNumber: body.tracking_number ?? '',
      trackingUrl: body.tracking_url ?? null,
      customs: customsOf(content, parcel, prices, now),
      items: parcel.map(({ line, quantity }) => ({ lineId: line.id, quantity })),
      now,
    });
    const to = isLast(content.lines, parcel) ? ('dispatched' as const) : order.state;
    const created = shipmentCreated(order.reference, to, body, parcel);
    const dispatched = to === 'dispatched' ? [await dispatchedEvent(tx, order)] : [];
    const events = [created, ...dispatched];
    const reason = `${publicId('shp', shipmentId)}, ${inOneLine(body)}`;
    await moveOrder(tx, ctx.config, order, { to, action: 'ship', actor: actorOf(operator), reason, events }, now);
    for (const event of dispatched) await mailDispatched(ctx, tx, order, event);
  });
  const made = acted.kind === 'done' ? shipmentId : acted.subjectId;
  if (made === null) throw new Error('an Idempotency-Key of a shipment has no shipment');
  const shipped = await readOpsOrder(ctx, orderId);
  const warnings = [...shipped.warnings, ...unfinishedWarnings(shipped, body)];
  return { ...shipped, warnings, shipment_id: publicId('shp', made) };
}

type Packed = { readonly line: ShippingLineRow; readonly quantity: number };

/**
 * Checks the pieces of a parcel, and returns them with their lines.
 * In this order: the lines that it names, the order's state, what is left of the lines, whether they are paused,
 * whether they have started.
 */
function parcelOf(state: OrderState, { lines, shipping }: ShippingRow, body: CreateShipmentBody): Packed[] {
  const { items } = body;
  const byId = new Map(lines.map((line) => [line.id, line]));
  const packed = items.map(({ line_id: lineId, quantity }, index) => {
    const id = parseId('line', lineId);
    return { line: id === undefined ? undefined : byId.get(id), quantity, path: `items[${index}]` };
  });
  const wrong = [
    ...trackingNumberProblems(body.tracking_number ?? '', shipping),
    ...packed.flatMap(({ line, path }) => (line === undefined ? [unknownLine(lines, `${path}.line_id`)] : [])),
    ...repeatProblems(
      items.map(({ line_id: lineId }) => lineId),
      (index) => `items[${index}].line_id`,
    ),
  ];
  if (wrong.length > 0) throw validationFailed(wrong);
  refuseState(state);
  const known = packed.flatMap(({ line, ...rest }) => (line === undefined ? [] : [{ line, ...rest }]));
  const tooMany = known.flatMap(({ line, quantity, path }) => tooManyProblems(line, quantity, `${path}.quantity`));
  if (tooMany.length > 0) throw validationFailed(tooMany);
  refusePaused(known);
  refuseUnstarted(known);
  return known;
}

/** How many lines a refusal names; an order has up to 1,000. */
const LINES_NAMED_MAX = 100;

function unknownLine(lines: readonly ShippingLineRow[], path: string): Problem {
  return {
    path,
    code: 'unknown_line',
    message: 'This is not a line of the order.',
    valid_values: lines.slice(0, LINES_NAMED_MAX).map(({ id }) => publicId('line', id)),
  };
}

function refuseState(state: OrderState): void {
  if (state === 'released' || state === 'in_production') return;
  const left = state === 'dispatched' || state === 'delivered';
  throw new ApiError(
    'conflict',
    left
      ? 'This order has been dispatched: all of its pieces have shipped.'
      : `This order is ${state.replaceAll('_', ' ')}, and nothing of it can ship.`,
  );
}

function tooManyProblems(line: ShippingLineRow, quantity: number, path: string): Problem[] {
  const left = line.quantity - line.quantity_cancelled - line.quantity_shipped;
  if (quantity <= left) return [];
  const message = `${left} of ${line.quantity} pieces are left of this line (${line.quantity_shipped} shipped, ${line.quantity_cancelled} cancelled).`;
  return [{ path, code: 'out_of_bounds', message }];
}

function refusePaused(packed: readonly Packed[]): void {
  const paused = packed.filter(({ line }) => line.paused !== null);
  if (paused.length === 0) return;
  const named = paused.slice(0, 5).map(({ line }) => `${publicId('line', line.id)} (${line.paused})`);
  throw new ApiError('conflict', `Resume these lines before their pieces ship: ${named.join(', ')}.`);
}

function refuseUnstarted(packed: readonly Packed[]): void {
  const waiting = packed.filter(({ line }) => !line.started).map(({ line }) => publicId('line', line.id));
  if (waiting.length === 0) return;
  const named = waiting.slice(0, 5).join(', ');
  throw new ApiError('conflict', `Start these lines before their pieces ship: ${named}.`);
}

function requestedOf({ line, quantity }: Packed): RequestedPieces {
  const { id, sku, short, promised } = line;
  const ready = line.quantity - line.quantity_cancelled - line.quantity_shipped - promised;
  return { lineId: id, sku, requested: quantity, ready, short, toStart: promised - short };
}

function refuseUnfinished(packed: readonly Packed[]): void {
  const unfinished = packed.flatMap(({ line, quantity }) => {
    const finished = finishedQuantity({
      quantity: line.quantity,
      quantityCancelled: line.quantity_cancelled,
      started: line.started,
      missing: line.promised,
      done: line.jobs.map(({ done }) => done),
    });
    const numbers = { finished, shipped: line.quantity_shipped, requested: quantity };
    return line.quantity_shipped + quantity <= finished ? [] : [{ line_id: publicId('line', line.id), ...numbers }];
  });
  if (unfinished.length === 0) return;
  const named = unfinished.slice(0, 5).map((one) => {
    const { line_id: id, finished, shipped, requested } = one;
    return `${id} (${finished} finished, ${shipped} shipped before, ${requested} in this parcel)`;
  });
  const detail = `Finish pieces before they ship: ${named.join(', ')}.`;
  throw new ApiError('pieces_not_finished', detail, { extras: { unfinished } });
}

/** Warns of each line of a parcel of which more pieces have shipped than were finished. */
function unfinishedWarnings(order: OpsOrder, { items }: CreateShipmentBody): OpsOrder['warnings'] {
  return items.flatMap(({ line_id: id }, index) => {
    const line = order.lines.find((one) => one.id === id);
    if (line === undefined || line.quantity_shipped <= line.quantity_finished) return [];
    const message = `Shipped pieces of this line: ${line.quantity_shipped}; finished pieces: ${line.quantity_finished}.`;
    return [{ code: 'unfinished_pieces', path: `items[${index}].quantity`, message }];
  });
}

function isLast(lines: readonly ShippingLineRow[], parcel: readonly Packed[]): boolean {
  const packed = new Map(parcel.map(({ line, quantity }) => [line.id, quantity]));
  return lines.every(
    (line) => line.quantity_shipped + (packed.get(line.id) ?? 0) + line.quantity_cancelled === line.quantity,
  );
}

function customsOf(
  content: ShippingRow,
  parcel: readonly Packed[],
  prices: Prices,
  now: Date,
): CustomsDeclaration | null {
  const { shipping_address: address } = content;
  return declareParcel({
    place: { countryCode: address.country_code, postcode: address.postcode },
    isDutyPaid: content.warnings.every(({ code }) => code !== 'duties_on_delivery'),
    seller: {
      name: content.account_name,
      eori_number: content.eori_number,
      ioss_number: content.ioss_number,
    },
    lines: content.lines.map((line) => ({
      id: line.id,
      sku: line.sku,
      name: line.name,
      quantity: line.quantity,
      shippedBefore: line.quantity_shipped,
      valuedUnitPence: pence(line.declared_unit_pence ?? line.valued_unit_pence),
      isDeclared: line.declared_unit_pence !== null,
      linePricePence: pence(line.line_price_pence),
      jobs: line.jobs,
    })),
    setups: content.setups,
    shipped: new Map<Uuid, number>(parcel.map(({ line, quantity }) => [line.id, quantity])),
    packagingGrams: bookAt(prices.pricing, now).shipping.packagingGrams,
    blankOf: (sku) => {
      const found = prices.catalogue.bySku.get(sku);
      return found && { entry: found.baseProduct.entry, weightGrams: found.variant.entry.weight_grams };
    },
  });
}

function shipmentCreated(
  reference: string,
  state: OrderState,
  body: CreateShipmentBody,
  parcel: readonly Packed[],
): OrderEvent {
  return {
    event: 'order.shipment_created',
    data: {
      reference,
      // A parcel can leave while the order is still `released` only if no line has started (decisions, 2).
      status: state === 'released' ? 'pending' : publicStatus(state),
      shipment: {
        tracking_number: body.tracking_number ?? '',
        carrier: body.carrier,
        tracking_url: body.tracking_url ?? null,
        items: parcel.map(({ line, quantity }) => ({ variant_sku: line.sku, name: line.name, quantity })),
      },
    },
  };
}
