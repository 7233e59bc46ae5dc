import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { CreatedOrder, Order, PlaceOrderItem } from '../../../../src/orders/schema.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../../harness/service.ts';
import { addProduct, basket, newReference, problemsOf, servePicture } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

let service: TestService;
let customer: Customer;
let productId: string;
before(async () => {
  service = await startTestService({ role: 'api' });
  customer = await service.openCustomer({ balancePence: 1_000_000 });
  productId = await addProduct(service, customer, 'TEE-CLASSIC');
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

type Area = NonNullable<NonNullable<PlaceOrderItem['decoration']>['areas']>[number];
type OrderReply = CreatedOrder & Pick<ErrorReply, 'errors'>;

const itemOf = (area: Partial<Area> & { artwork_url: string }): PlaceOrderItem => ({
  product_id: productId,
  variant_sku: 'TEE-CLASSIC-WHT-M',
  quantity: 1,
  decoration: { areas: [{ print_area: 'front', method: 'dtg', ...area }] },
});

async function post(
  item: PlaceOrderItem,
  { changes = {}, to = '/orders' }: { changes?: object; to?: string } = {},
): Promise<Answer<OrderReply>> {
  return customer.request<OrderReply>('POST', to, { ...basket(service, { items: [item] }), ...changes });
}

async function placed(item: PlaceOrderItem): Promise<Order> {
  const answer = await post(item);
  assert.equal(answer.status, 201, answer.text);
  return (await customer.request<Order>('GET', `/orders/${answer.body.id}`)).body;
}

const picture = (colour: string): Promise<string> => servePicture(service, `/${colour}.png`, { colour });

const keysOf = async ({ reference }: { reference: string }): Promise<string[]> =>
  (
    await rows<{ key: string }>(
      service,
      `select encode(j.print_file_key, 'hex') as key from print_job j join orders o on o.id = j.order_id
       where o.reference = $1 order by j.line_id, j.ordinal`,
      [reference],
    )
  ).map(({ key }) => key);

describe('the position of artwork that comes with an order', () => {
  test('is where it is printed; centred without one', async () => {
    const url = await picture('navy');
    const position = { x: 0.4, y: 0.3, scale: 0.5, rotation: 90 };
    const plain = await placed(itemOf({ artwork_url: url }));
    const same = await placed(itemOf({ artwork_url: url, position: { x: 0.5, rotation: 360 } }));
    const moved = await placed(itemOf({ artwork_url: url, position }));
    assert.deepEqual(await keysOf(same), await keysOf(plain));
    const [key] = await keysOf(moved);
    const [file] = await rows<{ position: object }>(
      service,
      "select recipe -> 'position' as position from print_file where encode(key, 'hex') = $1",
      [key ?? ''],
    );
    assert.deepEqual(file?.position, position);
    const print = (order: Order) => order.items[0]?.artwork?.areas[0]?.print;
    assert.ok((print(moved)?.width_mm ?? 0) < (print(plain)?.width_mm ?? 0), 'it prints smaller');
  });

  test('two lines of one picture have each its own place', async () => {
    const url = await picture('maroon');
    const items = [itemOf({ artwork_url: url }), itemOf({ artwork_url: url, position: { scale: 0.5 } })];
    const answer = await customer.request<CreatedOrder>('POST', '/orders', basket(service, { items }));
    assert.equal(answer.status, 201, answer.text);
    assert.equal(new Set(await keysOf(answer.body)).size, 2);
  });

  test('off the print area is 422 by order and estimate, and a wrong shape is refused', async () => {
    const url = await picture('purple');
    const outside = itemOf({ artwork_url: url, position: { x: 9 } });
    for (const to of ['/orders', '/orders/estimate']) {
      const refused = await post(outside, { to });
      assert.deepEqual(
        [refused.status, problemsOf(refused as never)],
        [422, ['items[0].decoration.areas[0].position outside_print_area']],
      );
    }
    const shape = await post(itemOf({ artwork_url: url, position: { scale: 0 } }));
    assert.deepEqual(problemsOf(shape as never), ['items[0].decoration.areas[0].position.scale out_of_bounds']);
  });

  test('a repeat at another place is the first order, with a warning', async () => {
    const url = await picture('gold');
    const changes = { external_reference: newReference() };
    const first = await post(itemOf({ artwork_url: url, position: { scale: 0.5 } }), { changes });
    const same = await post(itemOf({ artwork_url: url, position: { scale: 0.5, x: 0.5 } }), { changes });
    const other = await post(itemOf({ artwork_url: url }), { changes });
    assert.deepEqual([first.status, same.status, other.status], [201, 200, 200]);
    const codes = ({ body }: Answer<OrderReply>): string[] => body.warnings.map(({ code }) => code);
    assert.deepEqual([codes(same), codes(other)], [[], ['replayed_with_different_body']]);
  });
});
