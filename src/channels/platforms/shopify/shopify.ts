import type { Platform } from '../port.ts';
import { addressOf, consentUrl, exchange, readConsent, renewal } from './consent.ts';
import { readNotice } from './notice.ts';
import { listChanged, readOrder } from './read-orders.ts';
import { reportToShopify } from './reports.ts';
import { answerRequests } from './requests.ts';
import { setUp, takeDown } from './set-up.ts';

/** Shopify by its GraphQL Admin API. docs/decisions/0074-shopify.md */
export const SHOPIFY: Platform = {
  name: 'shopify',
  title: 'Shopify',
  capabilities: { parcelsByLine: true, notices: true },
  needsApp: true,
  isLinkedOnce: true,
  isConsentByBrowser: true,
  addressOf,
  addressExample: 'your-shop.myshopify.com',
  consentUrl,
  readConsent,
  exchange,
  renewal,
  authorise: ({ access_token: token = '' }) => ({ 'x-shopify-access-token': token }),
  readNotice,
  setUp,
  listChanged,
  readOrder,
  answer: answerRequests,
  report: reportToShopify,
  takeDown,
};
