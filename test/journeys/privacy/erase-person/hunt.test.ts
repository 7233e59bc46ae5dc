import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Log } from '../../../../src/lib/log.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../../src/orders/schema.ts';
import { runErasures } from '../../../../src/privacy/erase/worker.ts';
import type { ErasureReceipt } from '../../../../src/privacy/ops-schema.ts';
import { eventually } from '../../../harness/context.ts';
import { closeWindow, type Floor, openFloor, untilReady } from '../../../harness/floor.ts';
import { flat } from '../../../harness/pictures.ts';
import { startTestService, type TestService } from '../../../harness/service.ts';
import { servePicture } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { huntInDatabase, huntInFiles } from '../hunt.ts';

/** Stands in every free text of the person who is erased, and nowhere else. */
const MARK = 'zorblax';
/** Likewise of another person of the same account. */
const OTHER = 'wumpus';
const POSTCODE = 'LS1 4DY';

const addressOf = (mark: string, more: object = {}) => ({
  contact_name: `Ada ${mark}`,
  company_name: `${mark} & Sons`,
  line1: `12 ${mark} Lane`,
  line2: `Flat ${mark}`,
  city: `${mark}ton`,
  county: `${mark}shire`,
  postcode: POSTCODE,
  country_code: 'GB',
  phone: '07700 900123',
  email: `ada@${mark}.example`,
  ...more,
});

const logged: string[] = [];
const keep = (fields: object, message: string): void => void logged.push(JSON.stringify({ ...fields, message }));
const log: Log = { debug: keep, info: keep, warn: keep, error: keep };

let service: TestService;
let floor: Floor;
let photo: string;
before(async () => {
  service = await startTestService({ log });
  floor = await openFloor(service, 'admin');
  photo = await servePicture(service, `/p/${MARK}.png`, { colour: '#2468ac' });
  service.stranger.serve('/hook', (_hit, response) => {
    response.writeHead(500, {}).end(`no, ${MARK}`);
  });
  const hook = await service.customer.request('POST', '/webhooks', { url: service.stranger.url('/hook') });
  assert.equal(hook.status, 201, hook.text);
});
after(() => service.stop());

async function place(mark: string, more: object = {}): Promise<CreatedOrder> {
  const answer = await service.customer.request<CreatedOrder>('POST', '/orders', {
    items: [
      {
        product_id: service.demo.products.personalised,
        variant_sku: 'TEE-ORGANIC-ECR-M',
        quantity: 2,
        decoration: { personalisation: { inputs: { line: `${mark} text`, portrait: photo } } },
        [`${mark}_field`]: 'not known here',
      },
    ],
    shipping_address: addressOf(mark),
    billing_address: addressOf(mark, { line1: `Bills of ${mark}` }),
    notes: `Leave it with ${mark}`,
    metadata: { [`${mark}_key`]: `${mark} value` },
    ...more,
  });
  assert.equal(answer.status, 201, answer.text);
  return answer.body;
}

async function make(order: CreatedOrder): Promise<void> {
  await floor.post(`/orders/${order.id}/promote`, {});
  await untilReady(floor, order.id);
  for (const { id } of order.items.lineItems) await floor.post(`/orders/${order.id}/lines/${id}/start`, {});
}

async function ship(order: CreatedOrder, mark: string): Promise<OpsOrder> {
  const items = order.items.lineItems.map(({ id, quantity }) => ({ line_id: id, quantity }));
  const parcel = {
    carrier: 'Royal Mail',
    tracking_number: `${mark}-1`,
    tracking_url: `https://track.example/${mark}`,
    items,
  };
  return floor.post(`/orders/${order.id}/shipments`, parcel, 201);
}

