import assert from 'node:assert/strict';
import { statement } from '../../src/lib/db.ts';
import type { Uuid } from '../../src/lib/ids.ts';
import type { ModelOrder } from './model.ts';
import { backToBalance } from './money-back.ts';
import type { World } from './world.ts';

// What the events of a step say (spec 6.3), held to the model as it is after the step.

type Row = { order_id: Uuid; event: string; data: Record<string, unknown> };

const NEW = statement<Row>(
  'model_new_events',
  `select e.order_id, e.event, e.data from json_to_recordset($1::json) as seen(id uuid, sequence bigint)
   join event e on e.order_id = seen.id and e.sequence > seen.sequence order by e.order_id, e.sequence`,
);

/** Checks the events that orders have told since they were last looked at. */
export async function checkTold(
  world: World,
  orders: ReadonlyMap<Uuid, ModelOrder>,
  seen: Map<ModelOrder, number>,
): Promise<void> {
  const asked = [...orders].map(([id, order]) => ({ id, sequence: seen.get(order) ?? 0 }));
  if (asked.length === 0) return;
  const rows = await world.ctx.database.all(NEW, [JSON.stringify(asked)]);
  for (const [id, told] of Map.groupBy(rows, (row) => row.order_id)) {
    const order = orders.get(id);
    assert.ok(order);
    for (const [index, { event, data }] of told.entries()) {
      const later = told.slice(index + 1).filter((other) => other.event === event).length;
      const due = dataOf(order, event, later, data);
      assert.deepEqual(
        { reference: data.reference, ...pick(data, due) },
        { reference: order.reference, ...due },
        event,
      );
    }
    seen.set(order, order.events.length);
  }
}

function pick(data: Record<string, unknown>, names: object): Record<string, unknown> {
  return Object.fromEntries(Object.keys(names).map((name) => [name, data[name]]));
}

const pounds = (pence: number): number => pence / 100;

/** What the data of an event must be; `later` events of its kind came after it in the same step. */
function dataOf(order: ModelOrder, event: string, later: number, data: Record<string, unknown>): object {
  const total = pounds(order.totalPence);
  switch (event) {
    case 'order.created': {
      const external_reference = order.externalReference ?? '';
      return { status: 'confirmed', total, currency: 'GBP', item_count: order.lines.length, external_reference };
    }
    case 'order.payment_failed': {
      // What paid the order or made it cheaper in the same step, after this was told, is not in it.
      const failure = order.failures.at(-1 - later);
      assert.ok(failure);
      const { totalPence, paidPence } = failure;
      return {
        amount_gbp: pounds(totalPence),
        paid_gbp: pounds(paidPence),
        remaining_gbp: pounds(totalPence - paidPence),
      };
    }
    case 'order.on_hold':
      return { status: 'pending' };
    case 'order.in_production':
      return { status: 'in_production' };
    case 'order.shipment_created': {
      const { items } = data.shipment as { items: { quantity: number }[] };
      const parcel = order.shipments.at(-1);
      assert.equal(
        items.reduce((sum, { quantity }) => sum + quantity, 0),
        parcel?.pieces,
        'pieces of the parcel',
      );
      return { status: order.state === 'dispatched' ? 'dispatched' : 'in_production' };
    }
    case 'order.dispatched': {
      const numbers = new Set(order.shipments.map(({ trackingNumber }) => trackingNumber));
      const carrier = order.shipments.at(-1)?.carrier;
      return { status: 'dispatched', carrier, tracking_numbers: [...numbers] };
    }
    case 'order.cancelled':
      return { status: 'cancelled', refunded_gbp: pounds(backToBalance(order)), cancelled_by: order.cancelledBy };
    default:
      throw new Error(`nobody knows the event ${event}`);
  }
}
