import { postingRows } from '../billing/ledger.ts';
import { chargePostings } from '../billing/postings.ts';
import { newId, newIdAt, newOrderReference, publicId, type Uuid } from '../lib/ids.ts';
import { toPounds, ZERO_PENCE } from '../lib/money.ts';
import { type RequestColumns, requestColumns, type StoredSetup } from '../orders/order-columns.ts';
import type { LineRow, OrderRow } from '../orders/read-sql.ts';
import type { PlaceOrderBody } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import type { OwnedSetup, PricedSetup } from '../pricing/price-lines.ts';
import type { EventData } from '../webhooks/events.ts';
import { firstAttemptAt } from '../webhooks/publish.ts';
import { digestOf, fingerprintBytes, fingerprintOf } from './fingerprint.ts';
import type { NewOrder, PlacedRow } from './place-sql.ts';
import type { PricedBasket } from './price-basket.ts';

export type OrderSource = OrderRow['source'];

export type Draft = {
  readonly row: NewOrder;
  /** Makes the order as a read would return it, from the result of the placing function. */
  readonly placed: (result: PlacedRow) => OrderRow;
};

/**
 * Makes all rows of a new order from its priced basket. Pure: writes nothing.
 * Ids, reference and postings are made here.
 */
export function draftOrder(
  ctx: PaymentsContext,
  accountId: Uuid,
  body: PlaceOrderBody,
  source: OrderSource,
  basket: PricedBasket,
): Draft {
  const { quote, now } = basket;
  // Operators list orders by when they were placed, which is a range of ids.
  const id = newIdAt(now);
  const lines = basket.lines.map((line) => ({ id: newId(now.getTime()), ...line }));
  const columns = {
    reference: newOrderReference(),
    source,
    ...requestColumns(body),
    ...customsNumbers(body, basket.row),
    brand: storedBrand(basket.row),
    shipping: { ...quote.shipping },
    warnings: basket.warnings,
    subtotal_pence: quote.subtotalPence,
    setup_pence: quote.setupPence,
    shipping_pence: quote.shippingPence,
    vat_pence: quote.vatPence,
    duty_pence: quote.dutyPence,
    vat_breakdown: quote.vatBreakdown.map((row) => ({
      rate_bp: row.rateBasisPoints,
      net_pence: row.netPence,
      vat_pence: row.vatPence,
      ...(row.note === undefined ? {} : { note: row.note }),
      ...(row.unregistered === undefined ? {} : { unregistered: row.unregistered }),
    })),
    vat_territory: quote.territory,
    setups: [...quote.setups.map(chargedSetup), ...quote.ownedSetups.map(ownedSetup)],
    fingerprint: fingerprintColumn(ctx, body, quote.isDefaultShipping),
  };
  const cancellableUntil = new Date(now.getTime() + ctx.config.cancellationWindowSeconds * 1_000);
  const events = eventData(id, columns.reference, body.external_reference, basket);
  const files = new Map(lines.flatMap((line) => line.jobs.map((job) => [job.printFile.key, job.printFile])));
  return {
    row: {
      id,
      accountId,
      externalReference: body.external_reference ?? null,
      catalogueVersion: basket.row.catalogue_version,
      priceBookVersion: basket.row.price_book_version,
      now,
      totalPence: quote.totalPence,
      order: columns,
      lines: lines.map(lineColumns),
      jobs: lines.flatMap(({ id: lineId, jobs }) => jobs.map((job, ordinal) => jobColumns(lineId, job, ordinal))),
      postings: postingRows(chargePostings(quote), columns.reference),
      newSetups: quote.setups.map(chargedSetup),
      reliedSetups: quote.ownedSetups.map(ownedSetup),
      files: [...files.values()],
      eventId: newId(now.getTime()),
      createdData: events.created,
      failedData: events.failed,
      firstAttemptAt: firstAttemptAt(ctx.config, now),
      historyId: newId(now.getTime()),
      cancellableUntil,
      attemptId: ctx.payments === undefined ? null : newId(now.getTime()),
    },
    placed: ({ is_paid: paid, is_attempted: attempted, from_balance: balancePaidPence, ready_files: readyFiles }) => {
      const ready = new Set(readyFiles);
      return {
        ...columns,
        id,
        replaces: null,
        external_reference: body.external_reference ?? null,
        state: paid ? 'placed' : 'awaiting_payment',
        total_pence: quote.totalPence,
        balance_paid_pence: balancePaidPence,
        method_paid_pence: 0,
        refunded_pence: 0,
        refund_owed_pence: 0,
        is_charging: attempted,
        paid_at: paid ? now : null,
        erased_at: null,
        hold: null,
        request: null,
        pauses: {},
        payments: [],
        refunds: [],
        version: attempted ? 0 : 1,
        placed_at: now,
        cancellable_until: cancellableUntil,
        created_at: now,
        updated_at: now,
        warnings: [...columns.warnings],
        lines: lines.map((line) => placedLine(line, ready)),
        shipments: [],
      };
    },
  };
}

