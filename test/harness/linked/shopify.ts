import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { APP, type ShopifyDouble, startShopifyDouble } from '../shopify/double.ts';
import { type DoubleOrder, type DoubleShop, type Fault, newOrder } from '../shopify/shop-state.ts';
import type { LinkedShop, StartShop } from './shop.ts';

const NAME = 'stormy';
const REACH = fileURLToPath(new URL('../shopify/reach.ts', import.meta.url));
/** More than is asked of a shop while it is away. */
const AWAY = 10_000;
/** What goes wrong beside what was asked for: in turn, each with the next requests. */
const FAULTS: readonly Fault[] = ['throttled', 'away', 'limited', 'page', 'reset', 'answer lost'];

/** A shop of Shopify, reached at its own name. */
export const startShopify: StartShop = async (authority) => {
  const double = await startShopifyDouble(authority, [NAME]);
  return {
    settings: {
      SHOPIFY_CLIENT_ID: APP.clientId,
      SHOPIFY_CLIENT_SECRET: APP.clientSecret,
      TRUSTED_PRIVATE_HOSTS: `${NAME}.myshopify.com:443`,
      NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import ${REACH}`.trim(),
      TEST_SHOPIFY_PORT: String(double.port),
    },
    open: ({ url, sku }) => {
      double.serviceUrl = url;
      const shop = double.shop(NAME);
      return {
        named: { platform: 'shopify', address: shop.domain },
        consent: async (consentUrl, cookie) => {
          const answer = await fetch(url + double.consent(consentUrl), { headers: { cookie }, redirect: 'manual' });
          assert.equal(answer.status, 302, await answer.text());
        },
        isSetUp: () => shop.services.length > 0 && shop.hooks.length > 0,
        shop: shopOf(double, shop, sku),
      };
    },
    close: double.close,
  };
};

function shopOf(double: ShopifyDouble, shop: DoubleShop, sku: string): LinkedShop {
  const orderOf = (id: string): DoubleOrder => shop.orders.get(id) ?? assert.fail(`the shop has no order ${id}`);
  let failed = 0;
  return {
    sell: () => {
      const order = newOrder(shop, [{ sku, title: 'Fern tee' }]);
      shop.orders.set(order.id, order);
      return order.id;
    },
    tell: async (id) => {
      // A notice that finds no service is lost.
      await double.changed(shop, orderOf(id), 'ORDERS_CREATE').catch(() => {});
    },
    fail: (times, how) => {
      const isAway = times === Number.POSITIVE_INFINITY;
      const kind = how === 'page' ? 'away' : 'reset';
      for (let at = 0; at < (isAway ? AWAY : times); at += 1) {
        shop.faults.push(isAway ? kind : (FAULTS[failed++ % FAULTS.length] ?? kind));
      }
      shop.tokens.isExpired = true;
    },
    mend: () => void shop.faults.splice(0),
    parcelsOf: (id) =>
      orderOf(id).fulfillments.flatMap(({ status, tracking, notified }) =>
        status === 'SUCCESS' ? Array.from({ length: Math.max(notified, 1) }, () => tracking.number ?? '') : [],
      ),
    isDone: (id) => orderOf(id).metafields.has('parcels'),
  };
}
