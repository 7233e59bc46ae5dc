import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** What a call of the provider's API does. */
export type Call = 'create' | 'confirm' | 'read' | 'cancel' | 'method' | 'forget' | 'page' | 'read page' | 'end page';

/**
 * How a call misbehaves: no answer before it does anything, or after it has done it; an error of the server before or
 * after; an answer that it does not know the key that we sign in with.
 */
export type Fault = 'hang' | 'hang after' | '500' | '500 after' | '401' | 'refuse';

/** How a confirmed intent ends. */
export type Verdict = 'accept' | 'decline' | 'process' | 'require action';

export type FakeIntent = {
  readonly id: string;
  amount: number;
  currency: string;
  readonly paymentMethod: string;
  readonly customer: string | null;
  readonly attempt: string;
  /** The key of the page that it is paid on; none for a charge. */
  readonly pageKey?: string;
  status: string;
  failure: string | null;
  /** How often money was taken. */
  charges: number;
};

/** A page on which a person pays, or saves a method. A browser can open it. */
export type FakePage = {
  readonly id: string;
  readonly mode: string;
  /** What is saved; the kinds that it offers stand before it. */
  readonly kinds: string;
  readonly customer: string | null;
  method: object | null;
  readonly url: string;
  /** The idempotency key of the row that it is for. */
  readonly key: string;
  amount: number;
  currency: string;
  readonly paidUrl: string;
  readonly leftUrl: string;
  readonly endsAt: Date;
  status: 'open' | 'complete' | 'expired';
  paymentStatus: 'paid' | 'unpaid';
  intentId: string | null;
};

export type FakeProvider = {
  /** For STRIPE_HOST. */
  readonly url: string;
  readonly env: Readonly<Record<string, string>>;
  readonly intents: FakeIntent[];
  readonly pages: FakePage[];
  /** Pays a page, as its button does; `process` leaves the money to come later. */
  readonly pay: (page: FakePage, how?: 'accept' | 'process') => FakeIntent;
  /** Saves a card, or another method, as the button of a page in mode `setup` does. */
  readonly save: (page: FakePage, method?: object) => void;
  /** Methods that are not to be charged any more. */
  readonly forgotten: string[];
  /** Each call that came, in order. */
  readonly calls: Call[];
  /** Lets the next calls of a kind misbehave, one after the other. */
  readonly fail: (call: Call, ...faults: Fault[]) => void;
  /** How intents end from now on. */
  readonly decide: (verdict: Verdict) => void;
  /** Does something before a call is looked at. */
  readonly before: (call: Call, work: () => Promise<unknown>) => void;
  /** Methods by id; any other `pm_…` is a card of `cus_1`. */
  readonly methods: Map<string, { type: string; customer: string | null } | 'unknown'>;
  /** Ends a processing intent, or takes back what was accepted. */
  readonly turn: (intent: FakeIntent, status: string) => void;
  /** A signed callback: its body and headers. */
  readonly callback: (
    type: string,
    object: object,
    options?: { secret?: string; at?: Date },
  ) => { body: string; headers: Record<string, string> };
  /** Ends every call that hangs. */
  readonly letGo: () => void;
  readonly close: () => Promise<void>;
};

const SECRET_KEY = 'sk_test_of_the_tests';
const WEBHOOK_SECRET = 'whsec_of_the_tests';

/**
 * A server on this machine that speaks as much of Stripe's API as is used: form-encoded requests, JSON answers,
 * errors in its form, and idempotency keys whose first answer, good or bad, is given again.
 */
