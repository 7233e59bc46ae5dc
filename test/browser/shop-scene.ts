import type { ShopItem, ShopOrder } from '../../src/channels/shop-order.ts';
import { eventually } from '../harness/context.ts';
import { openPortal, type PortalClient } from '../harness/portal.ts';
import { TEE_WHITE_M } from '../harness/shop.ts';
import { connectSender, type SendingShop, sendFromShop } from '../harness/shop-sender.ts';
import type { Premises } from './premises.ts';

/** A connected shop of the demo account, and the person who connected it. */
export type Scene = {
  readonly owner: PortalClient;
  readonly shop: SendingShop;
  /** Sends an order of the shop, and returns its id here once it was looked at. */
  readonly send: (order: Partial<ShopOrder> & Pick<ShopOrder, 'items'>) => Promise<string>;
  /** An item that names its variant by its SKU. */
  readonly known: ShopItem;
  /** One whose variant has to be said; its title suggests it. */
  readonly unknown: ShopItem;
};

/** Connects a shop to the demo account. */
export async function openScene({ service, person }: Premises, name = 'Fern and Thread'): Promise<Scene> {
  const owner = await openPortal(service, person);
  const shop = await connectSender(owner, name);
  const { body: tee } = await owner.api<{ name: string }>('GET', `/products/${service.demo.products.fixed}`);
  const title = { title: tee.name, options: 'White / M', quantity: 1 };
  return {
    owner,
    shop,
    send: async (order) => {
      const id = await sendFromShop(service, shop, order);
      await eventually('it was looked at', async () => (await stateOf(owner, id)) !== 'new');
      return id;
    },
    known: { id: '1', sku: `${service.demo.products.fixed}/${TEE_WHITE_M}`, ...title },
    unknown: { id: '1', variant_id: '9001', ...title },
  };
}

/** What became of an order of a shop. */
export async function stateOf(owner: PortalClient, id: string): Promise<string> {
  return (await owner.request<{ state: string }>('GET', `/shop-orders/${id}`)).body.state;
}

/** Has a shop send orders of which each waits for something else; none is placed. */
export async function sendWaiting({ send, known, unknown }: Scene): Promise<string[]> {
  return [
    await send({ number: '#1001', items: [unknown] }),
    await send({ number: '#1002', items: [unknown, { id: '2', title: 'Gift card', quantity: 1 }] }),
    await send({ number: '#1003', unpaid: true, items: [known] }),
    await send({ number: '#1004', high_risk: true, items: [{ ...known, quantity: 3 }] }),
    await send({ number: '#1005', test: true, items: [known] }),
    await send({
      number: '#1006',
      items: [known],
      shipping_address: { contact_name: 'Grace Chisholm', line1: 'Poste restante', country_code: 'Atlantis' },
    }),
  ];
}
