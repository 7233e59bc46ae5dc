import assert from 'node:assert/strict';
import { after, afterEach, before, test } from 'node:test';
import { artworkJobs } from '../../../src/artwork/jobs.ts';
import { NORMALISE_JOB } from '../../../src/artwork/sql.ts';
import { creditAccount } from '../../../src/billing/credit-account.ts';
import { newId } from '../../../src/lib/ids.ts';
import { pence } from '../../../src/lib/money.ts';
import { claimInTurn } from '../../../src/lib/queue/claim-in-turn.ts';
import { startWorker } from '../../../src/lib/queue.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { settleWaitingOrders } from '../../../src/payments/settle-waiting.ts';
import { eventually } from '../../harness/context.ts';
import { type Floor, openFloor } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { decorated, openShop, type Shop, servePicture } from '../../harness/shop.ts';
import { assertSound, rows } from '../../harness/written.ts';

// In which order print files are made (docs/decisions/0030). No worker runs but those of the tests.

let service: TestService;
let floor: Floor;
let finance: Floor;
before(async () => {
  service = await startTestService({ role: 'api' });
  floor = await openFloor(service);
  finance = await openFloor(service, 'finance');
});
afterEach(async () => {
  await assertSound(service);
  // The next test sees its own alone.
  await rows(
    service,
    "update print_file set state = 'failed', failure = 'of another test' where state = 'pending'",
    [],
  );
  await rows(service, 'delete from print_file_need', []);
  await rows(service, 'delete from job', []);
});
after(() => service.stop());

let pictures = 0;

/** A picture that no other order has. */
async function picture(): Promise<string> {
  pictures += 1;
  const colour = `#${(pictures + 4096).toString(16).padStart(6, '0')}`;
  return servePicture(service, `/order-${pictures}.png`, { widthPx: 600, heightPx: 600, colour });
}

async function placed(shop: Shop, url?: string, lines = 1): Promise<CreatedOrder> {
  const item = decorated(shop, url ?? (await picture()));
  const answer = await shop.order({ items: Array.from({ length: lines }, () => item) });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

type Waiting = { tier: number; state: string; is_dropped: boolean; has_job: boolean };

/** How the print file of an order's first line stands. */
async function standing(order: { reference: string }): Promise<Waiting> {
  const [row] = await rows<Waiting>(
    service,
    `select b.tier, f.state, f.dropped_at is not null as is_dropped, b.id is not null as has_job
     from orders o join print_job j on j.account_id = o.account_id and j.order_id = o.id
     join print_file f on f.key = j.print_file_key
     left join job b on b.kind = '${NORMALISE_JOB}' and b.key = encode(f.key, 'hex')
     where o.reference = $1 limit 1`,
    [order.reference],
  );
  return row ?? assert.fail('it has no print file');
}

const tierOf = async (order: { reference: string }): Promise<number> => (await standing(order)).tier;

/** What a worker would make next, in this order; nothing is made. */
async function nextUp(count: number): Promise<string[]> {
  const turns = new Map();
  const references: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const terms = {
      kind: NORMALISE_JOB,
      now: service.ctx.clock.now(),
      leaseSeconds: 30,
      leaseToken: newId(),
      places: 1,
    };
    const [job] = await claimInTurn(service.ctx.database, terms, turns);
    if (job === undefined) break;
    const [row] = await rows<{ reference: string }>(
      service,
      `select o.reference from orders o join print_job j on j.account_id = o.account_id and j.order_id = o.id
       where j.print_file_key = decode($1, 'hex') order by o.id limit 1`,
      [job.key],
    );
    references.push(row?.reference ?? 'none');
  }
  return references;
}

/** Makes every print file that waits. */
async function makeAll(): Promise<void> {
  const { database, clock, log } = service.ctx;
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers: artworkJobs(service.ctx) });
  try {
    const waits = 'select 1 from job where kind = $1 and failed_at is null';
    await eventually('all are made', async () => (await rows(service, waits, [NORMALISE_JOB])).length === 0);
  } finally {
    await worker.stop(30_000);
  }
}

const cancel = async (shop: Shop, order: CreatedOrder): Promise<void> => {
  const answer = await shop.customer.request('POST', `/orders/${order.id}/cancel`);
  assert.equal(answer.status, 200, answer.text);
};

test('print files of unpaid orders wait for all that is paid, and then no more than two of an account are made at a time', async () => {
  const poor = await openShop(service, 0);
  const unpaid: CreatedOrder[] = [];
  for (let at = 0; at < 5; at += 1) unpaid.push(await placed(poor));
  const rich = await openShop(service, 9);
  const [first, second] = [await placed(rich), await placed(rich)];
  assert.deepEqual(await nextUp(9), [first.reference, second.reference, ...unpaid.slice(0, 2).map((o) => o.reference)]);
});

test('accounts take turns, and an order that is promoted goes before all that are not', async () => {
  const [one, other] = [await openShop(service, 9), await openShop(service, 9)];
  const ofOne = [await placed(one), await placed(one), await placed(one)] as const;
  const ofOther = [await placed(other)] as const;
  await floor.post(`/orders/${ofOne[2].id}/promote`);
  assert.equal(await tierOf(ofOne[2]), 0);
  assert.deepEqual((await nextUp(1))[0], ofOne[2].reference);
  const next = await nextUp(2);
  assert.deepEqual(next.toSorted(), [ofOne[0].reference, ofOther[0].reference].toSorted(), 'one of each');
});

