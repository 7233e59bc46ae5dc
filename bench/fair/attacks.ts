import { randomUUID } from 'node:crypto';
import type { Outside } from './outside.ts';
import { ADDRESS, orderOf, type Request } from './requests.ts';

/** What the attacker has: tokens of one account, and what was prepared for it. */
export type Attacker = {
  readonly token: string;
  readonly productId: string;
  /** Orders of 1,000 lines, paid. */
  readonly largeOrders: readonly string[];
  readonly personalised: { readonly token: string; readonly productId: string };
  readonly outside: Outside;
};

/** Sends one request of a set-up, and returns the body of its answer. Throws on a refusal. */
export type Send = (request: Request) => Promise<{ readonly id?: string }>;

/** What one account does on an entry, as much of it as its limits let through. */
export type Attack = {
  readonly name: string;
  /** Requests that it has under way at a time. */
  readonly atOnce: number;
  /** Prepares the attack before it is measured; returns what takes it back afterwards. */
  readonly setUp?: (attacker: Attacker, send: Send) => Promise<() => Promise<void>>;
  /** The request of this number; the numbers grow. */
  readonly request: (attacker: Attacker, number: number) => Request;
};

const LINES_MAX = 1_000;
/** Addresses in a check of artwork. */
const URLS_MAX = 10;
const SUBSCRIPTIONS_MAX = 20;

/** So many entries of a list from a place on that moves with the number of the request. */
function some<Entry>(list: readonly Entry[], count: number, number: number): Entry[] {
  return Array.from({ length: count }, (_, index) => list[(number * count + index) % list.length] as Entry);
}

function checkOf(token: string, urls: readonly string[], rest: Partial<Request> = {}): Request {
  return { method: 'POST', path: '/api/v1/uploads/validate', token, body: { urls }, ...rest };
}

/** An order of pieces that nobody has ordered before: each needs a print file of its own. */
function piecesOf(personalised: Attacker['personalised'], pieces: number, text: string): object {
  return {
    items: Array.from({ length: pieces }, (_, index) => ({
      product_id: personalised.productId,
      variant_sku: 'TEE-ORGANIC-ECR-M',
      quantity: 1,
      decoration: { personalisation: { inputs: { line: `${text} ${index}`, motif: 'sun' } } },
    })),
    shipping_address: ADDRESS,
  };
}

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
      body: piecesOf(personalised, 200, `Day ${number}`),
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
  {
    name: 'artwork at names whose servers are silent',
    atOnce: 56,
    request: ({ token, outside }, number) =>
      checkOf(
        token,
        some(outside.silentHosts, URLS_MAX, number).map((host) => `https://${host}/art.png`),
      ),
  },
  {
    name: 'artwork at a host that hangs, abandoned',
    atOnce: 56,
    request: ({ token, outside }, number) =>
      checkOf(token, some(outside.hungUrls, URLS_MAX, number), { leavesAfterMs: 2_000 }),
  },
  {
    name: 'artwork that is large to decode',
    atOnce: 20,
    request: ({ token, outside }, number) =>
      checkOf(
        token,
        some(outside.pictureUrls, URLS_MAX, 0).map((url, index) => `${url}?${number}-${index}`),
      ),
  },
  {
    name: 'bodies that arrive slowly',
    atOnce: 100,
    request: ({ token, productId }) => ({
      method: 'POST',
      path: '/api/v1/orders/estimate',
      token,
      body: orderOf(productId, LINES_MAX),
      arrivesInMs: 3_000,
    }),
  },
  {
    name: 'print files of personalised pieces',
    atOnce: 20,
    request: ({ personalised }) => ({
      method: 'POST',
      path: '/api/v1/orders',
      token: personalised.token,
      body: piecesOf(personalised, 20, randomUUID().slice(0, 8)),
    }),
  },
  {
    name: 'events for receivers that hang',
    atOnce: 20,
    setUp: async ({ token, outside }, send) => {
      const ids: string[] = [];
      for (const url of some(outside.hungUrls, SUBSCRIPTIONS_MAX, 0)) {
        const { id } = await send({ method: 'POST', path: '/api/v1/webhooks', token, body: { url } });
        if (id !== undefined) ids.push(id);
      }
      return async () => {
        for (const id of ids) await send({ method: 'DELETE', path: `/api/v1/webhooks/${id}`, token });
      };
    },
    request: ({ token, productId }) => ({ method: 'POST', path: '/api/v1/orders', token, body: orderOf(productId, 1) }),
  },
];
