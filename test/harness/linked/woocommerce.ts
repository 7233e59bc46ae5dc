import assert from 'node:assert/strict';
import { type Handler, startStranger } from '../stranger.ts';
import { openWooDouble, type WooDouble, type WooOrder } from '../woo-double.ts';
import type { LinkedShop, StartShop } from './shop.ts';

const HOOKS = 4;
const FAILINGS: Readonly<Record<'page' | 'reset', Handler>> = {
  page: (_hit, response) => void response.writeHead(503).end('<h1>Down</h1>'),
  reset: (_hit, response) => void response.socket?.destroy(),
};

/** A shop of WooCommerce. */
export const startWooCommerce: StartShop = async (authority) => {
  const stranger = await startStranger({ authority, hostnames: ['127.0.0.1'] });
  return {
    settings: { TRUSTED_PRIVATE_HOSTS: stranger.hostPort },
    open: ({ url, sku }) => {
      const woo = openWooDouble({ stranger, url, ctx: { clock: { now: () => new Date() } } });
      // As many parcels as there are orders, and no more calls than it takes to look whether one is there.
      woo.feature(true);
      return {
        named: { platform: 'woocommerce', address: woo.address },
        consent: async (consentUrl) => assert.equal(await woo.consent(consentUrl), 200),
        isSetUp: () => woo.hooks.size === HOOKS,
        shop: shopOf(woo, sku),
      };
    },
    close: stranger.close,
  };
};

function shopOf(woo: WooDouble, sku: string): LinkedShop {
  const orderOf = (id: string): WooOrder => woo.orders.get(Number(id)) ?? assert.fail(`the shop has no order ${id}`);
  return {
    sell: () => {
      const line = { id: 1, name: 'Fern tee', product_id: 7, variation_id: 0, sku, quantity: 1, meta_data: [] };
      return String(woo.order({ line_items: [line] }).id);
    },
    tell: async (id) => void (await woo.tell(orderOf(id))),
    fail: (times, how) => woo.fail({ times, how: FAILINGS[how] }),
    mend: woo.mend,
    parcelsOf: (id) =>
      (woo.fulfilments.get(Number(id)) ?? []).flatMap(({ meta_data: meta }) =>
        meta.flatMap(({ key, value }) => (key === '_tracking_number' ? [String(value)] : [])),
      ),
    isDone: (id) => orderOf(id).status === 'completed',
  };
}
