import { validationFailed } from '../lib/errors.ts';
import { parseId, parseOrderReference, publicId } from '../lib/ids.ts';
import type { OrdersContext } from '../orders/context.ts';
import { garmentOf } from './garment.ts';
import type { PickList, PickListQuery } from './station-schema.ts';
import { type PickRow, readPicks } from './station-sql.ts';

/**
 * Lists what to take off the shelf for some orders.
 * That is the pieces allocated to their lines and not taken yet, by blank, and for which orders. Paused lines are left
 * out. An order that is named twice counts once; one of which nothing is to be taken is listed apart. 422 for an
 * unknown order.
 */
export async function readPickList(
  ctx: Pick<OrdersContext, 'database' | 'prices'>,
  query: PickListQuery,
): Promise<PickList> {
  const names = query.ids
    .split(',')
    .map((name) => ({ name, id: parseId('ord', name), reference: parseOrderReference(name) }));
  const rows = await readPicks(ctx.database, {
    ids: names.flatMap(({ id }) => id ?? []),
    references: names.flatMap(({ reference }) => reference ?? []),
  });
  const known = new Set(rows.flatMap(({ id, reference }) => [id, reference]));
  const unknown = names.filter(({ id, reference }) => !known.has(id ?? '') && !known.has(reference ?? ''));
  if (unknown.length > 0) {
    const message = `There is no such order: ${unknown.map(({ name }) => name).join(', ')}.`;
    throw validationFailed([{ path: 'ids', code: 'unknown_order', message }]);
  }
  const { catalogue } = await ctx.prices.latest();
  const skus = [...new Set(rows.flatMap(({ blanks }) => blanks.map(({ sku }) => sku)))].toSorted();
  return {
    blanks: skus.map((sku) => {
      const orders = rows.flatMap((row) => pickedOf(row, sku));
      const quantity = orders.reduce((sum, order) => sum + order.quantity, 0);
      return { ...garmentOf(catalogue, sku), quantity, orders };
    }),
    nothing_to_take: rows
      .filter(({ blanks }) => blanks.length === 0)
      .map(({ id, reference, state }) => ({ id: publicId('ord', id), reference, state })),
  };
}

function pickedOf({ id, reference, blanks }: PickRow, sku: string): PickList['blanks'][number]['orders'] {
  return blanks
    .filter((blank) => blank.sku === sku)
    .map(({ quantity }) => ({ id: publicId('ord', id), reference, quantity }));
}
