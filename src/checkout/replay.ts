import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../lib/db.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import { requestColumns, type StoredAddress } from '../orders/order-columns.ts';
import { findOrderById, type LineRow, type OrderRow } from '../orders/read-sql.ts';
import { orderInPieces } from '../orders/reading/put-together.ts';
import type { PlaceOrderBody, PlaceOrderItem } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import {
  addressDigest,
  type Digest,
  digestOf,
  type Fingerprint,
  jobNames,
  printDigest,
  readFingerprint,
} from './fingerprint.ts';
import { findFingerprint } from './place-sql.ts';

export type Replay = {
  readonly order: OrderRow;
  /** None, or that this request differs from the one that placed the order in what it orders. */
  readonly warnings: readonly Warning[];
};

/**
 * Reads the order that has a request's external reference, and compares the two.
 * Nothing that the request names is looked up or fetched. Undefined when the account has no such order.
 */
export async function readReplay(
  ctx: PaymentsContext,
  database: Db,
  of: { readonly accountId: Uuid; readonly orderId: Uuid; readonly body: PlaceOrderBody },
): Promise<Replay | undefined> {
  const { accountId, orderId, body } = of;
  const parts = await findOrderById(database, accountId, orderId);
  if (parts === undefined) return undefined;
  const order = await orderInPieces(ctx.asker, parts);
  const bytes = await findFingerprint(database, accountId, orderId);
  // Made by the key of its day, which may be an earlier one now.
  const digests = ctx.secrets.everyDigest.map((keyed) => digestOf(keyed, order.external_reference ?? ''));
  const known = bytes === null ? undefined : digests.find((each) => readFingerprint(each, bytes) !== undefined);
  const digest = known ?? digestOf(ctx.secrets.digest, order.external_reference ?? '');
  const placed = bytes === null ? undefined : readFingerprint(digest, bytes);
  return { order, warnings: warningsOf(differencesOf(digest, body, order, placed)) };
}

/** A part that differs: where the request has it, and in a person's words. */
type Difference = { readonly path: string; readonly part: string };

function warningsOf(differences: readonly Difference[]): Warning[] {
  const [first] = differences;
  if (first === undefined) return [];
  const parts = differences.map(({ path, part }) => `${part} (${path})`).join(', ');
  return [
    {
      code: 'replayed_with_different_body',
      path: first.path,
      message: `This external_reference has an order already, which differs from this request in: ${parts}. That order stays as it is, and this request charges nothing. Send another external_reference to place another order.`,
    },
  ];
}

/**
 * Lists the parts in which a request orders something else than the order, each once.
 * They stand in the order of the request. Notes, metadata, labels and mocks change nothing of what is made, sent or
 * charged, and are not compared. Without a fingerprint, nor are addresses and what is printed.
 */
function differencesOf(
  digest: Digest,
  body: PlaceOrderBody,
  order: OrderRow,
  placed: Fingerprint | undefined,
): Difference[] {
  const differences: Difference[] = [];
  if (requestColumns(body).type !== order.type) differences.push({ path: 'type', part: 'type' });
  if (body.items.length !== order.lines.length) differences.push({ path: 'items', part: 'number of lines' });
  const lines = body.items.flatMap((item, index) => {
    const line = order.lines[index];
    if (line === undefined) return [];
    return lineDifferences(item, line, `items[${index}]`, isPrintedAs(digest, item, line, placed?.prints[index]));
  });
  for (const one of lines) {
    if (!differences.some(({ part }) => part === one.part)) differences.push(one);
  }
  if (placed !== undefined) differences.push(...addressDifferences(digest, body, order, placed));
  return [
    ...differences,
    ...customsDifferences(body, order),
    ...brandDifferences(body, order),
    ...serviceDifferences(body, order, placed),
  ];
}

/** Whether a line asks to print what it did; true where nothing is known of that. */
function isPrintedAs(digest: Digest, item: PlaceOrderItem, line: LineRow, placed: string | undefined): boolean {
  if (placed === undefined || placed === printDigest(digest, item)) return true;
  // Without print_jobs the first area was printed; a request may as well name it.
  return placed === printDigest(digest, {}) && listsJobsOf(item, line);
}

