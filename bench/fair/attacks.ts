import { ADDRESS, orderOf, type Request } from './requests.ts';

/** What the attacker has: tokens of one account, and what was prepared for it. */
export type Attacker = {
  readonly token: string;
  readonly productId: string;
  /** Orders of 1,000 lines, paid. */
  readonly largeOrders: readonly string[];
  readonly personalised: { readonly token: string; readonly productId: string };
};

/** What one account does on an entry, as much of it as its limits let through. */
export type Attack = {
  readonly name: string;
  /** Requests that it has under way at a time. */
  readonly atOnce: number;
  /** The request of this number; the numbers grow. */
  readonly request: (attacker: Attacker, number: number) => Request;
};

const LINES_MAX = 1_000;

/** Every attack of the campaign. A new entry is a new line here. */
export const ATTACKS: readonly Attack[] = [
  {
    name: 'pages of orders of 1,000 lines',
    atOnce: 20,
    request: ({ token }) => ({ method: 'GET', path: '/api/v1/orders?limit=100', token }),
  },
  {
    name: 'all orders as CSV',
    atOnce: 10,
    request: ({ token }) => ({ method: 'GET', path: '/api/v1/orders', token, accept: 'text/csv' }),
  },
  {
    name: 'reads of an order of 1,000 lines',
    atOnce: 20,
    request: ({ token, largeOrders }, number) => ({
      method: 'GET',
      path: `/api/v1/orders/${largeOrders[number % largeOrders.length]}`,
      token,
    }),
  },
  {
    name: 'estimates of 1,000 lines',
    atOnce: 20,
    request: ({ token, productId }) => ({
      method: 'POST',
      path: '/api/v1/orders/estimate',
      token,
      body: orderOf(productId, LINES_MAX),
    }),
  },
  {
    name: 'orders of 1,000 lines',
    atOnce: 20,
    request: ({ token, productId }) => ({
      method: 'POST',
      path: '/api/v1/orders',
      token,
      body: orderOf(productId, LINES_MAX),
    }),
  },
  {
    name: 'invoices as PDF, abandoned',
    atOnce: 56,
    request: ({ token, largeOrders }, number) => ({
      method: 'GET',
      path: `/api/v1/orders/${largeOrders[number % largeOrders.length]}/invoice`,
      token,
      accept: 'application/pdf',
      leavesAfterMs: 500,
    }),
  },
  {
    name: 'texts of personalised pieces',
    atOnce: 20,
    request: ({ personalised }, number) => ({
      method: 'POST',
      path: '/api/v1/orders/estimate',
      token: personalised.token,
      body: {
        items: Array.from({ length: 200 }, (_, index) => ({
          product_id: personalised.productId,
          variant_sku: 'TEE-ORGANIC-ECR-M',
          quantity: 1,
          decoration: { personalisation: { inputs: { line: `Day ${number} ${index}`, motif: 'sun' } } },
        })),
        shipping_address: ADDRESS,
      },
    }),
  },
  {
    name: 'statements as CSV',
    atOnce: 20,
    request: ({ token }) => ({ method: 'GET', path: '/api/v1/account/transactions', token, accept: 'text/csv' }),
  },
  {
    name: 'pages of events',
    atOnce: 40,
    request: ({ token }) => ({ method: 'GET', path: '/api/v1/events?limit=100', token }),
  },
  {
    name: 'small reads, as many as there is room for',
    atOnce: 100,
    request: ({ token }) => ({ method: 'GET', path: '/api/v1/account/balance', token }),
  },
];
