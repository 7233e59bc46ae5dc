import { signedUrl } from '../artwork/signed-url.ts';
import { isoTime } from '../lib/clock.ts';
import type { Context } from '../lib/context.ts';
import { publicId } from '../lib/ids.ts';
import { type Pence, pence, sumPence, toPounds } from '../lib/money.ts';
import { mapInPieces } from '../lib/turns/pieces.ts';
import type { OwnedSetup } from '../pricing/price-lines.ts';
import type { Quote } from '../pricing/quote.ts';
import type { ShippingOffer } from '../pricing/shipping.ts';
import { canAsk, requestView } from './asking/request-view.ts';
import { blocksOf } from './blocked/blocks.ts';
import type { SetupFee } from './charge-schema.ts';
import { lineArtworkView, type PlannedPrint, plannedArtworkView, thumbnailUrl } from './line-artwork/artwork-view.ts';
import type { StoredAddress, StoredSetup } from './order-columns.ts';
import type { HoldRow, LineRow, OrderRow, ShipmentRow, ShownOrderRow } from './read-sql.ts';
import { deliveryFrom, expectedDelivery } from './reading/expected-delivery.ts';
import type { ExpectedDelivery } from './reading/order-parts-schema.ts';
import { LINES_AT_ONCE_MAX } from './reading/put-together.ts';
import type { CreatedOrder, Estimate, Order, OrderLine, ShippingOption } from './schema.ts';
import { isCancellable, isWindowOpen, lineStatus, paymentStatus, publicStatus } from './status.ts';

type ViewContext = Pick<Context, 'clock' | 'config' | 'secrets'>;

/** An order as list and fetch show it (spec 2.2; decisions, "GET order, additive fields"). */
export function orderView(ctx: ViewContext, order: ShownOrderRow): Order {
  const at = atOneMoment(ctx);
  return {
    id: publicId('ord', order.id),
    reference: order.reference,
    type: order.type,
    source: order.source,
    replaces: order.replaces && { id: publicId('ord', order.replaces.id), reference: order.replaces.reference },
    status: publicStatus(order.state),
    items: order.lines.map((line) => lineView(at, order, line)),
    notes: order.notes,
    brand: brandView(order),
    external_reference: order.external_reference ?? '',
    shop_number: shopNumber(order),
    payment_status: paymentStatusOf(order),
    total: toPounds(pence(order.total_pence)),
    currency: 'GBP',
    shipping_address: addressView(order.shipping_address),
    erased_at: order.erased_at === null ? null : isoTime(order.erased_at),
    shipments: order.shipments.map(shipmentView),
    expected_delivery: expectedDelivery(ctx, order),
    cancellable_until: isoTime(order.cancellable_until),
    actions: {
      cancel: { available: isCancelOpen(at, order), until: isoTime(order.cancellable_until) },
      change_address: {
        available: isCancelOpen(at, order) && order.erased_at === null,
        until: isoTime(order.cancellable_until),
      },
      ask_to_cancel: { available: canAsk(order, at.clock.now()) },
    },
    cancellation_request: order.request === null ? null : requestView(order.request),
    hold: holdView(order.hold ?? earliestOf(Object.values(order.pauses))),
    blocked_by: blocksOf(ctx, order),
    charges: chargesView(order),
    refunds: order.refunds.map(refundView),
    customs: { eori_number: order.eori_number, ioss_number: order.ioss_number },
    metadata: order.metadata,
    warnings: warningsOf(order),
    version: order.version,
    created_at: isoTime(order.created_at),
    updated_at: isoTime(order.updated_at),
  };
}

/** Reads the clock once: all of a view is of one moment. A page asked some two hundred times. */
function atOneMoment({ clock, config, secrets }: ViewContext): ViewContext {
  const now = clock.now();
  return { clock: { now: () => now }, config, secrets };
}

/** The same view, made in pieces where an order has many lines. */
export async function orderViewInPieces(
  ctx: ViewContext & Pick<Context, 'asker'>,
  order: ShownOrderRow,
): Promise<Order> {
  if (order.lines.length <= LINES_AT_ONCE_MAX) return orderView(ctx, order);
  const items = await mapInPieces(ctx.asker, order.lines, (line) => lineView(ctx, order, line));
  return { ...orderView(ctx, { ...order, lines: [] }), items, blocked_by: blocksOf(ctx, order) };
}

