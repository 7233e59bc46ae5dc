import { readFileSync } from 'node:fs';
import type pg from 'pg';
import { type IdPrefix, publicId, type Uuid } from '../../src/lib/ids.ts';

// What is read over HTTP: every GET of both documents, with each of its filters. A read is written as the path of its
// operation with a sample in each place: `/orders/{id=order}`. What no document has, or what is left out, is an error.

export type Api = 'api' | 'ops';
type Read = { readonly api: Api; readonly text: string };

const day = 'from={day}&to={day}';

const API_READS = [
  '/catalog/products',
  '/catalog/products/{id=base}',
  '/catalog/products/{id=base}/print-areas',
  '/catalog/products/{id=base}/prices',
  '/stock',
  '/stock?variant_sku={sku}',
  '/products',
  '/products?format=csv',
  '/products/{id=product}',
  '/products/{id=personalised}/personalisation',
  '/brands',
  '/brands?format=csv',
  '/brands?cursor={brand}',
  '/brands/{id=brand}',
  '/orders',
  '/orders?limit=100',
  '/orders?limit=100&format=csv',
  '/orders?cursor={order}',
  '/orders?sort=oldest',
  '/orders?sort=oldest&cursor=oldest_{order}',
  '/orders?sort=oldest&status=dispatched',
  '/orders?sort=oldest&updated_since={longAgo}',
  '/orders?status=confirmed',
  '/orders?status=in_production',
  '/orders?status=cancelled&cursor={order}',
  '/orders?type=sample',
  '/orders?type=sample&status=dispatched&cursor={order}',
  '/orders?placed_since={longAgo}&placed_before={yesterday}',
  '/orders?external_reference={external}',
  '/orders?number={external}',
  '/orders?blocked_by=anything',
  '/orders?blocked_by=payment',
  '/orders?blocked_by=hold&cursor={order}',
  '/orders?blocked_by=artwork',
  '/orders?updated_since={yesterday}',
  '/orders?updated_since={longAgo}&status=dispatched',
  '/orders/{id=order}',
  '/orders/{id=reference}',
  '/orders/{id=order}/invoice',
  '/orders/{id=shipped}/problems',
  '/problems',
  '/problems?format=csv',
  '/problems?cursor={problem}',
  '/problems?status=open',
  '/problems/{id=problem}',
  '/orders/{id=credited}/credit-notes',
  '/orders/{id=credited}/credit-notes/{credit_note_id=note}',
  '/account/balance',
  '/account/balance?at={yesterday}',
  '/account/transactions',
  '/account/transactions?cursor={transaction}',
  '/account/billing',
  '/webhooks',
  '/webhooks?format=csv',
  '/webhooks/{id=webhook}',
  '/webhooks/{id=webhook}/deliveries',
  '/webhooks/{id=webhook}/deliveries?format=csv',
  '/webhooks/{id=webhook}/deliveries?cursor={delivery}',
  '/webhooks/{id=webhook}/deliveries?status=abandoned',
  '/webhooks/{id=webhook}/deliveries?since={yesterday}',
  '/webhooks/{id=webhook}/deliveries?until={yesterday}',
  '/webhooks/{id=webhook}/deliveries?status=succeeded&event=order.cancelled',
  '/webhooks/{id=webhook}/deliveries/{delivery=delivery}',
  '/webhooks/{id=webhook}/replays',
  '/webhooks/{id=webhook}/replays/{replay=replay}',
  '/events',
  '/events?format=csv',
  '/events?order={order}',
  '/events?event=order.cancelled',
  '/events?since={yesterday}',
  '/events?sort=newest',
  '/events?sort=newest&order={order}',
  '/events?sort=newest&event=order.cancelled&since={yesterday}',
];