/** An order of one person that has been through everything. */
async function live(mark: string): Promise<{ sent: CreatedOrder; cancelled: CreatedOrder; abroad: CreatedOrder }> {
  const sent = await place(mark);
  await floor.post(`/orders/${sent.id}/hold`, { reason: `${mark} called` });
  await floor.post(`/orders/${sent.id}/resume`, {});
  const changed = await floor.request('PATCH', `/orders/${sent.id}/address`, { line1: `13 ${mark} Lane` });
  assert.equal(changed.status, 200, changed.text);
  await make(sent);
  const [line] = sent.items.lineItems;
  await floor.post(`/orders/${sent.id}/lines/${line?.id}/pause`, { reason: `${mark} waits` });
  await floor.post(`/orders/${sent.id}/lines/${line?.id}/resume`, {});
  await floor.post(`/orders/${sent.id}/lines/${line?.id}/spoil`, { quantity: 1, reason: `${mark} ink` });
  const shipped = await ship(sent, mark);
  const path = `/orders/${sent.id}/shipments/${shipped.shipments[0]?.id}`;
  assert.equal((await floor.request('PATCH', path, { tracking_number: `${mark}-2` })).status, 200);
  await floor.post(`/orders/${sent.id}/refunds`, { amount_gbp: 1, reason: `sorry, ${mark}` });
  const cancelled = await place(mark);
  await closeWindow(service, cancelled);
  for (const text of [`${mark} wants it no more`, `${mark} asks again`]) {
    const asked = { reason: 'other', text };
    const path = `/orders/${cancelled.id}/cancellation-request`;
    const { status, body } = await service.customer.request<{ id: string }>('POST', path, asked);
    assert.equal(status, 201);
    const message = `${mark} has to wait`;
    if (!text.endsWith('again')) await floor.post(`/cancellation-requests/${body.id}/refuse`, { message });
  }
  await floor.post(`/orders/${cancelled.id}/cancel`, { reason: `${mark} changed their mind` });
  const abroad = await place(mark, {
    shipping_address: addressOf(mark, { postcode: '10001', country_code: 'US', county: 'NY' }),
    billing_address: addressOf(mark, { postcode: '10001', country_code: 'US', county: 'NY' }),
  });
  await make(abroad);
  await ship(abroad, `${mark}-export`);
  for (const order of [sent, cancelled, abroad]) {
    assert.equal((await service.customer.request('GET', `/orders/${order.id}/invoice`)).status, 200);
  }
  await service.customer.request('GET', `/orders/${sent.id}/credit-notes`);
  return { sent, cancelled, abroad };
}

const BOOKS = `select (select json_agg(p order by id) from posting p)::text as postings,
  (select json_agg(b order by account_id) from account_balance b)::text as balances,
  (select json_agg(json_build_object('n', number, 'at', issued_at, 'total', document -> 'total_pence', 'vat', document -> 'vat',
    'lines', document -> 'lines') order by number) from invoice)::text as invoices,
  (select json_agg(json_build_object('n', number, 'at', issued_at, 'total', document -> 'total_pence', 'vat', document -> 'vat',
    'lines', document -> 'lines') order by number) from credit_note)::text as notes`;
const OTHER_ROWS = `select (select json_agg(o) from orders o where o.id = any($1::uuid[]))::text as orders,
  (select json_agg(s order by id) from shipment s where s.order_id = any($1::uuid[]))::text as parcels,
  (select json_agg(h order by id) from order_history h where h.order_id = any($1::uuid[]))::text as history,
  (select json_agg(e order by id) from event e where e.order_id = any($1::uuid[]))::text as events,
  (select json_agg(s order by order_id, kind, term) from order_search s where s.order_id = any($1::uuid[]))::text as search,
  (select json_agg(json_build_object('f', f.recipe, 's', f.state) order by f.key) from print_file f where f.recipe::text like '%${OTHER}%')::text as files`;