/** Whether replies with these orders are written in pieces. */
export function areLarge(orders: readonly Pick<Order, 'items'>[]): boolean {
  return orders.reduce((sum, { items }) => sum + items.length, 0) > LINES_OF_A_PIECE;
}

const LINES_OF_A_PIECE = 100;

/**
 * The answer to `POST /orders` (decisions, "POST /orders 201").
 * The same for a new order and for a repeat of its external reference.
 */
export async function createdOrderView(
  ctx: ViewContext & Pick<Context, 'asker'>,
  order: OrderRow,
): Promise<CreatedOrder> {
  const status = paymentStatusOf(order);
  const lineItems = await mapInPieces(ctx.asker, order.lines, (line) => createdLineView(ctx, line));
  return {
    id: publicId('ord', order.id),
    reference: order.reference,
    type: order.type,
    status: publicStatus(order.state),
    items: {
      lineItems,
      shippingAddress: addressView(order.shipping_address),
    },
    notes: order.notes,
    brand: brandView(order),
    external_reference: order.external_reference ?? '',
    payment_status: status,
    charged: {
      currency: 'GBP',
      lines: order.lines.map((line) => ({
        variant_sku: line.sku,
        quantity: line.quantity,
        unit_price: pounds(line.unit_price_pence),
        line_price: pounds(line.line_price_pence),
        print_jobs: line.print_jobs.map(({ area, method }) => ({ area, method })),
      })),
      subtotal: pounds(order.subtotal_pence),
      setup_total: pounds(order.setup_pence),
      setups: order.setups.map(setupView),
      shipping_cost: pounds(order.shipping_pence),
      shipping_service: order.shipping.service,
      shipping_option: shippingOptionView(order.shipping, expectedDelivery(ctx, order)),
      vat_amount: pounds(order.vat_pence),
      duty_amount: pounds(order.duty_pence),
      total: pounds(order.total_pence),
    },
    cancellable_until: isoTime(order.cancellable_until),
    customs: { eori_number: order.eori_number, ioss_number: order.ioss_number },
    metadata: order.metadata,
    warnings: warningsOf(order),
    created_at: isoTime(order.created_at),
    updated_at: isoTime(order.updated_at),
  };
}

/** The number that the buyer of an order knows, as its papers show it. */
function shopNumber({ source, metadata, external_reference: reference }: ShownOrderRow): string {
  return (source === 'channel' ? metadata.shop_number : undefined) ?? reference ?? '';
}

function brandView({ brand }: ShownOrderRow): Order['brand'] {
  return brand && { id: publicId('brand', brand.id), name: brand.name };
}

function createdLineView(ctx: ViewContext, line: LineRow): CreatedOrder['items']['lineItems'][number] {
  return {
    id: publicId('line', line.id),
    product_id: publicId('prod', line.product_id),
    variant_sku: line.sku,
    quantity: line.quantity,
    name: line.name,
    colour: line.colour,
    size: line.size,
    print_jobs: line.print_jobs.map(({ area, method }) => ({ area, method })),
    unit_price: pounds(line.unit_price_pence),
    line_price: pounds(line.line_price_pence),
    artwork_ready: isArtworkReady(line),
    mock_url: mockUrl(ctx, line),
    declared_unit_price: declaredUnitPrice(line),
  };
}

/** The hold of an order, or the pause of a line. */
function holdView(hold: HoldRow | null): Order['hold'] {
  return hold && { code: hold.code, reason: hold.reason, opened_at: isoTime(new Date(hold.opened_at)) };
}

function earliestOf(pauses: readonly HoldRow[]): HoldRow | null {
  const [earliest = null] = pauses.toSorted((one, other) => Date.parse(one.opened_at) - Date.parse(other.opened_at));
  return earliest;
}

function isCancelOpen(ctx: ViewContext, order: ShownOrderRow): boolean {
  return isCancellable(order.state) && isWindowOpen(order.cancellable_until, ctx.clock.now());
}