test('an order moves up when a top-up settles it, and when an operator does', async () => {
  const shop = await openShop(service, 0);
  const [byMoney, byHand] = [await placed(shop), await placed(shop)];
  assert.deepEqual([await tierOf(byMoney), await tierOf(byHand)], [2, 2]);
  const cost = await rows<{ total_pence: number }>(service, 'select total_pence from orders where reference = $1', [
    byMoney.reference,
  ]);
  const { accountId } = shop.customer;
  const amountPence = pence(cost[0]?.total_pence ?? assert.fail());
  await creditAccount(service.ctx, { accountId, amountPence, reference: '' });
  assert.equal(await settleWaitingOrders(service.ctx, accountId), 1);
  assert.deepEqual([await tierOf(byMoney), await tierOf(byHand)], [1, 2]);
  await finance.post(`/orders/${byHand.id}/settle`);
  assert.equal(await tierOf(byHand), 1);
});

test('a file that several orders share is as near as the nearest of them, and goes back when that one is cancelled', async () => {
  const shop = await openShop(service, 1, 2_000);
  const url = await picture();
  const paid = await placed(shop, url);
  assert.equal(paid.payment_status, 'paid');
  const unpaid = await placed(shop, url, 9);
  assert.notEqual(unpaid.payment_status, 'paid');
  assert.equal(await tierOf(unpaid), 1);
  await floor.post(`/orders/${paid.id}/promote`);
  assert.equal(await tierOf(unpaid), 0);
  await cancel(shop, paid);
  assert.deepEqual(await standing(unpaid), { tier: 2, state: 'pending', is_dropped: false, has_job: true });
});

test('what only cancelled orders need is never made, and is made after all when a later order needs it', async () => {
  const shop = await openShop(service, 9);
  const url = await picture();
  const first = await placed(shop, url);
  await cancel(shop, first);
  const dropped = await standing(first);
  assert.deepEqual([dropped.state, dropped.is_dropped, dropped.has_job], ['failed', true, false]);
  assert.deepEqual(await nextUp(1), []);
  const view = (await floor.request('GET', `/orders/${first.id}`)).body;
  assert.match(JSON.stringify(view.lines[0]?.print_jobs), /every order that needed it was cancelled/);
  const later = await placed(shop, url);
  assert.deepEqual(await standing(later), { tier: 1, state: 'pending', is_dropped: false, has_job: true });
  await makeAll();
  assert.equal((await standing(later)).state, 'ready');
  assert.deepEqual(await rows(service, 'select 1 from print_file_need', []), [], 'nobody waits any more');
});

test('what is being made when its order is cancelled may finish, and nobody else waits for it', async () => {
  const shop = await openShop(service, 9);
  const order = await placed(shop);
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const { database, clock, log } = service.ctx;
  const handlers = artworkJobs(service.ctx).map((handler) => ({
    ...handler,
    run: async (...args: Parameters<typeof handler.run>): Promise<void> => {
      begun.resolve();
      await goOn.promise;
      await handler.run(...args);
    },
  }));
  const worker = startWorker({ database, clock, log, pollMs: 10, handlers });
  await begun.promise;
  await cancel(shop, order);
  assert.equal((await standing(order)).has_job, true);
  goOn.resolve();
  await eventually('the job has ended', async () => !(await standing(order)).has_job);
  await worker.stop(30_000);
  assert.notEqual((await standing(order)).state, 'pending');
});

test('cancelling some lines drops what only they print, and not what the others print too', async () => {
  const shop = await openShop(service, 20);
  const [kept, gone] = [await picture(), await picture()];
  const items = [decorated(shop, kept), decorated(shop, gone), decorated(shop, kept)];
  const answer = await shop.order({ items });
  assert.equal(answer.status, 201, answer.text);
  const [, second, third] = answer.body.items.lineItems;
  await floor.post(`/orders/${answer.body.id}/cancel`, { reason: 'less', line_ids: [second?.id, third?.id] });
  const files = await rows<{ state: string; ordinal: number }>(
    service,
    `select l.ordinal, f.state from order_line l join print_job j on j.account_id = l.account_id and j.line_id = l.id
     join print_file f on f.key = j.print_file_key join orders o on o.id = l.order_id where o.reference = $1 order by l.ordinal`,
    [answer.body.reference],
  );
  assert.deepEqual(
    files.map(({ state }) => state),
    ['pending', 'failed', 'pending'],
  );
});

test('a file of the version before, of which it is not known who needs it, is not dropped: it waits as the last', async () => {
  const shop = await openShop(service, 9);
  const order = await placed(shop);
  await rows(service, 'update print_file set tracks_needs = false where state = $1', ['pending']);
  await cancel(shop, order);
  assert.deepEqual(await standing(order), { tier: 2, state: 'pending', is_dropped: false, has_job: true });
});

test('an order that came to need a dropped file by the version before gets it when it is promoted', async () => {
  const shop = await openShop(service, 9);
  const order = await placed(shop);
  await rows(service, 'delete from print_file_need', []);
  await rows(service, 'delete from job where kind = $1', [NORMALISE_JOB]);
  await rows(
    service,
    `update print_file set state = 'failed', failure = 'x', dropped_at = $1 where state = 'pending' and key in (
     select j.print_file_key from print_job j join orders o on o.id = j.order_id where o.reference = $2)`,
    [new Date(), order.reference],
  );
  await floor.post(`/orders/${order.id}/promote`);
  assert.deepEqual(await standing(order), { tier: 0, state: 'pending', is_dropped: false, has_job: true });
});