const OPS_READS = [
  '/orders',
  '/orders?limit=100&cursor={order}',
  '/orders?sort=oldest',
  '/orders?state=placed',
  '/orders?state=awaiting_payment',
  '/orders?state=dispatched&cursor={order}',
  '/orders?account={account}&cursor={order}',
  '/orders?account={account}&state=dispatched&sort=oldest',
  '/orders?reference={reference}',
  ...['stock', 'artwork', 'refund', 'payment', 'resume'].map((need) => `/orders?needs=${need}`),
  '/orders?tracking_number={tracking}',
  '/orders?recipient={recipient}',
  '/orders?recipient={lastName}',
  '/orders?postcode={postcode}',
  '/orders?phone={phone}',
  '/orders?email=ada@example.test',
  '/orders?external_reference={external}',
  '/orders?amount_gbp={amount}',
  '/orders?placed_from={day}&placed_to={day}',
  '/orders/{id=order}',
  '/orders/{id=reference}',
  `/invoices`,
  `/invoices?${day}`,
  '/invoices?account={account}',
  '/invoices?number={invoice}',
  '/invoices?kind=credit_note',
  '/orders/{id=order}/invoice',
  '/orders/{id=credited}/credit-notes',
  '/orders/{id=credited}/credit-notes/{credit_note_id=note}',
  '/problems',
  '/problems?status=refused&cursor={problem}',
  '/problems/{id=problem}',
  '/shop-orders',
  '/shop-orders?state=waiting',
  '/shop-orders?state=waiting&cursor={shopOrder}',
  '/shop-orders?reason=on_hold',
  '/shop-orders?reason=on_hold&cursor={shopOrder}',
  '/shop-orders?reason=report_refused',
  '/shop-orders?account={account}',
  '/shop-orders?channel={channel}&state=waiting',
  '/shop-orders/{id=shopOrder}',
  '/channels',
  '/channels?cursor={channel}',
  '/channels?account={account}',
  '/channels?needs=mending',
  '/channels/{id=channel}',
  '/channels/{id=channel}/items',
  '/channels/{id=channel}/items?after=variant',
  '/channels/{id=channel}/products',
  '/channels/{id=channel}/products?cursor={product}',
  '/cancellation-requests',
  '/cancellation-requests?state=refused&cursor={request}',
  '/cancellation-requests/{id=request}',
  '/stock',
  '/stock?sku={sku}',
  '/jobs',
  '/jobs?station=dtg',
  '/jobs?state=in_production',
  '/short-lines',
  '/short-lines?sku={shortSku}',
  '/short-lines?account={account}',
  '/short-lines?waits_for=blanks',
  '/pick-list?ids={released}',
  '/lines/{line=line}',
  '/orders/{id=order}/print-files',
  '/orders/{id=shipped}/packing-slip?shipment={shipment}',
  '/orders/{id=order}/job-sheet',
  '/stock/movements',
  '/stock/movements?sku={sku}',
  '/books/entries',
  '/books/entries?status=proposed',
  '/books/entries?account={account}',
  '/books/entries/{id=entry}',
  '/books/trial-balance?day={day}',
  '/books/reconciliation?day={day}',
  `/books/vat?${day}`,
  `/books/vat/documents?${day}`,
  '/books/journals',
  '/books/journals/{to=journal}',
  '/books/journals/{to=journal}/xero',
  '/books/journals/{to=journal}/sage',
  '/books',
  '/books?at={yesterday}',
  '/books/{account=sales}',
  '/books/{account=sales}?from={day}&to={day}',
  '/accounts/{id=account}/balance',
  '/accounts/{id=account}/balance?at={yesterday}',
  '/accounts/{id=account}/transactions',
  '/accounts/{id=account}/transactions?cursor={transaction}',
  '/exports',
  '/exports?lacking=dispatch',
  '/retention',
  '/tasks',
  '/audit',
  '/audit?order={order}',
  '/accounts',
  '/accounts?name=shop',
  '/accounts?lacks=billing',
  '/accounts/{id=account}',
  '/accounts/{id=account}/tokens',
  '/operators',
  '/operator-tokens',
  '/operator-tokens?email=nobody@example.test',
  '/accounts/{id=account}/users',
  '/accounts/{id=account}/sessions',
  '/accounts/{id=account}/invitations',
  '/accounts/{id=account}/oauth-clients',
  '/oauth-grants?account={account}',
  '/oauth-grants?client={client}',
  '/erasures',
  '/erasures/{id=erasure}',
  '/secrets',
  '/sign-ups',
];

