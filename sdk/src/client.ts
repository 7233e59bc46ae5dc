import { type Body, type CallOptions, type ClientOptions, createCall, type Query, type Reply } from './call.ts';
import { isPlatenError } from './errors.ts';
import { iteratePages } from './pages.ts';
import { type Placement, placeOrder } from './place-order.ts';

type Item<
  List extends
    | 'listOrders'
    | 'listProblems'
    | 'listProducts'
    | 'listBrands'
    | 'listWebhooks'
    | 'listEvents'
    | 'listTransactions',
> = Reply<List>['data'][number];
type CatalogueItem<List extends 'listBaseProducts' | 'listStock'> = Reply<List>['data'][number];

/**
 * Every operation of the API. Each throws `PlatenError` when the service refuses, `PlatenConnectionError` without an
 * answer.
 */
export type Client = {
  readonly orders: {
    /**
     * Places an order: it is priced, charged and made; there is no sandbox. Look at `kind` of what comes back, for an
     * order can exist without being paid. Retried safely under `external_reference`, which is made up where there is
     * none.
     */
    place(body: Body<'placeOrder'>, options?: CallOptions): Promise<Placement>;
    /** Prices a basket with the same body and rules as `place`; charges, keeps and reserves nothing. */
    estimate(body: Body<'estimateOrder'>, options?: CallOptions): Promise<Reply<'estimateOrder'>>;
    /** Fetches an order by its id or reference. */
    get(idOrReference: string, options?: CallOptions): Promise<Reply<'getOrder'>>;
    /** A page of the account's orders, newest first, of all sources. */
    list(query?: Query<'listOrders'>, options?: CallOptions): Promise<Reply<'listOrders'>>;
    /** Every order, page after page. */
    iterate(query?: Query<'listOrders'>, options?: CallOptions): AsyncGenerator<Item<'listOrders'>, void, undefined>;
    /**
     * Cancels an order within an hour of its placing and refunds it in full. `pending_manual_refund` of the answer
     * says what is still owed. Cancelling again is harmless.
     */
    cancel(idOrReference: string, options?: CallOptions): Promise<Reply<'cancelOrder'>>;
    /**
     * Asks the shop to cancel an order whose window is over. The order goes on; `cancellation_request` of it has the
     * answer. Again is harmless.
     */
    askToCancel(idOrReference: string, body: Body<'askToCancel'>, options?: CallOptions): Promise<Reply<'askToCancel'>>;
    /** Withdraws the request to cancel before it is answered. Again is harmless. */
    withdrawCancellationRequest(
      idOrReference: string,
      options?: CallOptions,
    ): Promise<Reply<'withdrawCancellationRequest'>>;
    /** Changes the delivery address within the window in which the order could be cancelled; the price stays. */
    changeAddress(
      idOrReference: string,
      body: Body<'changeOrderAddress'>,
      options?: CallOptions,
    ): Promise<Reply<'changeOrderAddress'>>;
    /**
     * Replaces the artwork of a print area that failed, until its line starts; the price stays. Again with the same
     * picture is harmless.
     */
    replaceArtwork(
      idOrReference: string,
      lineId: string,
      body: Body<'replaceArtwork'>,
      options?: CallOptions,
    ): Promise<Reply<'replaceArtwork'>>;
    /** The VAT invoice of a paid order. */
    invoice(idOrReference: string, options?: CallOptions): Promise<Reply<'getInvoice'>>;
    /** A page of the credit notes of an order, the latest first. */
    creditNotes(
      idOrReference: string,
      query?: Query<'listCreditNotes'>,
      options?: CallOptions,
    ): Promise<Reply<'listCreditNotes'>>;
    /** One credit note of an order. */
    creditNote(idOrReference: string, id: string, options?: CallOptions): Promise<Reply<'getCreditNote'>>;
  };
  readonly problems: {
    /**
     * Reports a problem with shipped pieces of an order. Give it an `external_reference`, and sending it again reports
     * nothing anew.
     */
    report(idOrReference: string, body: Body<'reportProblem'>, options?: CallOptions): Promise<Reply<'reportProblem'>>;
    /** The problems of an order, and what of it can be reported now. */
    ofOrder(idOrReference: string, options?: CallOptions): Promise<Reply<'listOrderProblems'>>;
    /** A page of the problems of all orders, newest first. */
    list(query?: Query<'listProblems'>, options?: CallOptions): Promise<Reply<'listProblems'>>;
    /** Every problem, page after page. */
    iterate(
      query?: Query<'listProblems'>,
      options?: CallOptions,
    ): AsyncGenerator<Item<'listProblems'>, void, undefined>;
    /** Fetches a problem, with what the shop has answered. */
    get(id: string, options?: CallOptions): Promise<Reply<'getProblem'>>;
    /** Withdraws a problem that is not answered. Again is harmless. */
    withdraw(id: string, options?: CallOptions): Promise<Reply<'withdrawProblem'>>;
  };
  readonly products: {
    /** Fetches a product. */
    get(id: string, options?: CallOptions): Promise<Reply<'getProduct'>>;
    /** A page of the products that are not archived, newest first. */
    list(query?: Query<'listProducts'>, options?: CallOptions): Promise<Reply<'listProducts'>>;
    /** Every product that is not archived, page after page. */
    iterate(
      query?: Query<'listProducts'>,
      options?: CallOptions,
    ): AsyncGenerator<Item<'listProducts'>, void, undefined>;
    /**
     * Makes a product from designs that are fetched by URL, all or nothing. Not sent again once its answer was lost.
     */
    create(body: Body<'createProduct'>, options?: CallOptions): Promise<Reply<'createProduct'>>;
    /** Changes what is sent, and nothing else. */
    update(id: string, body: Body<'updateProduct'>, options?: CallOptions): Promise<Reply<'updateProduct'>>;
    /** Archives a product: it can no longer be ordered or changed. */
    archive(id: string, options?: CallOptions): Promise<void>;
    /** What a buyer can fill in of a personalised product. */
    personalisation(id: string, options?: CallOptions): Promise<Reply<'getPersonalisation'>>;
    /** A picture of what would be printed for a buyer's inputs, for an hour. */
    preview(
      id: string,
      body: Body<'previewPersonalisation'>,
      options?: CallOptions,
    ): Promise<Reply<'previewPersonalisation'>>;
  };
  readonly brands: {
    /** Fetches a brand. */
    get(id: string, options?: CallOptions): Promise<Reply<'getBrand'>>;
    /** A page of the brands that are not archived, newest first. */
    list(query?: Query<'listBrands'>, options?: CallOptions): Promise<Reply<'listBrands'>>;
    /** Every brand that is not archived, page after page. */
    iterate(query?: Query<'listBrands'>, options?: CallOptions): AsyncGenerator<Item<'listBrands'>, void, undefined>;
    /** Makes a brand; its logo is fetched by URL. Not sent again once its answer was lost. */
    create(body: Body<'createBrand'>, options?: CallOptions): Promise<Reply<'createBrand'>>;
    /** Changes what is sent, and nothing else; placed orders keep what they were placed with. */
    update(id: string, body: Body<'updateBrand'>, options?: CallOptions): Promise<Reply<'updateBrand'>>;
    /** Archives a brand: no order can name it any more. */
    archive(id: string, options?: CallOptions): Promise<void>;
  };
  readonly catalogue: {
    /** A page of the base products on offer. */
    list(query?: Query<'listBaseProducts'>, options?: CallOptions): Promise<Reply<'listBaseProducts'>>;
    /** Every base product, page after page. */
    iterate(
      query?: Query<'listBaseProducts'>,
      options?: CallOptions,
    ): AsyncGenerator<CatalogueItem<'listBaseProducts'>, void, undefined>;
    /** Fetches a base product. */
    get(id: string, options?: CallOptions): Promise<Reply<'getBaseProduct'>>;
    /** The print areas of a base product, with the size of their templates. */
    printAreas(id: string, options?: CallOptions): Promise<Reply<'listPrintAreas'>>;
    /** What a base product costs: blanks, prints, setups and their breaks. */
    prices(id: string, options?: CallOptions): Promise<Reply<'getPrices'>>;
    /** A page of what can be ordered now, by blank variant. */
    stock(query?: Query<'listStock'>, options?: CallOptions): Promise<Reply<'listStock'>>;
    /** The stock of every blank variant, page after page. */
    iterateStock(
      query?: Query<'listStock'>,
      options?: CallOptions,
    ): AsyncGenerator<CatalogueItem<'listStock'>, void, undefined>;
  };
  readonly uploads: {
    /** Checks artwork addresses as an order would. `valid` is true only if every one passed. */
    validate(body: Body<'validateUploads'>, options?: CallOptions): Promise<Reply<'validateUploads'>>;
  };
  readonly webhooks: {
    /** Subscribes a URL to events. The secret is in this answer alone. Not sent again once its answer was lost. */
    create(body: Body<'createWebhook'>, options?: CallOptions): Promise<Reply<'createWebhook'>>;
    /** Fetches a subscription with its recent deliveries. */
    get(id: string, options?: CallOptions): Promise<Reply<'getWebhook'>>;
    /** A page of the account's subscriptions, newest first. */
    list(query?: Query<'listWebhooks'>, options?: CallOptions): Promise<Reply<'listWebhooks'>>;
    /** Every subscription, page after page. */
    iterate(
      query?: Query<'listWebhooks'>,
      options?: CallOptions,
    ): AsyncGenerator<Item<'listWebhooks'>, void, undefined>;
    /** Changes, pauses or resumes a subscription. */
    update(id: string, body: Body<'changeWebhook'>, options?: CallOptions): Promise<Reply<'changeWebhook'>>;
    /** Removes a subscription for good. */
    remove(id: string, options?: CallOptions): Promise<void>;
    /** A page of what was sent to a subscription, newest first, by status and event. */
    deliveries(
      id: string,
      query?: Query<'listWebhookDeliveries'>,
      options?: CallOptions,
    ): Promise<Reply<'listWebhookDeliveries'>>;
    /** Every delivery of a subscription, page after page. */
    iterateDeliveries(
      id: string,
      query?: Query<'listWebhookDeliveries'>,
      options?: CallOptions,
    ): AsyncGenerator<Reply<'listWebhookDeliveries'>['data'][number], void, undefined>;
    /** Fetches a delivery with its request. */
    delivery(id: string, deliveryId: string, options?: CallOptions): Promise<Reply<'getWebhookDelivery'>>;
    /** Sends the event of a delivery again, or brings its next attempt forward. */
    redeliver(id: string, deliveryId: string, options?: CallOptions): Promise<Reply<'redeliverWebhook'>>;
    /** Sends a made-up event now; returns what was sent and how it was answered. */
    test(id: string, body?: Body<'testWebhook'>, options?: CallOptions): Promise<Reply<'testWebhook'>>;
    /** Replaces the signing secret, with a day in which both sign. The new one is in this answer alone. */
    rotateSecret(id: string, options?: CallOptions): Promise<Reply<'rotateWebhookSecret'>>;
    /** Sends the events of a span of time again; with `dry_run` it only counts them. */
    replay(id: string, body: Body<'replayWebhook'>, options?: CallOptions): Promise<Reply<'replayWebhook'>>;
    /** A page of the replays of a subscription, newest first. */
    replays(
      id: string,
      query?: Query<'listWebhookReplays'>,
      options?: CallOptions,
    ): Promise<Reply<'listWebhookReplays'>>;
    /** Fetches a replay. */
    getReplay(id: string, replayId: string, options?: CallOptions): Promise<Reply<'getWebhookReplay'>>;
    /** Pauses, resumes or cancels a replay. */
    updateReplay(
      id: string,
      replayId: string,
      body: Body<'changeWebhookReplay'>,
      options?: CallOptions,
    ): Promise<Reply<'changeWebhookReplay'>>;
  };
  readonly events: {
    /**
     * A page of the log of events, oldest first. To go on at its end, where `next_cursor` is null, give the id of the
     * last event as `cursor`.
     */
    list(query?: Query<'listEvents'>, options?: CallOptions): Promise<Reply<'listEvents'>>;
    /** Every event up to now, page after page. */
    iterate(query?: Query<'listEvents'>, options?: CallOptions): AsyncGenerator<Item<'listEvents'>, void, undefined>;
  };
  readonly account: {
    /** What the account has to spend. */
    balance(options?: CallOptions): Promise<Reply<'getBalance'>>;
    /** The balance as it was at a past time, ISO 8601 in UTC. */
    balanceAt(at: string, options?: CallOptions): Promise<Reply<'getBalance'>>;
    /** Whom the invoices of the account are addressed to. */
    billing(options?: CallOptions): Promise<Reply<'getBilling'>>;
    /** A page of the statement of the balance, the latest entry first. */
    transactions(query?: Query<'listTransactions'>, options?: CallOptions): Promise<Reply<'listTransactions'>>;
    /** The whole statement, page after page. */
    iterateTransactions(
      query?: Query<'listTransactions'>,
      options?: CallOptions,
    ): AsyncGenerator<Item<'listTransactions'>, void, undefined>;
  };
  readonly quotes: {
    /** Live shipping rates: the service answers `not_implemented` today; `orders.estimate` prices a basket. */
    shipping(body: Body<'quoteShipping'>, options?: CallOptions): Promise<Reply<'quoteShipping'>>;
    /** Live tax rates: the service answers `not_implemented` today; `orders.estimate` prices a basket. */
    tax(body: Body<'quoteTax'>, options?: CallOptions): Promise<Reply<'quoteTax'>>;
  };
};

