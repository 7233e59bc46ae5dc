import assert from 'node:assert/strict';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { type Floor, openFloor, placeOrder } from '../../../harness/floor.ts';
import { type PrintWorkers, printWorkers } from '../../../harness/print-workers.ts';
import {
  type Answer,
  type Customer,
  type ErrorReply,
  startTestService,
  type TestService,
} from '../../../harness/service.ts';
import { servePicture } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';

// A shop whose print files fail or are made when a test wants it, and customers who send other artwork.

export type ReplaceAnswer = Answer<Order & Partial<Pick<ErrorReply, 'code' | 'detail' | 'errors'>>>;

export type ReplaceShop = {
  readonly service: TestService;
  readonly floor: Floor;
  readonly workers: PrintWorkers;
  /** An order with artwork of its own on these areas, all of it failed. */
  readonly failed: (areas?: readonly string[], changes?: object) => Promise<CreatedOrder>;
  /** The address of another picture. */
  readonly picture: (size?: { widthPx: number; heightPx: number }) => Promise<string>;
  readonly replace: (
    order: { id: string },
    body: object,
    of?: { line?: string; by?: Customer },
  ) => Promise<ReplaceAnswer>;
  readonly see: (order: { id: string }) => Promise<Order>;
  /** The areas of an order, each as its customer sees it. */
  readonly areas: (order: { id: string }) => Promise<Area[]>;
};

export type Area = NonNullable<Order['items'][number]['artwork']>['areas'][number];

/** Starts a service without workers. */
export async function openReplacing(): Promise<ReplaceShop> {
  const service = await startTestService({ role: 'api' });
  const floor = await openFloor(service, 'admin');
  const workers = printWorkers(service);
  let pictures = 0;
  const see: ReplaceShop['see'] = async ({ id }) => {
    const answer = await service.customer.request<Order>('GET', `/orders/${id}`);
    assert.equal(answer.status, 200, answer.text);
    return answer.body;
  };
  return {
    service,
    floor,
    workers,
    failed: async (areas, changes = {}) => {
      const order = await placeOrder(service, { items: [await workers.ownItem(areas)], ...changes });
      await workers.failing();
      return order;
    },
    picture: (size = { widthPx: 1_200, heightPx: 1_600 }) => {
      pictures += 1;
      const colour = `#80${pictures.toString(16).padStart(4, '0')}`;
      return servePicture(service, `/other-${pictures}.png`, { ...size, colour });
    },
    replace: async (order, body, { line, by = service.customer } = {}) => {
      const named = line ?? lineOf(await see(order));
      return by.request('POST', `/orders/${order.id}/lines/${named}/artwork`, body);
    },
    see,
    areas: async (order) => (await see(order)).items.flatMap(({ artwork }) => artwork?.areas ?? []),
  };
}

/** The first line of an order. */
export function lineOf(order: Order): string {
  const [line] = order.items;
  assert.ok(line);
  return line.id;
}

/** What stands behind the prints of an order, and what of it was left. */
export async function printsOf(service: TestService, { reference }: { reference: string }): Promise<readonly object[]> {
  return rows<object>(
    service,
    `select j.print_area as area, f.state, (select count(*)::integer from job b where b.key = encode(j.print_file_key, 'hex')) as jobs,
       (select count(*)::integer from print_file_need n where n.print_file_key = j.print_file_key and n.order_id = j.order_id) as needs,
       j.design_hash = j.sold_design_hash as is_same
     from print_job j join orders o on o.id = j.order_id left join print_file f on f.key = j.print_file_key
     where o.reference = $1 order by j.ordinal`,
    [reference],
  );
}

/** How much there is of what a replacement writes. */
export async function written(service: TestService): Promise<object> {
  const [found] = await rows<object>(
    service,
    `select (select count(*) from print_file) as files, (select count(*) from job where kind = 'normalise_artwork') as jobs,
       (select count(*) from print_job where replaced_at is not null) as replaced, (select count(*) from event) as events,
       (select count(*) from order_history) as history, (select count(*) from posting) as postings,
       (select count(*) from ops_task where closed_at is null) as tasks, (select count(*) from print_file_need) as needs`,
  );
  return found ?? {};
}