export const READS: readonly Read[] = [
  ...API_READS.map((text) => ({ api: 'api', text }) as const),
  ...OPS_READS.map((text) => ({ api: 'ops', text }) as const),
];

/** A read with the values of a database in it: the path to send, and whether its list goes on by cursors. */
export type ReadyRead = Read & { readonly path: string; readonly hasPages: boolean };

/** Puts the samples of a database into every read. */
export function readsOf(samples: Samples): ReadyRead[] {
  return READS.map((read) => ({ ...read, path: filled(read.text, samples), hasPages: hasPages(read) }));
}

function filled(text: string, samples: Samples): string {
  return text.replaceAll(/\{(?:\w+=)?(\w+)\}/g, (_, name: string) => {
    const value = samples[name];
    if (value === undefined || value === null) throw new Error(`${text}: the database has no sample of ${name}`);
    return encodeURIComponent(value);
  });
}

function hasPages({ api, text }: Read): boolean {
  const names = operations(api).find(({ path }) => path === operationOf(text))?.queries ?? [];
  // A table says where it goes on in a header.
  return names.includes('cursor') && !/cursor=|format=csv/.test(text);
}

/** The path of a read's operation, as the document has it. */
function operationOf(text: string): string {
  return (text.split('?')[0] ?? '').replaceAll(/\{(\w+)=\w+\}/g, '{$1}');
}

type Operation = { readonly api: Api; readonly path: string; readonly queries: readonly string[] };

type Document = {
  readonly paths: Record<
    string,
    { readonly get?: { readonly parameters?: readonly { in?: string; name?: string }[] } }
  >;
};

const DOCUMENTS: Readonly<Record<Api, Document>> = {
  api: committed('openapi'),
  ops: committed('ops-openapi'),
};

function committed(name: string): Document {
  const file = new URL(`../../docs/generated/${name}.json`, import.meta.url);
  return JSON.parse(readFileSync(file, 'utf8')) as Document;
}

function operations(api: Api): Operation[] {
  return Object.entries(DOCUMENTS[api].paths).flatMap(([path, methods]) => {
    if (methods.get === undefined) return [];
    const parameters = methods.get.parameters ?? [];
    return [{ api, path, queries: parameters.filter((one) => one.in === 'query').flatMap(({ name }) => name ?? []) }];
  });
}

/** What the documents have and no read asks for: operations, and filters of lists. */
export function leftOut(): string[] {
  return (['api', 'ops'] as const).flatMap((api) => {
    const texts = READS.filter((read) => read.api === api).map(({ text }) => text);
    const known = operations(api);
    const unknown = texts.filter((text) => !known.some(({ path }) => path === operationOf(text)));
    return [
      ...unknown.map((text) => `${api} ${text} is in no document`),
      ...known.flatMap(({ path, queries }) => {
        const own = texts.filter((text) => operationOf(text) === path);
        if (own.length === 0) return [`${api} GET ${path}`];
        return queries
          .filter((name) => !['limit', 'cursor'].includes(name))
          .filter((name) => !own.some((text) => new RegExp(`[?&]${name}=`).test(text)))
          .map((name) => `${api} GET ${path}?${name}=`);
      }),
    ];
  });
}

const DAY_MS = 86_400_000;

export type Samples = Readonly<Record<string, string | null>>;

