import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { collectUnusedBlobs } from '../../../../src/app/collect-blobs.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { sweepNow } from '../../../../src/privacy/retention/sweep.ts';
import type { PrintFiles } from '../../../../src/shipments/schema.ts';
import { count, type Floor, openFloor, placeOrder, ship, untilReady } from '../../../harness/floor.ts';
import { readPdf } from '../../../harness/pdf.ts';
import { type Customer, startTestService, type TestService } from '../../../harness/service.ts';
import { addProduct, HOME, servePicture, TEE_WHITE_M, teeItem } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service, 'admin');
  await count(floor, TEE_WHITE_M, 1_000);
});
after(() => service.stop());

/** A picture that no other order has. */
async function picture(name: string): Promise<string> {
  const colour = `#${Buffer.from(name.padEnd(3)).subarray(-3).toString('hex')}`;
  return servePicture(service, `/${name}.png`, { widthPx: 300, heightPx: 300, colour });
}

/** Places an order of one tee with a picture of its own, and a mock. */
async function placePrinted(name: string, by: Customer = service.customer): Promise<CreatedOrder> {
  const url = await picture(name);
  const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url, mock_url: url }];
  return placeOrder(service, { items: [teeItem(service, { decoration: { areas } })] }, by);
}

/** Leads an order to its dispatch. */
async function dispatch(order: { id: string }): Promise<OpsOrder> {
  await untilReady(floor, order.id);
  await floor.post(`/orders/${order.id}/promote`);
  const { lines } = await floor.request('GET', `/orders/${order.id}`).then(({ body }) => body);
  for (const line of lines) await floor.post(`/orders/${order.id}/lines/${line.id}/start`);
  const items = lines.map((line) => ({ line_id: line.id, quantity: line.quantity }));
  const sent = await ship(floor, order.id, items);
  assert.equal(sent.state, 'dispatched');
  return sent;
}

/** What there is of the artwork of an order: print files, mocks, and records of designs of the account. */
async function artworkOf(order: { id: string; reference: string }): Promise<{ files: number; mocks: number }> {
  const [found] = await rows<{ files: number; mocks: number }>(
    service,
    `select (select count(*) from print_job j join print_file f on f.key = j.print_file_key where j.order_id = o.id) as files,
       (select count(*) from order_line l where l.order_id = o.id and l.mock_hash is not null) as mocks
     from orders o where o.reference = $1`,
    [order.reference],
  );
  return found ?? assert.fail('no such order');
}

const THERE = { files: 1, mocks: 1 };
const GONE = { files: 0, mocks: 0 };

const blobs = async (): Promise<number> =>
  (await rows<{ n: number }>(service, 'select count(*) as n from blob'))[0]?.n ?? 0;

async function collect(): Promise<void> {
  for (let place: Parameters<typeof collectUnusedBlobs>[1]; ; ) {
    const { next } = await collectUnusedBlobs(service.ctx, place);
    if (next === undefined) return;
    place = next;
  }
}

