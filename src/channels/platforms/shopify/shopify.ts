import type { Platform } from '../port.ts';
import { exchangeCode, readShopifyConsent, renewal, shopifyAddress, shopifyConsentUrl } from './consent.ts';
import { BY_FULFILLMENT_ORDER, readShopifyNotice } from './notice.ts';
import { publishToShopify } from './products.ts';
import { listChangedOrders, orderOfHint, readOrder } from './read-orders.ts';
import { refundInShopify } from './refunds.ts';
import { reportToShopify } from './reports.ts';
import { answerRequests } from './requests.ts';
import { setUp, takeDown } from './set-up.ts';

/** Shopify by its GraphQL Admin API. docs/decisions/0074-shopify.md */
export const SHOPIFY: Platform = {
  name: 'shopify',
  title: 'Shopify',
  capabilities: { parcelsByLine: true, refunds: true, namesRefunded: true, notices: true },
  needsApp: true,
  isLinkedOnce: true,
  isConsentByBrowser: true,
  addressOf: shopifyAddress,
  addressExample: 'your-shop.myshopify.com',
  consentUrl: shopifyConsentUrl,
  readConsent: readShopifyConsent,
  exchange: exchangeCode,
  renewal,
  authorise: ({ access_token: token = '' }) => ({ 'x-shopify-access-token': token }),
  readNotice: readShopifyNotice,
  hints: { areOfOrder: (hinted) => !hinted.startsWith(BY_FULFILLMENT_ORDER), orderOf: orderOfHint },
  needsSetUp: true,
  setUp,
  listChanged: listChangedOrders,
  readOrder,
  answer: answerRequests,
  report: reportToShopify,
  refund: refundInShopify,
  publish: publishToShopify,
  takeDown,
};