/** Values of the largest account of a database, from the middle of its history. */
export async function samplesOf(client: pg.Client): Promise<Samples> {
  const ask = async (text: string, values: unknown[] = []): Promise<Record<string, string | null>> =>
    (await client.query<Record<string, string | null>>(text, values)).rows[0] ?? {};
  const id = (prefix: IdPrefix, value: string | null | undefined): string | null =>
    value ? publicId(prefix, value as Uuid) : null;
  const account = await ask("select id from account where name = 'Shop 1'");
  const { middle } = await ask(
    `select uuid_v7(min(placed_at) + (max(placed_at) - min(placed_at)) / 2)::text as middle from orders where account_id = $1`,
    [account.id],
  );
  const given = [account.id, middle];
  const order = await ask(
    `select o.id, o.reference, o.external_reference, o.total_pence, o.shipping_address ->> 'contact_name' as name,
       o.shipping_address ->> 'postcode' as postcode, l.id as line
     from orders o join order_line l on l.account_id = o.account_id and l.order_id = o.id
     where o.account_id = $1 and o.id > $2 and o.state = 'dispatched' and o.erased_at is null and o.external_reference is not null
       and exists (select from print_job j where j.account_id = o.account_id and j.order_id = o.id and j.print_file_key is not null)
     order by o.id limit 1`,
    given,
  );
  const note = await ask(
    'select order_id, credit_id from credit_note where account_id = $1 and order_id > $2 order by order_id limit 1',
    given,
  );
  const shipment = await ask(
    `select order_id, id, tracking_number,
       (select id from orders o where o.account_id = $1 and o.id < $2 and o.state = 'dispatched' and o.erased_at is null order by id limit 1) as other
     from shipment where account_id = $1 and order_id > $2 and tracking_number <> '' order by order_id limit 1`,
    given,
  );
  const invoice = await ask(
    'select number from invoice where account_id = $1 and order_id > $2 order by order_id limit 1',
    given,
  );
  const product = await ask(
    `select p.id, p.base_product_id,
       (select q.id from product q where q.account_id = $1 and q.personalisation is not null limit 1) as personalised
     from product p where p.account_id = $1 and personalisation is null order by id limit 1`,
    [account.id],
  );
  const posting = await ask(
    'select id from posting where account_id = $1 and id > $2 and entry is not null order by id limit 1',
    given,
  );
  const brand = await ask('select id from brand where account_id = $1 and archived_at is null limit 1', [account.id]);
  const problem = await ask('select id from problem where account_id = $1 and id > $2 order by id limit 1', given);
  const shopOrder = await ask('select id, channel_id from channel_order order by id limit 1');
  const request = await ask(
    'select id from cancellation_request where account_id = $1 and id > $2 order by id limit 1',
    given,
  );
  const webhook = await ask('select id from webhook_subscription where account_id = $1 limit 1', [account.id]);
  const delivery = await ask(
    'select id from webhook_delivery where account_id = $1 and id > $2 order by account_id, id limit 1',
    given,
  );
  const released = await ask("select reference from orders where state = 'released' order by id desc limit 1");
  const phone = await ask("select term from order_search where kind = 'phone' limit 1");
  const [firstName = '', lastName = ''] = (order.name ?? '').split(' ');
  return {
    account: id('acct', account.id),
    order: id('ord', order.id),
    reference: order.reference ?? null,
    external: order.external_reference ?? null,
    amount: (Number(order.total_pence) / 100).toFixed(2),
    recipient: `${firstName} ${lastName}`,
    lastName,
    postcode: order.postcode ?? null,
    phone: phone.term ?? null,
    // As full at every size, and over.
    day: new Date(Date.now() - 2 * DAY_MS).toISOString().slice(0, 10),
    yesterday: new Date(Date.now() - DAY_MS).toISOString(),
    longAgo: '2020-01-01T00:00:00.000Z',
    line: id('line', order.line),
    credited: id('ord', note.order_id),
    note: id('cn', note.credit_id),
    shipped: id('ord', shipment.order_id),
    shipment: id('shp', shipment.id),
    toErase: id('ord', shipment.other),
    tracking: shipment.tracking_number ?? null,
    invoice: invoice.number ?? null,
    product: id('prod', product.id),
    personalised: id('prod', product.personalised),
    base: id('bprod', product.base_product_id),
    transaction: id('txn', posting.id),
    brand: id('brand', brand.id),
    problem: id('prob', problem.id),
    shopOrder: id('sho', shopOrder.id),
    channel: id('chan', shopOrder.channel_id),
    request: id('creq', request.id),
    webhook: id('whk', webhook.id),
    delivery: id('dlv', delivery.id),
    released: released.reference ?? null,
    sku: 'TEE-CLASSIC-WHT-M',
    shortSku: 'TEE-CLASSIC-NVY-M',
    sales: 'sales',
  };
}
