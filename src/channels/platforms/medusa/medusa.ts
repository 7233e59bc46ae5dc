import { arrayOf, isMembers, textOf } from '../members.ts';
import type { Platform, ReadOrder, Shop } from '../port.ts';
import { listChanged, rowsOf } from './changes.ts';
import { medusaAddress, readKey } from './key.ts';
import { ORDER_FIELDS, readMedusaOrder } from './orders.ts';
import { publishToMedusa } from './products.ts';
import { reportToMedusa } from './reports.ts';

/**
 * Medusa by its admin API, version 2.
 * It sends nothing by itself, so there is nothing to set up or to take down: it is asked whether it is there.
 */
export const MEDUSA: Platform = {
  name: 'medusa',
  title: 'Medusa',
  capabilities: { parcelsByLine: true, refunds: false, namesRefunded: true, notices: false },
  needsApp: false,
  isLinkedOnce: false,
  isConsentByBrowser: false,
  addressOf: medusaAddress,
  addressExample: 'https://medusa.example.com',
  readKey,
  readConsent: () => undefined,
  authorise: ({ key = '' }) => ({ authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` }),
  readNotice: () => undefined,
  ownName,
  needsSetUp: true,
  setUp: async (shop) => {
    await rowsOf(shop, 'payments', { offset: '0', fields: 'id' });
    return {};
  },
  listChanged,
  readOrder,
  report: reportToMedusa,
  publish: publishToMedusa,
  takeDown: async () => {},
};

/** The id of its store, which it has one of. A copy of its database has the same, and the same orders. */
async function ownName(shop: Shop): Promise<string | undefined> {
  const answer = await shop.call('GET', '/admin/stores?fields=id&limit=1');
  const [store] = isMembers(answer?.json) ? arrayOf(answer.json.stores) : [];
  const id = isMembers(store) ? textOf(store.id) : '';
  return /^\w{1,100}$/.test(id) ? id : undefined;
}

async function readOrder(shop: Shop, id: string): Promise<ReadOrder | undefined> {
  if (!/^\w{1,100}$/.test(id)) return undefined;
  const answer = await shop.call(
    'GET',
    `/admin/orders/${id}?${new URLSearchParams({ fields: ORDER_FIELDS }).toString()}`,
  );
  return isMembers(answer?.json) ? readMedusaOrder(answer.json.order) : undefined;
}