describe('a hunt for a person who was erased', () => {
  let person: Awaited<ReturnType<typeof live>>;
  let other: Awaited<ReturnType<typeof live>>;
  let replacement: OpsOrder;
  let receipt: ErasureReceipt;
  let earlier: { books: unknown; other: unknown };
  const erase = (body: object) => floor.request<ErasureReceipt>('POST', `/accounts/${accountId()}/erase`, body);
  const accountId = (): string => service.demo.account_id;

  before(async () => {
    person = await live(MARK);
    other = await live(OTHER);
    const [line] = person.sent.items.lineItems;
    replacement = await floor.post(
      `/orders/${person.sent.id}/replacement`,
      { items: [{ line_id: line?.id, quantity: 1 }], reason: `${MARK} got a hole` },
      201,
    );
    // The search has them.
    await eventually('the orders can be found', async () => {
      const { body } = await floor.request<{ data: OpsOrder[] }>('GET', `/orders?email=ADA@${MARK}.example`);
      return body.data.length === 4 && body.data;
    });
    await eventually('the documents are issued', async () => {
      const [row] = await rows<{ left: number }>(
        service,
        'select count(*)::integer as left from order_credit where noted_at is null',
      );
      return row?.left === 0;
    });
    assert.ok((await huntInDatabase(service.ctx.database, MARK)).length > 15, 'the hunt finds what is there');
    earlier = { books: await rows(service, BOOKS), other: await rows(service, OTHER_ROWS, [await idsOf(other)]) };
    const answer = await erase({
      recipient: { name: `${MARK.toUpperCase()}  ada`, postcode: 'ls14dy' },
      reason: 'request 7',
    });
    assert.equal(answer.status, 200, answer.text);
    receipt = answer.body;
  });

  const idsOf = async (orders: typeof person): Promise<string[]> => {
    const references = Object.values(orders).map(({ reference }) => reference);
    const found = await rows<{ id: string }>(
      service,
      'select id from orders where reference = any($1::text[]) order by id',
      [references],
    );
    return found.map(({ id }) => id);
  };

  test('the receipt counts what was erased and what waits, and names nobody', () => {
    assert.deepEqual([receipt.scope, receipt.state], ['recipient', 'in_progress']);
    assert.deepEqual([receipt.orders_erased, receipt.orders_waiting], [2, 1]);
    assert.deepEqual(receipt.waiting_for, [replacement.reference]);
    assert.ok(!JSON.stringify(receipt).toLowerCase().includes(MARK));
  });

  test('an order that is still being made keeps its address, and is erased by itself once it has ended', async () => {
    const { body } = await floor.request('GET', `/orders/${replacement.id}`);
    assert.equal(body.shipping_address.contact_name, `Ada ${MARK}`);
    assert.equal((await floor.request('GET', `/orders/${replacement.id}/packing-slip`)).status, 200);
    await floor.post(`/orders/${replacement.id}/cancel`, { reason: `${MARK} does not need it` });
    await runErasures(service.ctx);
    const { body: erased } = await floor.request('GET', `/orders/${replacement.id}`);
    assert.equal(erased.shipping_address.contact_name, '');
  });

  test('the same person at another address is another recipient, whom e-mail or phone names too', async () => {
    const { body } = await erase({ recipient: { email: `Ada@${MARK}.EXAMPLE` } });
    assert.deepEqual([body.orders_erased, body.orders_waiting], [1, 0], 'the order that went abroad');
    // The photo was used by the other person's order a moment ago.
    service.shiftMs(11 * 60_000);
    await runErasures(service.ctx);
  });

  test('no column of any table holds the text any more', async () => {
    const found = await huntInDatabase(service.ctx.database, MARK);
    // The evidence of the export.
    assert.deepEqual(found, ['shipment.tracking_number']);
    const kept = await rows<{ tracking_number: string }>(
      service,
      `select tracking_number from shipment where tracking_number like '${MARK}%'`,
    );
    assert.deepEqual(kept, [{ tracking_number: `${MARK}-export-1` }]);
  });

  test('no file and no line of the log holds it', async () => {
    const hits = await huntInFiles(service.ctx.config.dataDir, [MARK, MARK.toUpperCase()]);
    assert.deepEqual(hits, []);
    assert.ok(logged.length > 50, 'the log was kept');
    assert.deepEqual(
      logged.filter((line) => line.toLowerCase().includes(MARK)),
      [],
    );
  });

  test('print files that only this person had are gone, and those of the other person are there', async () => {
    const left = await rows<{ output: string; used: boolean }>(
      service,
      `select encode(f.output_hash, 'hex') as output, exists (
         select from print_job j where j.print_file_key = f.key and j.order_id = any($1::uuid[])) as used
       from print_file f where f.recipe ->> 'kind' = 'personalised'`,
      [await idsOf(other)],
    );
    assert.ok(left.length > 0);
    for (const { output, used } of left) {
      assert.ok(used);
      assert.ok(existsSync(await service.ctx.blobs.path(output)));
    }
    const photoHash = createHash('sha256')
      .update(await flat(600, 600, '#2468ac').png().toBuffer())
      .digest('hex');
    assert.ok(await service.ctx.blobs.has(photoHash), 'the other person uses the same photo');
    const [blobs] = await rows<{ dangling: number }>(
      service,
      `select count(*)::integer as dangling from blob b where not exists (select from design d where d.hash = b.hash)
         and not exists (select from print_file f where b.hash in (f.output_hash, f.preview_hash))`,
    );
    assert.equal(blobs?.dangling, 0);
  });

  test('the books are the same to the penny, and so is the other person', async () => {
    assert.deepEqual(await rows(service, BOOKS), earlier.books);
    assert.deepEqual(await rows(service, OTHER_ROWS, [await idsOf(other)]), earlier.other);
    await assertSound(service);
  });

  test('an erased order is shown with its country alone, and no operation fails on it', async () => {
    for (const { id } of Object.values(person)) {
      const { body } = await service.customer.request<Order>('GET', `/orders/${id}`);
      const { country_code: country, ...rest } = body.shipping_address;
      assert.match(country, /^(GB|US)$/);
      assert.deepEqual([...new Set(Object.values(rest))], ['']);
      assert.match(body.erased_at ?? '', /^\d{4}-/);
      assert.deepEqual([body.notes, body.metadata], ['', {}]);
      for (const path of ['', '/packing-slip', '/job-sheet', '/print-files']) {
        const answer = await floor.request('GET', `/orders/${id}${path}`);
        assert.equal(answer.status, 200, `${path} ${answer.text}`);
      }
      const pdf = await fetch(`${service.url}/api/v1/orders/${id}/invoice`, {
        headers: { authorization: `Bearer ${service.customer.token}`, accept: 'application/pdf' },
      });
      assert.equal(pdf.status, 200);
      const { body: invoice } = await service.customer.request<{ customer: { name: string } }>(
        'GET',
        `/orders/${id}/invoice`,
      );
      assert.equal(invoice.customer.name, 'Demo Print Club');
      assert.equal((await service.customer.request('GET', `/events?order=${id}`)).status, 200);
    }
    const csv = await fetch(`${service.url}/ops/v1/orders?limit=100`, {
      headers: { authorization: `Bearer ${(await service.openOperator()).token}`, accept: 'text/csv' },
    });
    assert.equal(csv.status, 200);
  });

  test('pieces of an erased order are not replaced: the refusal says what to supply anew', async () => {
    const [line] = person.sent.items.lineItems;
    const items = [{ line_id: line?.id, quantity: 1 }];
    const answer = await floor.request('POST', `/orders/${person.sent.id}/replacement`, { items, reason: 'again' });
    assert.equal(answer.status, 409, answer.text);
    assert.match(answer.body.detail ?? '', /shipping_address and the artwork/);
  });

  test('a repeat returns the same receipt, and changes nothing', async () => {
    const again = await erase({ recipient: { name: `Ada ${MARK}`, postcode: POSTCODE } });
    assert.equal(again.status, 200);
    assert.equal(again.body.id, receipt.id);
    assert.deepEqual([again.body.state, again.body.orders_erased, again.body.orders_waiting], ['done', 3, 0]);
    assert.ok(existsSync(join(service.ctx.config.dataDir, 'erasures', 'erasures.log')));
  });
});