function chargesView(order: ShownOrderRow): Order['charges'] {
  const fromBalance =
    order.balance_paid_pence === 0
      ? []
      : [
          {
            payment_id: null,
            method: 'balance' as const,
            amount: pounds(order.balance_paid_pence),
            currency: 'GBP' as const,
            charged_at: isoTime(order.paid_at ?? order.placed_at),
          },
        ];
  const fromMethods = order.payments.map((payment) => ({
    payment_id: publicId('pay', payment.id),
    method: payment.method,
    amount: pounds(payment.amount_pence),
    currency: 'GBP' as const,
    charged_at: isoTime(new Date(payment.paid_at)),
  }));
  return [...fromBalance, ...fromMethods];
}

function refundView(refund: OrderRow['refunds'][number]): Order['refunds'][number] {
  return {
    id: publicId('rfd', refund.id),
    payment_id: refund.payment_id === null ? null : publicId('pay', refund.payment_id),
    method: refund.method,
    amount: pounds(refund.amount_pence),
    currency: 'GBP',
    status: refund.state === 'done' ? 'refunded' : 'pending',
    reason: refund.reason,
    created_at: isoTime(new Date(refund.created_at)),
  };
}

/** The warnings of the placing, and one more for as long as the order is not paid. */
function warningsOf(order: ShownOrderRow): OrderRow['warnings'] {
  if (order.state === 'cancelled') return order.warnings;
  const status = paymentStatusOf(order);
  if (status === 'processing') return [...order.warnings, PAYMENT_PROCESSING];
  return status === 'failed' ? [...order.warnings, PAYMENT_FAILED] : order.warnings;
}

const PAYMENT_PROCESSING = {
  code: 'payment_processing',
  path: '',
  message: 'The charge is under way. The order moves on once it is paid; an event reports the outcome.',
};

const PAYMENT_FAILED = {
  code: 'payment_failed',
  path: '',
  message: 'The charge failed. The order is kept and waits until it is paid: top up the account balance.',
};

const NOTICE =
  'Prices, stock and shipping can change until the order is placed. Nothing has been charged, created or reserved.';

/** A quote as the estimate shows it (spec 2.5). */
export function estimateView(
  ctx: Pick<ViewContext, 'clock' | 'config'>,
  quote: Quote,
  beside: {
    warnings: Estimate['warnings'];
    /** The prints of each line. */
    prints: readonly (readonly PlannedPrint[])[];
    existing: { id: string; reference: string } | undefined;
  },
): Estimate {
  const now = ctx.clock.now();
  const optionView = (option: ShippingOffer) => shippingOptionView(option, deliveryFrom(ctx, option, now));
  return {
    currency: 'GBP',
    lines: quote.lines.map((line, index) => ({
      variant_sku: line.sku,
      quantity: line.quantity,
      unit_price: toPounds(line.unitPricePence),
      line_price: toPounds(line.linePricePence),
      print_jobs: line.printJobs.map((job) => ({ area: job.printArea, method: job.method })),
      artwork: (beside.prints[index] ?? []).map(plannedArtworkView),
    })),
    subtotal: toPounds(quote.subtotalPence),
    setup_total: toPounds(quote.setupPence),
    setups: [
      ...quote.setups.map((setup) => setupOf(setup, { amount: toPounds(setup.pence), already_paid: false })),
      ...quote.ownedSetups.map((setup) => setupOf(setup, { amount: 0, already_paid: true })),
    ],
    shipping_cost: toPounds(quote.shippingPence),
    shipping_service: quote.shipping.service,
    shipping_option: optionView(quote.shipping),
    vat_amount: toPounds(quote.vatPence),
    duty_amount: toPounds(quote.dutyPence),
    total: toPounds(quote.totalPence),
    estimate: true,
    notice: NOTICE,
    shipping_options: quote.shippingOptions.map(optionView),
    warnings: [...beside.warnings],
    ...(beside.existing === undefined ? {} : { existing_order: beside.existing }),
  };
}

