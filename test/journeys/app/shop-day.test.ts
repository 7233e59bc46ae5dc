import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { CreditNote, Invoice } from '../../../src/invoices/schema.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import { verify } from '../../../src/verify/verify.ts';
import type { Event } from '../../../src/webhooks/event-schema.ts';
import { eventually } from '../../harness/context.ts';
import { type FakeProvider, startProvider } from '../../harness/provider.ts';
import { assertSigned } from '../../harness/receiver.ts';
import { type Customer, type OperatorClient, startTestService, type TestService } from '../../harness/service.ts';
import { type Day, FATES, KINDS, type Lived, live, openDay, PAYERS } from '../../harness/shop-day.ts';
import type { Hit } from '../../harness/stranger.ts';
import { rows } from '../../harness/written.ts';

/** A night's run has 500: PLATEN_NIGHTLY=1 node --test test/journeys/app/shop-day.test.ts. */
const ORDERS = process.env.PLATEN_NIGHTLY === '1' ? 500 : 10;
/** Orders that are worked at the same time. */
const AT_ONCE = 6;
/** The receiver answers 503 to the first attempt of every so manyth event. */
const FAILS_EVERY = 7;

let provider: FakeProvider;
let service: TestService;
let shop: Day;
let viewer: OperatorClient;
before(async () => {
  provider = await startProvider();
  service = await startTestService({ env: { ...provider.env, WEBHOOK_RETRY_SECONDS: '1,1,1,1,1,1' } });
  shop = await openDay(service);
  viewer = await service.openOperator('viewer');
});
after(async () => {
  await service.stop();
  await provider.close();
});

type Receiver = { readonly customer: Customer; readonly path: string; readonly secret: string };

/** Subscribes a customer to everything, at a receiver that fails now and then. */
async function subscribe(customer: Customer, name: string): Promise<Receiver> {
  const path = `/hooks-${name}`;
  const known = new Set<string>();
  service.stranger.serve(path, (hit, response) => {
    const { id } = JSON.parse(hit.body.toString('utf8')) as { id: string };
    const isFirst = !known.has(id);
    known.add(id);
    response.writeHead(isFirst && known.size % FAILS_EVERY === 0 ? 503 : 204).end();
  });
  const url = service.stranger.url(path);
  const { status, body, text } = await customer.request<{ secret: string }>('POST', '/webhooks', { url });
  assert.equal(status, 201, text);
  return { customer, path, secret: body.secret };
}

async function log(customer: Customer): Promise<Event[]> {
  return everyPage((cursor) => customer.request<Page<Event>>('GET', `/events?limit=100${cursor}`));
}

async function everyPage<Item>(ask: (cursor: string) => Promise<{ status: number; body: Page<Item>; text: string }>) {
  const all: Item[] = [];
  for (let cursor = ''; ; ) {
    const { status, body, text } = await ask(cursor);
    assert.equal(status, 200, text);
    all.push(...body.data);
    if (body.next_cursor === null) return all;
    cursor = `&cursor=${body.next_cursor}`;
  }
}