/**
 * A client of the service at `baseUrl`, for servers: in a browser it throws, since every token can spend the account's
 * money. Keeps nothing but its options. Throws a TypeError for options that cannot work.
 */
export function createClient(options: ClientOptions): Client {
  refuseBrowser();
  const call = createCall(options);
  const value = async <Value>(answer: Promise<{ readonly value: Value }>): Promise<Value> => (await answer).value;

  const listOrders: Client['orders']['list'] = (query, options) => value(call('listOrders', { query }, options));
  const listProducts: Client['products']['list'] = (query, options) => value(call('listProducts', { query }, options));
  const listBrands: Client['brands']['list'] = (query, options) => value(call('listBrands', { query }, options));
  const listProblems: Client['problems']['list'] = (query, options) => value(call('listProblems', { query }, options));
  const listWebhooks: Client['webhooks']['list'] = (query, options) => value(call('listWebhooks', { query }, options));
  const listDeliveries: Client['webhooks']['deliveries'] = (id, query, options) =>
    value(call('listWebhookDeliveries', { path: { id }, query }, options));
  const listEvents: Client['events']['list'] = (query, options) => value(call('listEvents', { query }, options));
  const listBaseProducts: Client['catalogue']['list'] = (query, options) =>
    value(call('listBaseProducts', { query }, options));
  const listStock: Client['catalogue']['stock'] = (query, options) => value(call('listStock', { query }, options));
  const listTransactions: Client['account']['transactions'] = (query, options) =>
    value(call('listTransactions', { query }, options));

  return {
    orders: {
      place: (body, options = {}) => placeOrder(call, body, options),
      estimate: (body, options) => value(call('estimateOrder', { body }, options)),
      get: (id, options) => value(call('getOrder', { path: { id } }, options)),
      list: listOrders,
      iterate: (query = {}, options) => iteratePages((page) => listOrders(page, options), query),
      cancel: (id, options) => value(call('cancelOrder', { path: { id } }, options)),
      askToCancel: (id, body, options) => value(call('askToCancel', { path: { id }, body }, options)),
      withdrawCancellationRequest: (id, options) =>
        value(call('withdrawCancellationRequest', { path: { id } }, options)),
      changeAddress: (id, body, options) => value(call('changeOrderAddress', { path: { id }, body }, options)),
      replaceArtwork: (id, lineId, body, options) =>
        value(call('replaceArtwork', { path: { id, line: lineId }, body }, options)),
      invoice: (id, options) => value(call('getInvoice', { path: { id } }, options)),
      creditNotes: (id, query, options) => value(call('listCreditNotes', { path: { id }, query }, options)),
      creditNote: (id, noteId, options) =>
        value(call('getCreditNote', { path: { id, credit_note_id: noteId } }, options)),
    },
    problems: {
      report: (id, body, options) => value(call('reportProblem', { path: { id }, body }, options)),
      ofOrder: (id, options) => value(call('listOrderProblems', { path: { id } }, options)),
      list: listProblems,
      iterate: (query = {}, options) => iteratePages((page) => listProblems(page, options), query),
      get: (id, options) => value(call('getProblem', { path: { id } }, options)),
      withdraw: (id, options) => value(call('withdrawProblem', { path: { id } }, options)),
    },
    products: {
      get: (id, options) => value(call('getProduct', { path: { id } }, options)),
      list: listProducts,
      iterate: (query = {}, options) => iteratePages((page) => listProducts(page, options), query),
      create: (body, options) => value(call('createProduct', { body }, options)),
      update: (id, body, options) => value(call('updateProduct', { path: { id }, body }, options)),
      archive: (id, options) => value(call('archiveProduct', { path: { id } }, options)),
      personalisation: (id, options) => value(call('getPersonalisation', { path: { id } }, options)),
      preview: (id, body, options) => value(call('previewPersonalisation', { path: { id }, body }, options)),
    },
    brands: {
      get: (id, options) => value(call('getBrand', { path: { id } }, options)),
      list: listBrands,
      iterate: (query = {}, options) => iteratePages((page) => listBrands(page, options), query),
      create: (body, options) => value(call('createBrand', { body }, options)),
      update: (id, body, options) => value(call('updateBrand', { path: { id }, body }, options)),
      archive: (id, options) => value(call('archiveBrand', { path: { id } }, options)),
    },
    catalogue: {
      list: listBaseProducts,
      iterate: (query = {}, options) => iteratePages((page) => listBaseProducts(page, options), query),
      get: (id, options) => value(call('getBaseProduct', { path: { id } }, options)),
      printAreas: (id, options) => value(call('listPrintAreas', { path: { id } }, options)),
      prices: (id, options) => value(call('getPrices', { path: { id } }, options)),
      stock: listStock,
      iterateStock: (query = {}, options) => iteratePages((page) => listStock(page, options), query),
    },
    uploads: {
      validate: (body, options) => value(call('validateUploads', { body }, options)),
    },
    webhooks: {
      create: (body, options) => value(call('createWebhook', { body }, options)),
      get: (id, options) => value(call('getWebhook', { path: { id } }, options)),
      list: listWebhooks,
      iterate: (query = {}, options) => iteratePages((page) => listWebhooks(page, options), query),
      update: (id, body, options) => value(call('changeWebhook', { path: { id }, body }, options)),
      remove: (id, options) => removeWebhook(call, id, options),
      deliveries: listDeliveries,
      iterateDeliveries: (id, query = {}, options) => iteratePages((page) => listDeliveries(id, page, options), query),
      delivery: (id, delivery, options) => value(call('getWebhookDelivery', { path: { id, delivery } }, options)),
      redeliver: (id, delivery, options) => value(call('redeliverWebhook', { path: { id, delivery } }, options)),
      test: (id, body = {}, options) => value(call('testWebhook', { path: { id }, body }, options)),
      rotateSecret: (id, options) => value(call('rotateWebhookSecret', { path: { id } }, options)),
      replay: (id, body, options) => value(call('replayWebhook', { path: { id }, body }, options)),
      replays: (id, query, options) => value(call('listWebhookReplays', { path: { id }, query }, options)),
      getReplay: (id, replay, options) => value(call('getWebhookReplay', { path: { id, replay } }, options)),
      updateReplay: (id, replay, body, options) =>
        value(call('changeWebhookReplay', { path: { id, replay }, body }, options)),
    },
    events: {
      list: listEvents,
      iterate: (query = {}, options) => iteratePages((page) => listEvents(page, options), query),
    },
    account: {
      balance: (options) => value(call('getBalance', {}, options)),
      balanceAt: (at, options) => value(call('getBalance', { query: { at } }, options)),
      billing: (options) => value(call('getBilling', {}, options)),
      transactions: listTransactions,
      iterateTransactions: (query = {}, options) => iteratePages((page) => listTransactions(page, options), query),
    },
    quotes: {
      shipping: (body, options) => value(call('quoteShipping', { body }, options)),
      tax: (body, options) => value(call('quoteTax', { body }, options)),
    },
  };
}

/** A removal is 404 the second time: after a lost answer that is no error, for the subscription is gone either way. */
async function removeWebhook(call: ReturnType<typeof createCall>, id: string, options?: CallOptions): Promise<void> {
  try {
    await call('removeWebhook', { path: { id } }, options);
  } catch (error) {
    if (!isPlatenError(error, 'not_found') || error.lostAnswers === 0) throw error;
  }
}

function refuseBrowser(): void {
  if (!('window' in globalThis && 'document' in globalThis)) return;
  throw new Error(
    'This client is not for browsers: whoever sees the page would have a token that can spend the money of the account. ' +
      'Call it from a server. (A test that has a document of its own should run in the plain environment of the runtime.)',
  );
}