describe('artwork ends 90 days after dispatch', () => {
  test('just before its end all is there, just after it files, mocks, designs and bytes are gone, and the order says so', async () => {
    const order = await placePrinted('ends');
    await dispatch(order);
    const line = order.items.lineItems[0]?.id ?? '';
    const files = await floor.request<PrintFiles>('GET', `/orders/${order.id}/print-files`);
    const link = files.body.data[0]?.file_url ?? assert.fail('no file');
    service.shiftMs(90 * DAY_MS - HOUR_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), THERE);
    const stored = await blobs();

    service.shiftMs(2 * HOUR_MS);
    const gone = await sweepNow(service.ctx);
    assert.deepEqual([gone.get('print_files'), gone.get('line_mocks')], [1, 1]);
    assert.deepEqual(await artworkOf(order), GONE);
    await collect();
    // Source, print file and preview; the mock has the bytes of the source.
    assert.equal(await blobs(), stored - 3);
    assert.equal(
      (await rows(service, `select from design d where not exists (select from blob b where b.hash = d.hash)`)).length,
      0,
    );

    const { body: shown } = await service.customer.request<Order>('GET', `/orders/${order.id}`);
    assert.deepEqual(
      shown.items.map((item) => [
        item.artwork_ready,
        item.artwork?.state,
        item.artwork?.areas[0]?.state,
        item.artwork?.areas[0]?.proof_url,
        item.mock_url,
      ]),
      [[false, 'expired', 'expired', null, null]],
    );
    const { body: seen } = await floor.request('GET', `/orders/${order.id}`);
    assert.deepEqual(
      seen.lines.flatMap(({ print_jobs: jobs }) => jobs.map((job) => job.artwork_state)),
      ['expired'],
    );
    const listed = await floor.request<PrintFiles>('GET', `/orders/${order.id}/print-files`);
    assert.deepEqual(
      listed.body.data.map((file) => [file.state, file.file_url, file.width_px, file.height_px, file.dpi]),
      [['expired', null, null, null, null]],
    );
    const { pathname, search } = new URL(link);
    const answer = await fetch(`${service.url}${pathname}${search}`);
    assert.equal(answer.status, 404);
    assert.equal(((await answer.json()) as { code: string }).code, 'not_found');
    const sheet = await fetch(`${service.url}/ops/v1/orders/${order.id}/job-sheet`, {
      headers: { authorization: `Bearer ${(await service.openOperator()).token}` },
    });
    assert.equal(sheet.status, 200);
    const texts = readPdf(Buffer.from(await sheet.arrayBuffer())).flatMap((page) => page.texts);
    assert.match(texts.join(' '), /The artwork was deleted: its time was over/);

    const refused = await floor.request<{ areas?: unknown }>('POST', `/orders/${order.id}/replacement`, {
      items: [{ line_id: line, quantity: 1 }],
      reason: 'lost',
    });
    assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_expired']);
    assert.deepEqual(refused.body.areas, [{ line_id: line, print_area: 'front', method: 'dtg' }]);
    assert.match(refused.body.detail ?? '', /place a new order/);
    const replacements = await rows(service, 'select from orders where replaces is not null');
    assert.equal(replacements.length, 0, 'nothing was written');
    await assertSound(service);
  });

  test('a design that a product has stays as long as the product is active, and a replacement works; archived, it goes', async () => {
    const order = await placeOrder(service, { items: [teeItem(service)] });
    await dispatch(order);
    service.shiftMs(91 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await artworkOf(order)).files, 1);
    const line_id = order.items.lineItems[0]?.id;
    const made = await floor.post(
      `/orders/${order.id}/replacement`,
      { items: [{ line_id, quantity: 1 }], reason: 'lost' },
      201,
    );
    assert.equal(made.lines[0]?.artwork_ready, true);
    await rows(service, `update product set status = 'archived'`);
    service.shiftMs(91 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await artworkOf(order)).files, 1, 'the replacement is still to be made');
    await dispatch(made);
    service.shiftMs(89 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await artworkOf(order)).files, 1);
    service.shiftMs(2 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await artworkOf(order)).files, 0);
    await rows(service, `update product set status = 'active'`);
    await assertSound(service);
  });

  test('texts and photos of a personalised piece end with its file', async () => {
    const decoration = { personalisation: { inputs: { line: 'Grandma Edith', motif: 'sun' } } };
    const product_id = service.demo.products.personalised;
    const items = [{ product_id, variant_sku: 'TEE-ORGANIC-ECR-M', quantity: 1, decoration }];
    await count(floor, 'TEE-ORGANIC-ECR-M', 100);
    const order = await placeOrder(service, { items });
    await dispatch(order);
    const named = () => rows(service, `select from print_file where recipe::text like '%Grandma Edith%'`);
    assert.equal((await named()).length, 1);
    service.shiftMs(91 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await named()).length, 0);
    // The same piece ordered again is made anew.
    const again = await placeOrder(service, { items });
    await untilReady(floor, again.id);
    assert.equal((await named()).length, 1);
    await assertSound(service);
  });

  test('an order with an open task, or whose money is disputed, keeps its own until that has ended', async () => {
    const tasked = await placePrinted('task');
    const disputed = await placePrinted('disp');
    await dispatch(tasked);
    await dispatch(disputed);
    await rows(
      service,
      `insert into ops_task (id, account_id, order_id, kind, note, opened_at)
       select gen_random_uuid(), account_id, id, 'artwork', 'look at it', $2 from orders where reference = $1`,
      [tasked.reference, service.ctx.clock.now()],
    );
    await rows(
      service,
      `insert into payment_attempt (id, account_id, order_id, method, provider_reference, amount_pence, state, created_at, look_at, settled_at, returned_at)
       select gen_random_uuid(), account_id, id, 'card', 'pm_1', total_pence, 'succeeded', $2, $2, $2, $2 from orders where reference = $1`,
      [disputed.reference, service.ctx.clock.now()],
    );
    await rows(
      service,
      `update orders set balance_paid_pence = 0, method_paid_pence = total_pence where reference = $1`,
      [disputed.reference],
    );
    service.shiftMs(91 * DAY_MS);
    await sweepNow(service.ctx);
    assert.deepEqual([await artworkOf(tasked), await artworkOf(disputed)], [THERE, THERE]);
    await rows(service, 'update ops_task set closed_at = $1', [service.ctx.clock.now()]);
    await rows(service, 'update payment_attempt set recovered_at = $1', [service.ctx.clock.now()]);
    await sweepNow(service.ctx);
    assert.deepEqual([await artworkOf(tasked), await artworkOf(disputed)], [GONE, GONE]);
    // What the test wrote past the service is no sound order.
    await rows(
      service,
      `update orders set balance_paid_pence = total_pence, method_paid_pence = 0 where reference = $1`,
      [disputed.reference],
    );
    await rows(service, 'delete from payment_attempt');
    await assertSound(service);
  });

  test('a file that two orders share goes with the later one, and an order on hold keeps its own for ever', async () => {
    const first = await placePrinted('twin');
    await dispatch(first);
    service.shiftMs(60 * DAY_MS);
    const second = await placePrinted('twin');
    await untilReady(floor, second.id);
    await floor.post(`/orders/${second.id}/hold`, { reason: 'address' });
    service.shiftMs(400 * DAY_MS);
    await sweepNow(service.ctx);
    assert.deepEqual([await artworkOf(first), await artworkOf(second)], [{ files: 1, mocks: 0 }, THERE]);
    await floor.post(`/orders/${second.id}/resume`);
    await dispatch(second);
    service.shiftMs(91 * DAY_MS);
    await sweepNow(service.ctx);
    assert.deepEqual([await artworkOf(first), await artworkOf(second)], [GONE, GONE]);
    await assertSound(service);
  });
});

