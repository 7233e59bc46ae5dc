import assert from 'node:assert/strict';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { openShippingShop, type Parcel, type ShippingShop } from '../../harness/floor.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { rows } from '../../harness/written.ts';

/** The service, once it is open. */
export let service: TestService;

/** The shop of these journeys. */
export let shop: ShippingShop;

type Told = { event: string; data: { [name: string]: unknown }; sequence: number };

/** What the log of events has of an order, oldest first. */
export async function told(order: { reference: string }): Promise<readonly Told[]> {
  return rows<Told>(
    service,
    `select e.event, e.data, e.sequence from event e join orders o on o.id = e.order_id where o.reference = $1 order by e.sequence`,
    [order.reference],
  );
}

/** Ships a parcel of an order; it must succeed. */
export async function shipped(order: CreatedOrder, parcel: Parcel): Promise<string> {
  const answer = await shop.ship(order, parcel);
  assert.equal(answer.status, 201, answer.text);
  return answer.body.shipment_id;
}

/** All that a shipment writes: a refusal leaves it as it was. */
export async function written(): Promise<object> {
  const [counts] = await rows<object>(
    service,
    `select (select count(*) from shipment) as shipments, (select count(*) from shipment_item) as items,
       (select sum(quantity_shipped) from order_line) as pieces, (select count(*) from event) as events,
       (select count(*) from order_history) as history, (select count(*) from operator_action) as actions`,
  );
  return counts ?? {};
}

/** What is refused leaves everything as it was. */
export async function refused(ask: () => Promise<Answer<object>>): Promise<Answer<ErrorReply>> {
  const before = await written();
  const answer = await ask();
  assert.deepEqual(await written(), before, 'a refusal writes nothing');
  return answer as Answer<ErrorReply>;
}

/** Opens what these journeys share; for `before`. */
export async function openParcels(): Promise<void> {
  service = await startTestService();
  shop = await openShippingShop(service);
}

/** Closes it again; for `after`. */
export async function closeParcels(): Promise<void> {
  await service.stop();
}