function chargedSetup({ designHash, method, pence, lineIndexes, printAreas }: PricedSetup): StoredSetup {
  return {
    design_hash: designHash,
    method,
    amount_pence: pence,
    lines: [...lineIndexes],
    areas: [...printAreas],
  };
}

function ownedSetup(setup: OwnedSetup): StoredSetup {
  return { ...chargedSetup({ ...setup, pence: ZERO_PENCE, vatClass: 'standard' }), already_paid: true };
}

/** Only an order with an external reference can be repeated, and be compared with its repeat. */
function fingerprintColumn(ctx: PaymentsContext, body: PlaceOrderBody, isDefaultShipping: boolean): string | null {
  if (body.external_reference === undefined) return null;
  const digest = digestOf(ctx.secrets.digest, body.external_reference);
  return fingerprintBytes(digest, fingerprintOf(digest, body, isDefaultShipping));
}

/**
 * The numbers for customs that an order is placed with: its own, else those of its account.
 * Null in a request is none.
 */
function customsNumbers(
  { customs = {} }: PlaceOrderBody,
  account: PricedBasket['row'],
): Pick<RequestColumns, 'eori_number' | 'ioss_number'> {
  return {
    eori_number: customs.eori_number === undefined ? account.eori_number : (customs.eori_number ?? ''),
    ioss_number: customs.ioss_number === undefined ? account.ioss_number : (customs.ioss_number ?? ''),
  };
}

/** What the order keeps of its brand, however that changes later. */
function storedBrand({ brand }: PricedBasket['row']): RequestColumns['brand'] {
  return brand && { id: brand.id, name: brand.name, revision_id: brand.revision_id };
}

type DraftLine = PricedBasket['lines'][number] & { readonly id: Uuid };

function lineColumns(line: DraftLine): object {
  return {
    id: line.id,
    ordinal: line.line.index,
    product_id: line.line.productId,
    sku: line.line.sku,
    quantity: line.line.quantity,
    name: line.line.name,
    colour: line.line.colour,
    size: line.line.size,
    unit_price_pence: line.unitPricePence,
    line_price_pence: line.linePricePence,
    vat_class: line.vatClass,
    declared_unit_pence: line.line.declaredUnitPence ?? null,
    mock_hash: line.mockHash,
  };
}

function jobColumns(lineId: Uuid, job: DraftLine['jobs'][number], ordinal: number): object {
  return {
    line_id: lineId,
    ordinal,
    print_area: job.printArea,
    method: job.method,
    design_hash: job.designHash,
    print_file_key: job.printFile.key,
    unit_price_pence: job.unitPence,
  };
}

function placedLine(line: DraftLine, readyFiles: ReadonlySet<string>): LineRow {
  return {
    id: line.id,
    product_id: line.line.productId,
    sku: line.line.sku,
    quantity: line.line.quantity,
    quantity_cancelled: 0,
    quantity_shipped: 0,
    name: line.line.name,
    colour: line.line.colour,
    size: line.line.size,
    unit_price_pence: line.unitPricePence,
    line_price_pence: line.linePricePence,
    declared_unit_pence: line.line.declaredUnitPence ?? null,
    mock_hash: line.mockHash,
    started: false,
    print_jobs: line.jobs.map((job) => ({
      area: job.printArea,
      method: job.method,
      ready: readyFiles.has(job.printFile.key),
      expired: false,
      replaced_at: null,
    })),
  };
}

/** The data of both events that a placing can end with; the placing function decides which it writes. */
function eventData(
  id: Uuid,
  reference: string,
  externalReference: string | undefined,
  { quote, lines }: PricedBasket,
): { created: EventData['order.created']; failed: EventData['order.payment_failed'] } {
  const total = toPounds(quote.totalPence);
  return {
    created: {
      order_id: publicId('ord', id),
      reference,
      external_reference: externalReference ?? '',
      // The specification's literal value, although the order starts as pending
      // (decisions, "Where two sentences pull apart", 2).
      status: 'confirmed',
      total,
      currency: 'GBP',
      item_count: lines.length,
    },
    failed: {
      order_id: publicId('ord', id),
      reference,
      amount_gbp: total,
      paid_gbp: 0,
      remaining_gbp: total,
      failed_method: 'balance',
      reason: 'The account balance does not cover the order, and the account has no other payment method.',
    },
  };
}