function lineDifferences(item: PlaceOrderItem, line: LineRow, path: string, isAsPrinted: boolean): Difference[] {
  const differences: Difference[] = [];
  if (item.product_id !== publicId('prod', line.product_id)) {
    differences.push({ path: `${path}.product_id`, part: 'product' });
  }
  if (item.variant_sku !== line.sku) differences.push({ path: `${path}.variant_sku`, part: 'variant' });
  if (item.quantity !== line.quantity) differences.push({ path: `${path}.quantity`, part: 'quantity' });
  if (declaredPence(item) !== line.declared_unit_pence) {
    differences.push({ path: `${path}.declared_unit_price`, part: 'declared value' });
  }
  if (!isAsPrinted) {
    const member = item.decoration === undefined ? 'print_jobs' : 'decoration';
    differences.push({ path: `${path}.${member}`, part: 'what is printed' });
  }
  return differences;
}

function declaredPence({ declared_unit_price: declared }: PlaceOrderItem): Pence | null {
  return declared === undefined ? null : (fromPounds(declared) ?? null);
}

/** Whether a line is decorated by `print_jobs` alone, and they are the jobs that the order has. */
function listsJobsOf({ decoration, print_jobs: printJobs }: PlaceOrderItem, line: LineRow): boolean {
  if (decoration !== undefined || printJobs === undefined) return false;
  return isDeepStrictEqual(jobNames(printJobs), jobNames(line.print_jobs));
}

function addressDifferences(digest: Digest, body: PlaceOrderBody, order: OrderRow, placed: Fingerprint): Difference[] {
  const { shipping_address: shipping, billing_address: billing } = requestColumns(body);
  const differences: Difference[] = [];
  if (addressDigest(digest, shipping) !== placed.shippingAddress) {
    differences.push(shippingDifference(digest, shipping, order, placed));
  }
  // Left out, the billing address is the shipping address: a change of that is listed once.
  const follows = body.billing_address === undefined && placed.billingAddress === placed.shippingAddress;
  if (addressDigest(digest, billing) !== placed.billingAddress && !follows) {
    differences.push({ path: 'billing_address', part: 'billing address' });
  }
  return differences;
}

/** Names the first member that differs, unless the order has another address by now. */
function shippingDifference(digest: Digest, sent: StoredAddress, order: OrderRow, placed: Fingerprint): Difference {
  const part = 'shipping address';
  const { shipping_address: kept } = order;
  if (addressDigest(digest, kept) !== placed.shippingAddress) return { path: 'shipping_address', part };
  const members = Object.keys(sent) as (keyof typeof sent)[];
  const member = members.find((name) => sent[name] !== kept[name]);
  return { path: member === undefined ? 'shipping_address' : `shipping_address.${member}`, part };
}

/**
 * Compares the numbers for customs that a request names.
 * Those that it leaves out are the account's, which may change.
 */
function customsDifferences({ customs = {} }: PlaceOrderBody, order: OrderRow): Difference[] {
  const named = (['eori_number', 'ioss_number'] as const).filter((name) => customs[name] !== undefined);
  const other = named.find((name) => (customs[name] ?? '') !== order[name]);
  return other === undefined ? [] : [{ path: `customs.${other}`, part: 'number for customs' }];
}

/**
 * Compares the brand that a request names, or none.
 * Left out, it is the account's default, which may change.
 */
function brandDifferences({ brand }: PlaceOrderBody, order: OrderRow): Difference[] {
  if (brand === undefined) return [];
  const placed = order.brand === null ? null : publicId('brand', order.brand.id);
  return brand === placed ? [] : [{ path: 'brand', part: 'brand' }];
}

/** Compares the service that a request picks, or leaves to the default, with that of the order. */
function serviceDifferences(
  { shipping_service: picked }: PlaceOrderBody,
  { shipping }: OrderRow,
  placed: Fingerprint | undefined,
): Difference[] {
  const isSame =
    picked === undefined ? placed?.isDefaultShipping !== false : picked === shipping.service || picked === shipping.id;
  return isSame ? [] : [{ path: 'shipping_service', part: 'shipping service' }];
}
