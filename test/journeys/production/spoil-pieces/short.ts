import assert from 'node:assert/strict';
import type { Page } from '../../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { ShortLine } from '../../../../src/production/short/schema.ts';
import { count } from '../../../harness/floor.ts';
import { rows } from '../../../harness/written.ts';
import { blank, floor, linesOf, promoted, service } from '../stations.ts';

/** Receives pieces of a variant, as operators do. */
export const receive = (sku: string, quantity: number): Promise<unknown> =>
  floor.post('/stock/receipts', { items: [{ sku, quantity }] }, 201);

/** An order as operators see it. */
export async function seen({ id }: { id: string }): Promise<OpsOrder> {
  const { status, body, text } = await floor.request('GET', `/orders/${id}`);
  assert.equal(status, 200, text);
  return body;
}

/** What a line is short of, and what it has to start. */
export async function lackOf(order: { id: string }, index = 0): Promise<readonly [short: number, toStart: number]> {
  const line = (await seen(order)).lines[index] ?? assert.fail('no line');
  return [line.quantity_short, line.quantity_to_start];
}

/** The open tasks about short lines of an order. */
export async function shortTasks({ reference }: { reference: string }): Promise<readonly string[]> {
  const found = await rows<{ note: string }>(
    service,
    `select t.note from ops_task t join orders o on o.id = t.order_id
     where o.reference = $1 and t.kind = 'line_short' and t.closed_at is null`,
    [reference],
  );
  return found.map(({ note }) => note);
}

/** Spoils pieces of a line of an order; it must be recorded. */
export const spoil = (order: { id: string }, line: string, quantity: number): Promise<OpsOrder> =>
  floor.post(`/orders/${order.id}/lines/${line}/spoil`, { quantity, reason: 'torn' });

/** Orders with a started line of blank pieces each, which take all there are of a variant. */
export async function startedOrders(sku: string, ...quantities: readonly number[]) {
  await count(
    floor,
    sku,
    quantities.reduce((sum, quantity) => sum + quantity, 0),
  );
  const orders: { id: string; reference: string; line: string }[] = [];
  for (const quantity of quantities) {
    const order = await promoted([blank(quantity, sku)]);
    await floor.post(`/orders/${order.id}/start`, {});
    orders.push({ id: order.id, reference: order.reference, line: linesOf(order)[0] ?? '' });
  }
  return orders;
}

/** An order with a started line of blank pieces, which take all there are of a variant; so many are spoiled. */
export async function shortOrder(sku: string, quantity: number, spoiled: number) {
  const [order = assert.fail('no order')] = await startedOrders(sku, quantity);
  if (spoiled > 0) await spoil(order, order.line, spoiled);
  return order;
}

/** The lines that are short, of those that a query finds. */
export async function shortLines(query: string): Promise<readonly ShortLine[]> {
  const { status, body, text } = await floor.request<Page<ShortLine>>('GET', `/short-lines?limit=100&${query}`);
  assert.equal(status, 200, text);
  return body.data;
}
