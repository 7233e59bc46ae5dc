import { isDeepStrictEqual } from 'node:util';
import type { Db } from '../lib/db.ts';
import { publicId, type Uuid } from '../lib/ids.ts';
import { fromPounds, type Pence } from '../lib/money.ts';
import type { Warning } from '../lib/schemas.ts';
import { requestColumns } from '../orders/order-columns.ts';
import { findOrderById, type LineRow, type OrderRow } from '../orders/read-sql.ts';
import type { PlaceOrderBody, PlaceOrderItem } from '../orders/schema.ts';
import type { PaymentsContext } from '../payments/context.ts';
import {
  addressDigest,
  type Digest,
  digestOf,
  type Fingerprint,
  fingerprintOf,
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
  const order = await findOrderById(database, accountId, orderId);
  if (order === undefined) return undefined;
  const bytes = await findFingerprint(database, accountId, orderId);
  const digest = digestOf(ctx.secrets, order.external_reference ?? '');
  const placed = bytes === null ? undefined : readFingerprint(digest, bytes);
  const differences = placed === undefined ? [] : differencesOf(digest, body, order, placed);
  return { order, warnings: warningsOf(differences) };
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
 * charged, and are not compared.
 */
function differencesOf(digest: Digest, body: PlaceOrderBody, order: OrderRow, placed: Fingerprint): Difference[] {
  const asked = fingerprintOf(digest, body, false);
  const differences: Difference[] = [];
  const { type } = requestColumns(body);
  if (type !== order.type) differences.push({ path: 'type', part: 'type' });
  if (body.items.length !== order.lines.length) differences.push({ path: 'items', part: 'number of lines' });
  const nothingSaid = printDigest(digest, {});
  const lines = body.items.flatMap((item, index) => {
    const line = order.lines[index];
    if (line === undefined) return [];
    const isAsPrinted = asked.prints[index] === placed.prints[index];
    // Without print_jobs the first area was printed; a request may as well name it.
    const isAsDefault = placed.prints[index] === nothingSaid && listsJobsOf(item, line);
    return lineDifferences(item, line, `items[${index}]`, isAsPrinted || isAsDefault);
  });
  for (const one of lines) {
    if (!differences.some(({ part }) => part === one.part)) differences.push(one);
  }
  const isSameAddress = asked.shippingAddress === placed.shippingAddress;
  if (!isSameAddress) differences.push(addressDifference(digest, body, order, placed));
  // Left out, the billing address is the shipping address: a change of that is listed once.
  const follows = body.billing_address === undefined && placed.billingAddress === placed.shippingAddress;
  if (asked.billingAddress !== placed.billingAddress && !follows) {
    differences.push({ path: 'billing_address', part: 'billing address' });
  }
  if (!isSameService(body.shipping_service, order, placed)) {
    differences.push({ path: 'shipping_service', part: 'shipping service' });
  }
  return differences;
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

/** Names the first member that differs, unless the order has another address by now. */
function addressDifference(digest: Digest, body: PlaceOrderBody, order: OrderRow, placed: Fingerprint): Difference {
  const part = 'shipping address';
  const { shipping_address: kept } = order;
  if (addressDigest(digest, kept) !== placed.shippingAddress) return { path: 'shipping_address', part };
  const { shipping_address: sent } = requestColumns(body);
  const members = Object.keys(sent) as (keyof typeof sent)[];
  const member = members.find((name) => sent[name] !== kept[name]);
  return { path: member === undefined ? 'shipping_address' : `shipping_address.${member}`, part };
}

/** Whether the order goes by the service that a request picks, or leaves to the default. */
function isSameService(picked: string | undefined, { shipping }: OrderRow, placed: Fingerprint): boolean {
  return picked === undefined ? placed.isDefaultShipping : picked === shipping.service || picked === shipping.id;
}