export async function startProvider(): Promise<FakeProvider> {
  const intents: FakeIntent[] = [];
  const pages: FakePage[] = [];
  const forgotten: string[] = [];
  let origin = '';
  const calls: Call[] = [];
  const faults = new Map<Call, Fault[]>();
  const works = new Map<Call, () => Promise<unknown>>();
  const answers = new Map<string, { status: number; body: object }>();
  const methods: FakeProvider['methods'] = new Map();
  const hanging = new Set<ServerResponse>();
  let verdict: Verdict = 'accept';

  const server = createServer((request, response) => {
    void answer(request, response).catch(() => response.destroy());
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const form = new URLSearchParams(await text(request));
    const { method = '', url = '' } = request;
    if (url.startsWith('/pay/')) return showPage(response, method, url.slice('/pay/'.length));
    const parts = url.split('?', 1)[0]?.split('/').slice(2) ?? [];
    const call = callOf(method, parts);
    if (call === undefined)
      return send(response, { status: 404, body: wrong('invalid_request_error', 'no such path') });
    calls.push(call);
    await works.get(call)?.();
    const fault = faults.get(call)?.shift();
    if (fault === 'hang') return void hanging.add(response);
    if (fault === '500') return send(response, { status: 500, body: wrong('api_error', 'An error.') });
    if (fault === '401' || request.headers.authorization !== `Bearer ${SECRET_KEY}`) {
      return send(response, { status: 401, body: wrong('invalid_request_error', `Invalid API Key: ${SECRET_KEY}`) });
    }
    if (fault === 'refuse')
      return send(response, { status: 400, body: wrong('invalid_request_error', 'Not like this.') });
    const key = request.headers['idempotency-key'];
    const known = typeof key === 'string' ? answers.get(key) : undefined;
    const id = parts[0] === 'checkout' ? parts[2] : parts[1];
    const result = known ?? perform(call, id ?? '', form);
    if (typeof key === 'string') answers.set(key, result);
    if (fault === 'hang after') return void hanging.add(response);
    if (fault === '500 after') return send(response, { status: 500, body: wrong('api_error', 'An error.') });
    send(response, result);
  }

  function perform(call: Call, id: string, form: URLSearchParams): { status: number; body: object } {
    if (call === 'method') {
      const method = methods.get(id) ?? (id.startsWith('pm_') ? { type: 'card', customer: 'cus_1' } : 'unknown');
      if (method === 'unknown') return missing('payment_method', id);
      return { status: 200, body: { id, object: 'payment_method', ...method } };
    }
    if (call === 'forget') {
      forgotten.push(id);
      return { status: 200, body: { id, object: 'payment_method', type: 'card', customer: null } };
    }
    if (call === 'page') {
      const page: FakePage = {
        mode: form.get('mode') ?? '',
        kinds: form.get('allowed_payment_method_types[0]') ?? '',
        customer: form.get('customer') ?? (form.get('customer_creation') === 'always' ? 'cus_new' : null),
        method: null,
        id: `cs_${randomUUID().replaceAll('-', '')}`,
        url: `${origin}/pay/${pages.length}`,
        key: form.get('client_reference_id') ?? '',
        amount: Number(form.get('line_items[0][price_data][unit_amount]')),
        currency: form.get('line_items[0][price_data][currency]') ?? '',
        paidUrl: form.get('success_url') ?? '',
        leftUrl: form.get('cancel_url') ?? '',
        endsAt: new Date(Number(form.get('expires_at')) * 1_000),
        status: 'open',
        paymentStatus: 'unpaid',
        intentId: null,
      };
      pages.push(page);
      return { status: 200, body: pageBody(page) };
    }
    if (call === 'read page' || call === 'end page') {
      const page = pages.find((known) => known.id === id);
      if (page === undefined) return missing('checkout.session', id);
      if (call === 'end page') {
        if (page.status !== 'open') {
          return { status: 400, body: wrong('invalid_request_error', `This session is ${page.status}.`) };
        }
        page.status = 'expired';
      }
      return { status: 200, body: pageBody(page) };
    }
    if (call === 'create') {
      const intent: FakeIntent = {
        id: `pi_${randomUUID().replaceAll('-', '')}`,
        amount: Number(form.get('amount')),
        currency: form.get('currency') ?? '',
        paymentMethod: form.get('payment_method') ?? '',
        customer: form.get('customer'),
        attempt: form.get('metadata[platen_attempt]') ?? '',
        status: 'requires_confirmation',
        failure: null,
        charges: 0,
      };
      intents.push(intent);
      return { status: 200, body: bodyOf(intent) };
    }
    const intent = intents.find((known) => known.id === id);
    if (intent === undefined) return missing('payment_intent', id);
    if (call === 'confirm') return confirm(intent);
    if (call === 'cancel') {
      if (intent.status === 'succeeded' || intent.status === 'processing') return unexpected(intent);
      intent.status = 'canceled';
    }
    return { status: 200, body: bodyOf(intent) };
  }

  function confirm(intent: FakeIntent): { status: number; body: object } {
    if (intent.status !== 'requires_confirmation') return unexpected(intent);
    if (verdict === 'decline' || verdict === 'require action') {
      intent.status = 'requires_payment_method';
      intent.failure = verdict === 'decline' ? 'Your card was declined.' : 'This payment needs authentication.';
      const error = wrong('card_error', intent.failure, { payment_intent: bodyOf(intent), code: 'card_declined' });
      return { status: 402, body: error };
    }
    intent.status = verdict === 'process' ? 'processing' : 'succeeded';
    intent.charges += 1;
    return { status: 200, body: bodyOf(intent) };
  }

  function pay(page: FakePage, how: 'accept' | 'process' = 'accept'): FakeIntent {
    const intent: FakeIntent = {
      id: `pi_${randomUUID().replaceAll('-', '')}`,
      amount: page.amount,
      currency: page.currency,
      paymentMethod: 'pm_of_the_page',
      customer: null,
      attempt: '',
      pageKey: page.key,
      status: how === 'accept' ? 'succeeded' : 'processing',
      failure: null,
      charges: 1,
    };
    intents.push(intent);
    page.status = 'complete';
    page.paymentStatus = how === 'accept' ? 'paid' : 'unpaid';
    page.intentId = intent.id;
    return intent;
  }

  function save(page: FakePage, method?: object): void {
    const number = String(pages.indexOf(page)).padStart(4, '0');
    page.method = method ?? {
      id: `pm_saved_${number}`,
      object: 'payment_method',
      type: page.kinds,
      customer: page.customer,
      ...(page.kinds === 'card'
        ? { card: { brand: 'visa', last4: number, exp_month: 4, exp_year: 2031 } }
        : { bacs_debit: { last4: number } }),
    };
    page.status = 'complete';
  }

  /** What a person sees, and what its button does. */
  function showPage(response: ServerResponse, method: string, number: string): void {
    const page = pages[Number(number)];
    if (page === undefined) return void response.writeHead(404).end();
    if (method === 'POST') {
      if (page.status === 'open') (page.mode === 'setup' ? save : pay)(page);
      return void response.writeHead(303, { location: page.paidUrl }).end();
    }
    const text = `<!doctype html><html lang="en"><title>Pay</title><form method="post"><button>${page.mode === 'setup' ? 'Save' : `Pay ${page.amount} pence`}</button></form><a href="${page.leftUrl}">Back</a></html>`;
    response.writeHead(200, { 'content-type': 'text/html' }).end(text);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}`;
  // Another site than the service's, as the provider's is.
  origin = `http://localhost:${port}`;
  const letGo = (): void => {
    for (const response of hanging) response.destroy();
    hanging.clear();
  };
  return {
    url,
    env: { STRIPE_HOST: url, STRIPE_SECRET_KEY: SECRET_KEY, STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET },
    intents,
    pages,
    pay,
    save,
    forgotten,
    calls,
    fail: (call, ...next) => faults.set(call, next),
    decide: (next) => {
      verdict = next;
    },
    before: (call, work) => works.set(call, work),
    methods,
    turn: (intent, status) => {
      intent.status = status;
      if (status === 'requires_payment_method') intent.failure = 'The bank sent it back.';
    },
    callback: (type, object, { secret = WEBHOOK_SECRET, at = new Date() } = {}) => {
      const body = JSON.stringify({ id: `evt_${randomUUID()}`, object: 'event', type, data: { object } });
      const seconds = Math.floor(at.getTime() / 1_000);
      const signature = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex');
      return {
        body,
        headers: { 'content-type': 'application/json', 'stripe-signature': `t=${seconds},v1=${signature}` },
      };
    },
    letGo,
    close: async () => {
      letGo();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function callOf(method: string, [collection, id, action, rest]: readonly string[]): Call | undefined {
  if (collection === 'payment_methods') {
    if (method === 'POST') return action === 'detach' ? 'forget' : undefined;
    return id === undefined ? undefined : 'method';
  }
  if (collection === 'checkout' && id === 'sessions') return pageCallOf(method, action, rest);
  if (collection !== 'payment_intents') return undefined;
  if (method === 'GET') return id !== undefined && action === undefined ? 'read' : undefined;
  if (method !== 'POST') return undefined;
  if (id === undefined) return 'create';
  return action === 'confirm' || action === 'cancel' ? action : undefined;
}

/** The path has one part more than those of others. */
function pageCallOf(method: string, id: string | undefined, action: string | undefined): Call | undefined {
  if (method === 'GET') return id !== undefined && action === undefined ? 'read page' : undefined;
  if (id === undefined) return 'page';
  return action === 'expire' ? 'end page' : undefined;
}

function pageBody(page: FakePage): object {
  const { id, status, amount, currency, intentId, paymentStatus } = page;
  const url = status === 'open' ? page.url : null;
  if (page.mode === 'setup') {
    const intent = page.method && {
      id: 'seti_1',
      object: 'setup_intent',
      status: 'succeeded',
      payment_method: page.method,
    };
    return {
      id,
      object: 'checkout.session',
      mode: 'setup',
      status,
      url,
      payment_status: 'no_payment_required',
      setup_intent: intent,
    };
  }
  const at = { url, amount_total: amount, currency, payment_intent: intentId, payment_status: paymentStatus };
  return { id, object: 'checkout.session', mode: 'payment', status, ...at };
}

function bodyOf(intent: FakeIntent): object {
  const { id, amount, currency, status, customer, failure, pageKey } = intent;
  const metadata = pageKey === undefined ? {} : { platen_top_up: pageKey };
  const last_payment_error = failure === null ? null : { type: 'card_error', message: failure };
  return { id, object: 'payment_intent', amount, currency, status, customer, metadata, last_payment_error };
}

function wrong(type: string, message: string, more: object = {}): object {
  return { error: { type, message, ...more } };
}

function missing(what: string, id: string): { status: number; body: object } {
  return {
    status: 404,
    body: wrong('invalid_request_error', `No such ${what}: '${id}'`, { code: 'resource_missing' }),
  };
}

function unexpected(intent: FakeIntent): { status: number; body: object } {
  const more = { code: 'payment_intent_unexpected_state', payment_intent: bodyOf(intent) };
  return { status: 400, body: wrong('invalid_request_error', `This PaymentIntent is ${intent.status}.`, more) };
}

function send(response: ServerResponse, answer: { status: number; body: object }): void {
  response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body));
}

/** A dispute of a payment as it stands in callbacks: of all of it, unless they say otherwise. */
export function disputeOf(intent: Pick<FakeIntent, 'id' | 'amount'>, changes: object = {}): object {
  const { id: payment_intent, amount } = intent;
  return {
    id: 'dp_1',
    object: 'dispute',
    payment_intent,
    amount,
    currency: 'gbp',
    status: 'needs_response',
    ...changes,
  };
}

/**
 * What a dispute has moved so far, as its callbacks list it: below zero what was taken, above what was given back.
 * The provider's fee stands beside an amount and is no part of it.
 */
export function movedBy(...amounts: readonly number[]): { balance_transactions: object[] } {
  const balance_transactions = amounts.map((amount, index) => ({
    id: `txn_${index + 1}`,
    object: 'balance_transaction',
    amount,
    available_on: 1_767_225_600,
    created: 1_766_620_800,
    currency: 'gbp',
    description: amount < 0 ? 'Chargeback withdrawal' : 'Chargeback reversal',
    exchange_rate: null,
    fee: amount < 0 ? 2_000 : 0,
    fee_details: [],
    net: amount < 0 ? amount - 2_000 : amount,
    reporting_category: amount < 0 ? 'dispute' : 'dispute_reversal',
    source: 'dp_1',
    status: 'available',
    type: 'adjustment',
  }));
  return { balance_transactions };
}