/** Leads every order of the day through its fate, a few at a time. */
async function work(): Promise<Lived[]> {
  const lived: Lived[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    for (let index = next++; index < ORDERS; index = next++) {
      const kind = KINDS[index % KINDS.length] ?? 'blank totes';
      const fate = FATES[index % FATES.length] ?? 'straight through';
      const payer = PAYERS[index % PAYERS.length] ?? 'balance';
      lived.push(...(await live(service, shop, { index, kind, fate, payer })));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return lived;
}

const penceOf = (pounds: number): number => Math.round(pounds * 100);

test(`a day at the shop: ${ORDERS} orders of every kind from placed to dispatched, every event received, the books equal to the papers`, async () => {
  const customers = [service.customer, ...Object.values(shop.customers)];
  const receivers: Receiver[] = [];
  for (const [at, customer] of customers.entries()) receivers.push(await subscribe(customer, String(at)));
  const lived = await work();

  await eachOrderHasEnded(lived);
  const events = await eachEventWasReceived(receivers, lived);
  assert.ok(events >= 3 * ORDERS, `${events} events`);
  assert.deepEqual(
    (await verify(service.ctx)).checks.flatMap(({ violations }) => violations),
    [],
  );
  await theBooksAreThePapers(customers, lived);
});

async function eachOrderHasEnded(lived: readonly Lived[]): Promise<void> {
  const orders = await everyPage<OpsOrder>((cursor) => viewer.request('GET', `/orders?limit=50${cursor}`));
  assert.deepEqual(orders.map(({ id }) => id).toSorted(), lived.map(({ id }) => id).toSorted());
  for (const order of orders) {
    assert.ok(['dispatched', 'cancelled'].includes(order.state), `${order.reference} is ${order.state}`);
    assert.deepEqual([order.refund_owed_gbp, order.due_gbp], [0, 0], order.reference);
    for (const line of order.lines) {
      assert.equal(line.quantity_shipped + line.quantity_cancelled, line.quantity, order.reference);
      const { allocated = 0, consumed = 0, released = 0 } = line.allocation ?? {};
      assert.equal(consumed + released, allocated, `${order.reference} still has pieces promised`);
    }
  }
}

/**
 * Each event of the log came, signed and as it stands there; each order's are numbered without a gap and are those of
 * its fate.
 */
async function eachEventWasReceived(receivers: readonly Receiver[], lived: readonly Lived[]): Promise<number> {
  let count = 0;
  for (const { customer, path, secret } of receivers) {
    const mine = lived.filter((order) => order.customer.accountId === customer.accountId);
    const expected = mine.reduce((sum, { events }) => sum + events.length, 0);
    const logged = await eventually(`the log has ${expected} events`, async () => {
      const found = await log(customer);
      return found.length >= expected && found;
    });
    const hitsOf = (): Hit[] => service.stranger.hits.filter((hit) => hit.path === path);
    const idsOf = (hits: readonly Hit[]): Set<string> => new Set(hits.map((hit) => bodyOf(hit).id));
    await eventually('every event is received', () => idsOf(hitsOf()).size >= logged.length);
    const byId = new Map(logged.map((event) => [event.id, event]));
    for (const hit of hitsOf()) {
      assertSigned(hit, secret);
      assert.deepEqual(bodyOf(hit), byId.get(bodyOf(hit).id));
    }
    for (const order of mine) await theEventsAreThose(order, logged);
    count += logged.length;
  }
  return count;
}

const bodyOf = (hit: Hit): Event => JSON.parse(hit.body.toString('utf8')) as Event;

async function theEventsAreThose(order: Lived, logged: readonly Event[]): Promise<void> {
  const { body } = await viewer.request<OpsOrder>('GET', `/orders/${order.id}`);
  const own = logged
    .filter(({ data }) => 'reference' in data && data.reference === body.reference)
    .toSorted((a, b) => (a.sequence ?? 0) - (b.sequence ?? 0));
  assert.deepEqual(
    own.map(({ event }) => event),
    order.events,
    `${body.reference}: ${body.history.map(({ action }) => action).join(', ')}`,
  );
  assert.deepEqual(
    own.map(({ sequence }) => sequence),
    own.map((_, index) => index + 1),
  );
  const times = own.map(({ created_at: at }) => at);
  assert.deepEqual(times, times.toSorted());
  assert.equal(body.version, own.length);
}

/**
 * What was sold and not taken back, by rate of VAT and in all, is what stands on the invoices less the credit notes.
 */
async function theBooksAreThePapers(customers: readonly Customer[], lived: readonly Lived[]): Promise<void> {
  const papers = { net: 0, duty: 0, total: 0, vat: new Map<string, number>() };
  const add = (paper: Invoice | CreditNote, sign: 1 | -1): void => {
    papers.net += sign * penceOf(paper.net_total);
    papers.duty += sign * penceOf(paper.duty_total);
    papers.total += sign * penceOf(paper.total);
    for (const { rate, vat } of paper.vat) {
      const name = `vat:${Math.round(rate * 100)}`;
      papers.vat.set(name, (papers.vat.get(name) ?? 0) + sign * penceOf(vat));
    }
  };
  for (const { customer, id } of lived) {
    const { body: seen } = await viewer.request<OpsOrder>('GET', `/orders/${id}`);
    if (seen.source === 'replacement') continue;
    const invoice = await customer.request<Invoice>('GET', `/orders/${id}/invoice`);
    assert.equal(invoice.status, 200, invoice.text);
    assert.equal(invoice.body.total, seen.total, seen.reference);
    add(invoice.body, 1);
    const notes = await everyPage<CreditNote>((cursor) =>
      customer.request('GET', `/orders/${id}/credit-notes?limit=100${cursor}`),
    );
    for (const note of notes) add(note, -1);
    const given = notes.reduce((sum, { total }) => sum + penceOf(total), 0);
    assert.equal(given, penceOf(seen.refunded_gbp), `${seen.reference}: refunds are not the credit notes`);
  }
  const books = await readBooks(customers);
  const vatOfBooks = [...books].filter(([account, pence]) => account.startsWith('vat:') && pence !== 0);
  const vatOfPapers = [...papers.vat].filter(([, pence]) => pence !== 0);
  assert.deepEqual(Object.fromEntries(vatOfBooks), Object.fromEntries(vatOfPapers));
  const of = (...accounts: string[]): number => accounts.reduce((sum, name) => sum + (books.get(name) ?? 0), 0);
  assert.equal(of('sales', 'setup_fees', 'shipping_income', 'refunds'), papers.net);
  assert.equal(of('duty_owed'), papers.duty);
  assert.equal(
    of(
      'sales',
      'setup_fees',
      'shipping_income',
      'refunds',
      'duty_owed',
      ...books.keys().filter((name) => name.startsWith('vat:')),
    ),
    papers.total,
  );
  assert.equal(of('order_deposits'), 0);
  assert.equal(of('manual_refunds_owed'), 0);
}

/** What the accounts of the house hold of these customers' money, in pence: credits less debits. */
async function readBooks(customers: readonly Customer[]): Promise<Map<string, number>> {
  const found = await rows<{ account: string; pence: number }>(
    service,
    `select account, sum(pence)::bigint as pence from (
       select credit_account as account, amount_pence as pence from posting where account_id = any($1)
       union all
       select debit_account, -amount_pence from posting where account_id = any($1)
     ) as side group by account`,
    [customers.map(({ accountId }) => accountId)],
  );
  return new Map(found.map(({ account, pence }) => [account, pence]));
}