function setupView({ method, lines, areas, amount_pence: amountPence, already_paid: isPaid }: StoredSetup): SetupFee {
  return { method, lines: lines ?? [], areas: areas ?? [], amount: pounds(amountPence), already_paid: isPaid ?? false };
}

function setupOf(
  { method, lineIndexes, printAreas }: OwnedSetup,
  due: Pick<SetupFee, 'amount' | 'already_paid'>,
): SetupFee {
  return { method, lines: [...lineIndexes], areas: [...printAreas], ...due };
}

function shippingOptionView(option: ShippingOffer, delivery: ExpectedDelivery | null): ShippingOption {
  return {
    id: option.id,
    service: option.service,
    carrier: option.carrier,
    amount: pounds(option.pence),
    currency: 'GBP',
    eta_days: { min: option.etaDays.min, max: option.etaDays.max },
    tracked: option.tracked,
    expected_delivery: delivery,
  };
}

/** What the order gave as the value of a piece for customs, in pounds. */
function declaredUnitPrice({ declared_unit_pence: declared }: LineRow): number | null {
  return declared === null ? null : pounds(declared);
}

function lineView(ctx: ViewContext, order: ShownOrderRow, line: LineRow): OrderLine {
  const { pauses, artwork } = order;
  return {
    blank_variant_sku: line.sku,
    qty: line.quantity,
    qty_shipped: line.quantity_shipped,
    qty_cancelled: line.quantity_cancelled,
    product_id: publicId('prod', line.product_id),
    id: publicId('line', line.id),
    name: line.name,
    print_jobs: line.print_jobs.map(({ area, method }) => ({ area, method })),
    artwork_ready: isArtworkReady(line),
    mock_url: mockUrl(ctx, line),
    thumbnail_url: thumbnailUrl(ctx, line, artwork),
    declared_unit_price: declaredUnitPrice(line),
    status: lineStatus({
      quantity: line.quantity,
      quantityCancelled: line.quantity_cancelled,
      quantityShipped: line.quantity_shipped,
      started: line.started,
    }),
    hold: holdView(pauses[line.id] ?? null),
    ...(artwork === undefined ? {} : { artwork: lineArtworkView(ctx, order, line, artwork) }),
  };
}

/** Members in the order of spec 2.4; the stored document keeps none. */
export function addressView(address: StoredAddress): Required<StoredAddress> {
  const { contact_name, company_name, line1, line2, city, county, postcode, country_code, phone, email = '' } = address;
  return { contact_name, company_name, line1, line2, city, county, postcode, country_code, phone, email };
}

function shipmentView(shipment: ShipmentRow): Order['shipments'][number] {
  return {
    id: publicId('shp', shipment.id),
    carrier: shipment.carrier,
    tracking_number: shipment.tracking_number,
    tracking_url: shipment.tracking_url,
    shipped_at: isoTime(new Date(shipment.shipped_at)),
    items: shipment.items.map((item) => ({ line_id: publicId('line', item.line_id), quantity: item.quantity })),
  };
}

/** Print-ready when every area's file is made; a blank line is ready at once (spec 3.2). */
function isArtworkReady(line: LineRow): boolean {
  return line.print_jobs.every((job) => job.ready);
}

function mockUrl(ctx: ViewContext, line: LineRow): string | null {
  return line.mock_hash === null ? null : signedUrl(ctx.secrets, ctx.config.baseUrl, line.mock_hash, ctx.clock.now());
}

function paymentStatusOf(order: ShownOrderRow) {
  return paymentStatus({
    totalPence: pence(order.total_pence),
    paidPence: sumPence([pence(order.balance_paid_pence), pence(order.method_paid_pence)] satisfies Pence[]),
    refundedPence: pence(order.refunded_pence - unwantedBackPence(order)),
    isCharging: order.is_charging,
  });
}

/** Refunds of payments that the order did not need, which were never a part of what was paid for it. */
function unwantedBackPence(order: ShownOrderRow): number {
  const back = order.refunds.filter((refund) => refund.is_unwanted && refund.state === 'done');
  return back.reduce((sum, refund) => sum + refund.amount_pence, 0);
}

function pounds(amountPence: number): number {
  return toPounds(pence(amountPence));
}
