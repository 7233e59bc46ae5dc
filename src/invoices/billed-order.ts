import type { Caller } from '../lib/caller.ts';
import { countryName } from '../lib/countries.ts';
import { notFound } from '../lib/errors.ts';
import { parseId, parseOrderReference, type Uuid } from '../lib/ids.ts';
import type { StoredAddress } from '../orders/order-columns.ts';
import { cityLines } from '../orders/postal-address.ts';
import { opsOrderIdOf } from '../orders/read-ops-order.ts';
import { findOrderId } from '../orders/read-sql.ts';
import type { PaymentsContext } from '../payments/context.ts';
import { type BilledOrderRow, findBilledOrder, findOwnBilledOrder } from './sql.ts';

/** An order, as far as its documents need it. */
export type BilledOrder = {
  readonly accountId: Uuid;
  readonly orderId: Uuid;
  readonly isReplacement: boolean;
  readonly isPaid: boolean;
  readonly lineCount: number;
  /** Where it goes; undefined once that is erased. Shown beside a document, and never part of it. */
  readonly deliverTo: DeliveryAddress | undefined;
};

/** The recipient, and the lines of the address below the name. */
export type DeliveryAddress = { readonly name: string; readonly lines: readonly string[] };

/**
 * An order of the caller, by its id or reference. Throws 404.
 * Without its lines, since it may have a thousand.
 */
export async function ownBilledOrder(
  ctx: PaymentsContext,
  caller: Caller,
  idOrReference: string,
): Promise<BilledOrder> {
  const { accountId } = caller;
  const reference = parseOrderReference(idOrReference);
  const id =
    reference === undefined ? parseId('ord', idOrReference) : await findOrderId(ctx.database, accountId, reference);
  return billedOrderOf(id === undefined ? undefined : await findOwnBilledOrder(ctx.database, accountId, id));
}

/** An order of any account, by its id or reference, for operators. Throws 404. */
export async function anyBilledOrder(
  ctx: Pick<PaymentsContext, 'database'>,
  idOrReference: string,
): Promise<BilledOrder> {
  return billedOrderOf(await findBilledOrder(ctx.database, await opsOrderIdOf(ctx, idOrReference)));
}

function billedOrderOf(order: BilledOrderRow | undefined): BilledOrder {
  if (order === undefined) throw notFound();
  return {
    accountId: order.account_id,
    orderId: order.id,
    isReplacement: order.source === 'replacement',
    isPaid: order.paid_at !== null,
    lineCount: order.line_count,
    deliverTo: deliveryOf(order.shipping_address),
  };
}

function deliveryOf(address: StoredAddress): DeliveryAddress | undefined {
  const { contact_name: name, company_name, line1, line2, country_code } = address;
  if (name === '' && line1 === '') return undefined;
  const lines = [company_name, line1, line2, ...cityLines(address), countryName(country_code)];
  return { name, lines: lines.filter((line) => line !== '') };
}