describe('artwork ends 7 days after a cancel, and of an order that nobody paid', () => {
  test('cancelled: just before, just after', async () => {
    const order = await placePrinted('void');
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'test' });
    service.shiftMs(7 * DAY_MS - HOUR_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), THERE);
    service.shiftMs(2 * HOUR_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), GONE);
    await assertSound(service);
  });

  test('cancelled after a parcel went out: as after a dispatch', async () => {
    const url = await picture('half');
    const areas = [{ print_area: 'front', method: 'dtg', artwork_url: url, mock_url: url }];
    const order = await placeOrder(service, { items: [teeItem(service, { quantity: 2, decoration: { areas } })] });
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/promote`);
    await floor.post(`/orders/${order.id}/lines/${order.items.lineItems[0]?.id}/start`);
    await ship(floor, order.id, [{ line_id: order.items.lineItems[0]?.id, quantity: 1 }]);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'test' });
    // A cancel after the start leaves a task.
    await rows(service, 'update ops_task set closed_at = $1', [service.ctx.clock.now()]);
    service.shiftMs(80 * DAY_MS);
    await sweepNow(service.ctx);
    assert.equal((await artworkOf(order)).files, 1);
    service.shiftMs(11 * DAY_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), GONE);
    await assertSound(service);
  });

  test('unpaid: after that nobody can pay it any more, and is told what to do', async () => {
    const poor = await service.openCustomer({ balancePence: 0 });
    const url = await picture('poor');
    const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
    const decoration = { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url, mock_url: url }] };
    const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, decoration }];
    const answer = await poor.request<CreatedOrder>('POST', '/orders', { items, shipping_address: HOME });
    assert.equal(answer.body.payment_status, 'failed');
    const order = answer.body;
    service.shiftMs(7 * DAY_MS - HOUR_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), THERE);
    service.shiftMs(2 * HOUR_MS);
    await sweepNow(service.ctx);
    assert.deepEqual(await artworkOf(order), GONE);
    for (const path of ['settle', 'retry-payment']) {
      const refused = await floor.request('POST', `/orders/${order.id}/${path}`);
      assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_expired'], refused.text);
      assert.match(refused.body.detail ?? '', /replace the artwork on the order, or cancel it/);
    }
    assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.state, 'awaiting_payment');
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'too late' });
    await assertSound(service);
  });
});
