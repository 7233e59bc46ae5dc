import type { Channel } from '../../../src/channels/channel-schema.ts';
import type { ShopOrderView } from '../../../src/channels/inbox-schema.ts';
import { eventually } from '../../harness/context.ts';
import { openFloor, untilReady } from '../../harness/floor.ts';
import type { PortalClient } from '../../harness/portal.ts';
import type { TestService } from '../../harness/service.ts';
import type { MedusaOrder, MedusaShop } from './medusa-shop.ts';

// What a nightly run sees of a shop of Medusa and of its orders here, and how it makes them.

/** A shop without notices is synchronised every 30 seconds, and the machine of a nightly run is busy. */
export const FOUND_MS = 120_000;
const FIELDS =
  'fields=id,display_id,status,updated_at,metadata,*items,*items.detail,*fulfillments,*fulfillments.items,*fulfillments.labels';

export type Print = (line: string) => void;

export type Circle = {
  readonly service: TestService;
  readonly owner: PortalClient;
  readonly medusa: MedusaShop;
  readonly channelId: string;
  readonly print: Print;
};

type Making = {
  readonly lines: readonly { readonly id: string; readonly quantity: number }[];
  /** Sends a parcel with these pieces. */
  readonly ship: (number: string, items: object[]) => Promise<unknown>;
};

/** Has an order made here, so that its pieces can be sent. */
export async function startMaking(service: TestService, orderId: string): Promise<Making> {
  const floor = await openFloor(service);
  await floor.post(`/orders/${orderId}/promote`);
  await untilReady(floor, orderId);
  const { lines } = await floor.post(`/orders/${orderId}/start`, {});
  return {
    lines,
    ship: (number, items) => {
      const tracking = {
        carrier: 'Royal Mail',
        tracking_number: number,
        tracking_url: `https://track.example/${number}`,
      };
      return floor.post(`/orders/${orderId}/shipments`, { ...tracking, items }, 201);
    },
  };
}

/** Waits until all changes were listed once more than now. */
export async function listedOnce({ owner, channelId }: Circle): Promise<void> {
  const before = await channelOf(owner, channelId);
  await eventually(
    'all changes are listed',
    async () => (await channelOf(owner, channelId)).link?.synced_at !== before.link?.synced_at,
    FOUND_MS,
  );
}

export async function found(
  { owner, channelId }: Pick<Circle, 'owner' | 'channelId'>,
  id: string,
): Promise<ShopOrderView> {
  return eventually(
    `order ${id} is looked at`,
    async () => {
      const { body } = await owner.request<{ data: ShopOrderView[] }>('GET', `/shop-orders?channel=${channelId}`);
      const view = body.data.find(({ shop_order_id: shopOrderId }) => shopOrderId === id);
      return view === undefined || view.state === 'new' ? undefined : view;
    },
    FOUND_MS,
  );
}

export async function becomes(circle: Circle, id: string, reason: string): Promise<ShopOrderView> {
  let last: ShopOrderView | undefined;
  const view = eventually(
    `order ${id} has the reason "${reason}"`,
    async () => {
      last = await found(circle, id);
      return last.reason === reason ? last : undefined;
    },
    FOUND_MS,
  );
  return view.catch((error: unknown) => {
    throw new Error(`${String(error)}; it is ${JSON.stringify(last)}`);
  });
}

export async function channelOf(owner: PortalClient, channelId: string): Promise<Channel> {
  return (await owner.request<Channel>('GET', `/channels/${channelId}`)).body;
}

export async function orderOf(medusa: MedusaShop, id: string): Promise<MedusaOrder> {
  return (await medusa.admin<{ order: MedusaOrder }>('GET', `/orders/${id}?${FIELDS}`)).order;
}

/** The shipped fulfilments of an order: what is on each label, and its pieces by line. */
export async function reported(medusa: MedusaShop, id: string): Promise<[string, (string | number)[][]][]> {
  const { fulfillments } = await orderOf(medusa, id);
  return fulfillments
    .filter(({ shipped_at: shippedAt }) => shippedAt !== null)
    .map(({ labels, items }): [string, (string | number)[][]] => [
      labels.map((label) => `${label.tracking_number} ${label.tracking_url}`).join(', '),
      items.map((item) => [item.line_item_id, item.quantity]).toSorted(byLine),
    ])
    .toSorted(([one], [other]) => one.localeCompare(other));
}

export function byLine([one]: readonly (string | number)[], [other]: readonly (string | number)[]): number {
  return String(one).localeCompare(String(other));
}

export function sinceMs(beganMs: number): string {
  return `${((performance.now() - beganMs) / 1_000).toFixed(1)} s`;
}
