import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { OpsOrder } from '../../../src/orders/ops-schema.ts';
import type { CreatedOrder, Order } from '../../../src/orders/schema.ts';
import type { PromoteResults } from '../../../src/production/schema.ts';
import type { PickList, StartedOrder, StationJob } from '../../../src/production/station-schema.ts';
import { count, type Floor, openFloor, placeOrder, ship, untilReady } from '../../harness/floor.ts';
import { startTestService, type TestService } from '../../harness/service.ts';
import { addProduct, HOME, problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { assertSound, eventsOf, levelOf, rows } from '../../harness/written.ts';

let service: TestService;
let floor: Floor;
before(async () => {
  service = await startTestService();
  floor = await openFloor(service, 'admin');
  await count(floor, TEE_WHITE_M, 1_000);
});
after(async () => {
  try {
    await assertSound(service);
  } finally {
    await service.stop();
  }
});

const blank = (quantity = 1, sku = TEE_WHITE_M): object =>
  teeItem(service, { variant_sku: sku, quantity, print_jobs: [] });

const linesOf = (order: CreatedOrder): readonly string[] => order.items.lineItems.map(({ id }) => id);

async function promoted(items: readonly object[]): Promise<CreatedOrder> {
  const order = await placeOrder(service, { items });
  await floor.post(`/orders/${order.id}/promote`);
  return order;
}

async function jobs(query = ''): Promise<Page<StationJob>> {
  const { status, body, text } = await floor.request<Page<StationJob>>('GET', `/jobs?limit=100${query}`);
  assert.equal(status, 200, text);
  return body;
}

async function jobsOf(order: { id: string }, query = ''): Promise<readonly StationJob[]> {
  return (await jobs(query)).data.filter(({ order_id: id }) => id === order.id);
}

async function listed(query: string): Promise<readonly string[]> {
  const { status, body, text } = await floor.request<Page<OpsOrder>>('GET', `/orders?limit=100&${query}`);
  assert.equal(status, 200, text);
  return body.data.map(({ id }) => id);
}

describe('what is next', () => {
  test('lists the print jobs of promoted orders, the oldest promotion first, with the garment as the catalogue has it', async () => {
    const second = await placeOrder(service, {
      items: [teeItem(service, { quantity: 3, colour: 'Snow', size: 'medium', name: 'Club shirt' }), blank()],
    });
    const first = await placeOrder(service);
    assert.deepEqual([await jobsOf(first), await jobsOf(second)], [[], []], 'nothing before the promotion');
    await floor.post(`/orders/${first.id}/promote`);
    service.shiftMs(5);
    await floor.post(`/orders/${second.id}/promote`);
    await untilReady(floor, second.id);
    const all = (await jobs()).data;
    const places = [first, second].map(({ id }) => all.findIndex((job) => job.order_id === id));
    assert.ok((places[0] ?? -1) >= 0 && (places[0] ?? 0) < (places[1] ?? 0), 'by promotion, not by placing');
    const { promoted_at: at, ...job } = all[places[1] ?? -1] ?? assert.fail('no job');
    assert.ok(at > job.placed_at);
    assert.deepEqual(job, {
      order_id: second.id,
      reference: second.reference,
      state: 'released',
      held: false,
      line_id: linesOf(second)[0],
      line_name: 'Club shirt',
      started: false,
      variant_sku: TEE_WHITE_M,
      product_title: 'Classic tee',
      colour: 'White',
      size: 'M',
      job: 0,
      area: 'front',
      method: 'dtg',
      station: 'dtg',
      quantity_left: 3,
      artwork_ready: true,
      artwork_state: 'ready',
      placed_at: job.placed_at,
    });
    assert.equal((await jobsOf(second)).length, 1, 'a blank line has no print job');
  });

  test('by station and by state; a held order is listed and says so', async () => {
    const order = await promoted([
      teeItem(service, { print_jobs: [{ area: 'front', method: 'dtg' }] }),
      teeItem(service, { print_jobs: [{ area: 'left_sleeve', method: 'embroidery' }] }),
    ]);
    assert.deepEqual(
      (await jobsOf(order, '&station=embroidery')).map(({ method }) => method),
      ['embroidery'],
    );
    assert.deepEqual(await jobsOf(order, '&station=nowhere'), []);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'a question' });
    assert.deepEqual(
      (await jobsOf(order)).map(({ held, state }) => [held, state]),
      [
        [true, 'on_hold'],
        [true, 'on_hold'],
      ],
    );
    assert.deepEqual(
      [(await jobsOf(order, '&state=released')).length, (await jobsOf(order, '&state=on_hold')).length],
      [0, 2],
    );
    await floor.post(`/orders/${order.id}/resume`);
    assert.equal((await jobsOf(order, '&state=released')).length, 2);
  });

  test('counts down with the pieces that are done, shipped or cancelled, and up again with what is spoiled', async () => {
    const order = await promoted([teeItem(service, { quantity: 6 }), teeItem(service)]);
    await untilReady(floor, order.id);
    const [line, other] = linesOf(order);
    const left = async () => (await jobsOf(order)).map((job) => [job.quantity_left, job.started]);
    const open = async () => {
      const text = 'select 1 from print_job j join orders o on o.id = j.order_id where o.reference = $1 and j.is_open';
      return (await rows(service, text, [order.reference])).length;
    };
    await floor.post(`/orders/${order.id}/lines/${line}/start`);
    assert.deepEqual(await left(), [
      [6, true],
      [1, false],
    ]);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', lines: [{ line_id: line, quantity: 1 }] });
    await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 2 });
    assert.deepEqual((await left())[0], [3, true]);
    await floor.post(`/orders/${order.id}/lines/${line}/finish`, { quantity: 3 });
    assert.equal(await open(), 1, 'what is done is no open work');
    assert.deepEqual(await left(), [[1, false]]);
    await floor.post(`/orders/${order.id}/lines/${line}/spoil`, { quantity: 2, reason: 'smudged' });
    assert.deepEqual((await left())[0], [2, true]);
    await ship(floor, order.id, [{ line_id: line, quantity: 5 }]);
    assert.deepEqual(await left(), [[1, false]], 'what has shipped uncounted is made');
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no more', line_ids: [other] });
    assert.deepEqual(await left(), []);
    assert.equal(await open(), 0, 'a dispatched order leaves nothing in the index of open work');
  });

  test('page by page without a gap or a repeat, also among jobs of one promotion', async () => {
    const areas = ['front', 'back'].map((area) => ({ area, method: 'dtg' }));
    await promoted([teeItem(service, { print_jobs: areas }), teeItem(service, { print_jobs: areas })]);
    const all = (await jobs()).data.map(({ line_id, job }) => `${line_id} ${job}`);
    assert.ok(all.length >= 4);
    const walked: string[] = [];
    let cursor = '';
    do {
      const { status, body } = await floor.request<Page<StationJob>>('GET', `/jobs?limit=1${cursor}`);
      assert.equal(status, 200);
      walked.push(...body.data.map(({ line_id, job }) => `${line_id} ${job}`));
      cursor = body.next_cursor === null ? '' : `&cursor=${body.next_cursor}`;
    } while (cursor !== '');
    assert.deepEqual(walked, all);
  });

  test('N208 what a node of the version before promotes is listed as well: it knows nothing of the list', async () => {
    const order = await placeOrder(service);
    const ofOrder = `where order_id = (select id from orders where reference = '${order.reference}')`;
    await rows(service, `update print_job set station = 'dtg' ${ofOrder}`);
    const [job] = await rows<{ is_open: boolean; promoted_at: Date }>(
      service,
      `select is_open, promoted_at from print_job ${ofOrder}`,
    );
    assert.deepEqual([job?.is_open, job?.promoted_at.toISOString()], [true, order.updated_at]);
    await rows(service, `update print_job set station = null, is_open = false, promoted_at = null ${ofOrder}`);
    await floor.post(`/orders/${order.id}/promote`);
    assert.equal((await jobsOf(order)).length, 1);
  });

  test('a cursor of another list, a state without work and a limit out of bounds are 422', async () => {
    for (const query of [`cursor=ord_${'0'.repeat(26)}`, 'cursor=1.2.3.4', 'state=placed', 'limit=0', 'station=']) {
      assert.equal((await floor.request('GET', `/jobs?${query}`)).status, 422, query);
    }
  });
});

describe('a pick list', () => {
  const pick = (names: readonly string[]) => floor.request<PickList>('GET', `/pick-list?ids=${names.join(',')}`);

  test('sums what to take by blank, says for which orders, and leaves out what is taken already', async () => {
    const black = 'TEE-CLASSIC-BLK-M';
    await count(floor, black, 10);
    const first = await promoted([blank(2), blank(1, black), blank(3)]);
    const second = await promoted([blank(4)]);
    const waiting = await placeOrder(service, { items: [blank(7)] });
    await floor.post(`/orders/${first.id}/lines/${linesOf(first)[0]}/start`);
    const answer = await pick([first.id, second.reference.toLowerCase(), waiting.id, first.reference]);
    assert.equal(answer.status, 200, answer.text);
    assert.deepEqual(answer.body, {
      blanks: [
        {
          variant_sku: black,
          product_title: 'Classic tee',
          colour: 'Black',
          size: 'M',
          quantity: 1,
          orders: [{ id: first.id, reference: first.reference, quantity: 1 }],
        },
        {
          variant_sku: TEE_WHITE_M,
          product_title: 'Classic tee',
          colour: 'White',
          size: 'M',
          quantity: 7,
          orders: [
            { id: first.id, reference: first.reference, quantity: 3 },
            { id: second.id, reference: second.reference, quantity: 4 },
          ],
        },
      ],
      nothing_to_take: [{ id: waiting.id, reference: waiting.reference, state: 'placed' }],
    });
  });

  test('of an unknown order, of none and of more than a hundred is 422', async () => {
    const order = await placeOrder(service);
    const unknown = await floor.request('GET', `/pick-list?ids=${order.id},PF-22222222,ord_nothing`);
    assert.deepEqual([unknown.status, problemsOf(unknown as never)], [422, ['ids unknown_order']]);
    assert.match(unknown.body.detail ?? '', /PF-22222222, ord_nothing/);
    for (const names of [[], [''], Array.from({ length: 101 }, () => order.reference)]) {
      assert.equal((await pick(names)).status, 422, `${names.length}`);
    }
    assert.equal((await pick(Array.from({ length: 100 }, () => order.reference))).status, 200);
  });
});

describe('starting an order whole', () => {
  const start = (order: { id: string }, body: object = {}, headers: Record<string, string> = {}) =>
    floor.request<StartedOrder>('POST', `/orders/${order.id}/start`, body, headers);
  /** Makes the artwork of an order wait again, as if it had not been made yet. */
  const unready = (order: { reference: string }, area: string) =>
    rows(
      service,
      `update print_job set print_file_key = decode(md5(print_area), 'hex')
       where print_area = $2 and order_id = (select id from orders where reference = $1)`,
      [order.reference, area],
    );
  const ready = (order: { reference: string }) =>
    rows(
      service,
      `update print_job set print_file_key = (select key from print_file where state = 'ready' limit 1)
       where order_id = (select id from orders where reference = $1)`,
      [order.reference],
    );

  test('6.3 order.in_production: every line that can start does in one step, the event comes once, and each other line has its answer', async () => {
    const order = await promoted([
      blank(2),
      teeItem(service),
      blank(3),
      teeItem(service, { print_jobs: [{ area: 'back', method: 'dtg' }] }),
    ]);
    await untilReady(floor, order.id);
    await unready(order, 'back');
    await floor.post(`/orders/${order.id}/lines/${linesOf(order)[0]}/start`);
    const before = await levelOf(service, TEE_WHITE_M);
    const answer = await start(order);
    assert.equal(answer.status, 200, answer.text);
    assert.equal(answer.body.state, 'in_production');
    assert.deepEqual(
      answer.body.results.map(({ line_id: id, started, code }) => [id, started, code]),
      linesOf(order).map((id, index) => [
        id,
        [1, 2].includes(index),
        [null, 'conflict', 'artwork_not_ready'][[1, 0, 0, 2][index] ?? 0],
      ]),
    );
    assert.deepEqual(await levelOf(service, TEE_WHITE_M), {
      on_hand: before.on_hand - 4,
      allocated: before.allocated - 4,
    });
    assert.deepEqual(await eventsOf(service, order), ['order.created', 'order.in_production']);
    assert.deepEqual(
      answer.body.history.map(({ action }) => action),
      ['place', 'promote', 'start_line', 'start_line', 'start_line'],
    );
    await ready(order);
    assert.equal((await start(order)).status, 200);
  });

  test('named lines start all or none, and the refusal names the line', async () => {
    const order = await promoted([blank(), teeItem(service), blank()]);
    await untilReady(floor, order.id);
    await unready(order, 'front');
    const [first, unreadyLine, third] = linesOf(order);
    const before = await levelOf(service, TEE_WHITE_M);
    const refused = await start(order, { line_ids: [first, unreadyLine] });
    assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_not_ready']);
    assert.match(refused.body.detail ?? '', new RegExp(`^${unreadyLine}: .*No line was started`));
    assert.deepEqual(
      [(await floor.request('GET', `/orders/${order.id}`)).body.state, await levelOf(service, TEE_WHITE_M)],
      ['released', before],
    );
    const done = await start(order, { line_ids: [third, first] });
    assert.deepEqual(
      done.body.results.map(({ line_id: id, started }) => [id, started]),
      [
        [third, true],
        [first, true],
      ],
    );
    await ready(order);
  });

  test('an order of which no line can start is refused as its nearest line is, and nothing changes', async () => {
    const order = await promoted([teeItem(service), blank()]);
    await untilReady(floor, order.id);
    await floor.post(`/orders/${order.id}/lines/${linesOf(order)[1]}/start`);
    await unready(order, 'front');
    const refused = await start(order);
    assert.deepEqual([refused.status, refused.body.code], [409, 'artwork_not_ready']);
    await ready(order);
    assert.equal((await start(order)).status, 200);
    assert.deepEqual(
      [(await start(order)).status, (await start(order)).body.code],
      [409, 'conflict'],
      'all have started',
    );
    const placed = await placeOrder(service, { items: [blank()] });
    assert.match((await start(placed)).body.detail ?? '', /has not been promoted/);
    assert.equal((await start({ id: 'PF-22222222' })).status, 404);
  });

  test('lines of another order, lines named twice and no lines at all are 422', async () => {
    const order = await promoted([blank()]);
    const other = await promoted([blank()]);
    const [line] = linesOf(order);
    const wrong = await start(order, { line_ids: [line, linesOf(other)[0], line] });
    assert.equal(wrong.status, 422);
    assert.deepEqual(problemsOf(wrong as never).toSorted(), ['line_ids[1] unknown_line', 'line_ids[2] duplicate']);
    for (const body of [{ line_ids: [] }, { line_ids: 'x' }, { line_ids: [''] }])
      assert.equal((await start(order, body)).status, 422);
    assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.state, 'released');
  });

  test('a repeat under its key starts nothing more and says how the lines stand', async () => {
    const order = await promoted([blank(), teeItem(service)]);
    await untilReady(floor, order.id);
    await unready(order, 'front');
    const key = { 'idempotency-key': `start ${order.reference}`.replace(' ', '-') };
    const answers = [await start(order, {}, key)];
    await ready(order);
    answers.push(await start(order, {}, key));
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.results.map(({ started }) => started)], [200, [true, false]]);
    }
    assert.match(answers[1]?.body.results[1]?.detail ?? '', /under a new one/);
    assert.equal((await start(order, { line_ids: [linesOf(order)[1]] }, key)).status, 409);
  });

  test('a line for which a count has left too few pieces waits, and the others start', async () => {
    const [scarce, plenty] = ['TEE-CLASSIC-NVY-M', TEE_WHITE_M];
    await count(floor, scarce, 2);
    const order = await promoted([blank(2, scarce), blank(1, plenty)]);
    await count(floor, scarce, 1);
    const { body } = await start(order);
    assert.deepEqual(
      body.results.map(({ started, code }) => [started, code]),
      [
        [false, 'out_of_stock'],
        [true, null],
      ],
    );
    await count(floor, scarce, 2);
    assert.equal((await start(order)).status, 200);
  });
});

describe('what is stuck', () => {
  test('orders short of stock, from the promotion that found it until there is enough or they are cancelled', async () => {
    const sku = 'TEE-CLASSIC-NVY-L';
    await count(floor, sku, 2);
    const items = [blank(2, sku)];
    const order = await placeOrder(service, { items });
    const gone = await placeOrder(service, { items });
    await count(floor, sku, 1);
    const short = () => listed('needs=stock');
    assert.deepEqual(await short(), []);
    for (const { id } of [order, gone])
      assert.equal((await floor.request('POST', `/orders/${id}/promote`)).status, 409);
    assert.deepEqual(await short(), [gone.id, order.id]);
    assert.deepEqual(await listed('needs=stock&sort=oldest'), [order.id, gone.id]);
    await floor.post(`/orders/${gone.id}/cancel`, { reason: 'no such blanks' });
    assert.deepEqual(await short(), [order.id]);
    assert.deepEqual(await listed('needs=stock&state=on_hold'), []);
    await floor.post(`/orders/${order.id}/hold`, { reason: 'wait for blanks' });
    assert.deepEqual(await listed('needs=stock&state=on_hold'), [order.id]);
    await floor.post(`/orders/${order.id}/resume`);
    await count(floor, sku, 2);
    assert.deepEqual(await short(), [], 'there is enough now');
    await floor.post(`/orders/${order.id}/promote`);
    assert.deepEqual(await rows(service, 'select 1 from promotion_shortage'), []);
  });

  test('orders that wait for their payment, of all accounts or of one', async () => {
    const poor = await service.openCustomer();
    const product_id = await addProduct(service, poor, 'TEE-CLASSIC');
    const items = [{ product_id, variant_sku: TEE_WHITE_M, quantity: 1, print_jobs: [] }];
    const [one, two] = [await placeOrder(service, { items }, poor), await placeOrder(service, { items }, poor)];
    assert.deepEqual(await listed('needs=payment'), [two.id, one.id]);
    assert.deepEqual(await listed('needs=payment&sort=oldest'), [one.id, two.id]);
    assert.deepEqual(await listed(`needs=payment&account=${publicId('acct', poor.accountId)}`), [two.id, one.id]);
    assert.deepEqual(await listed(`needs=payment&account=${publicId('acct', service.customer.accountId)}`), []);
    assert.deepEqual(await listed('needs=payment&state=placed'), []);
  });

  test('orders whose artwork could not be made, until it is being made anew or nothing of it is wanted', async () => {
    const order = await promoted([teeItem(service), blank()]);
    await untilReady(floor, order.id);
    const [file] = await rows<{ key: Buffer }>(
      service,
      `insert into print_file (key, account_id, recipe, state, failure, created_at)
       select decode(md5('lost'), 'hex'), account_id, '{}', 'failed', 'lost', placed_at from orders where reference = $1 returning key`,
      [order.reference],
    );
    assert.ok(file);
    await rows(
      service,
      `insert into artwork_failure (order_id, print_file_key, account_id, task_id, created_at)
       select id, $2, account_id, id, placed_at from orders where reference = $1`,
      [order.reference, file.key],
    );
    const point = (key: string) =>
      rows(
        service,
        `update print_job set print_file_key = ${key} where order_id = (select id from orders where reference = $1)`,
        [order.reference],
      );
    await point(`decode(md5('lost'), 'hex')`);
    assert.deepEqual(await listed('needs=artwork'), [order.id]);
    await rows(
      service,
      `update print_file set state = 'pending', failure = null where key = decode(md5('lost'), 'hex')`,
    );
    assert.deepEqual(await listed('needs=artwork'), [], 'it is being made');
    await rows(service, `update print_file set state = 'failed' where key = decode(md5('lost'), 'hex')`);
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'no artwork', line_ids: [linesOf(order)[0]] });
    assert.deepEqual(await listed('needs=artwork'), [], 'the line is cancelled');
    await point(`(select key from print_file where state = 'ready' limit 1)`);
    await rows(service, `delete from artwork_failure`);
    await rows(service, `delete from print_file where key = decode(md5('lost'), 'hex')`);
  });

  test('orders with a refund that is owed by hand', async () => {
    assert.deepEqual(await listed('needs=refund'), []);
    const order = await placeOrder(service);
    const owe = (pence: number) =>
      rows(service, 'update orders set refund_owed_pence = $2 where reference = $1', [order.reference, pence]);
    await owe(100);
    assert.deepEqual([await listed('needs=refund'), await listed('needs=refund&state=cancelled')], [[order.id], []]);
    await owe(0);
    assert.deepEqual(await listed('needs=refund'), []);
  });

  test('the oldest first, page by page without a gap or a repeat', async () => {
    const newest = await listed('state=placed');
    const oldest = await listed('state=placed&sort=oldest');
    assert.deepEqual(oldest, newest.toReversed());
    const walked: string[] = [];
    let query = 'state=placed&sort=oldest&limit=2';
    for (;;) {
      const { body } = await floor.request<Page<OpsOrder>>('GET', `/orders?${query}`);
      walked.push(...body.data.map(({ id }) => id));
      if (body.next_cursor === null) break;
      query = `state=placed&sort=oldest&limit=2&cursor=${body.next_cursor}`;
    }
    assert.deepEqual(walked, oldest);
    const account = publicId('acct', service.customer.accountId);
    assert.deepEqual(await listed(`account=${account}&sort=oldest`), (await listed(`account=${account}`)).toReversed());
  });
});

describe('an order by what the caller knows', () => {
  test('by the tracking number of one of its parcels, in any case and spacing', async () => {
    const order = await promoted([blank(2)]);
    await floor.post(`/orders/${order.id}/start`, {});
    const parcel = {
      carrier: 'Royal Mail',
      tracking_number: 'AB 1234 GB',
      items: [{ line_id: linesOf(order)[0], quantity: 1 }],
    };
    for (let round = 0; round < 2; round += 1) await floor.post(`/orders/${order.id}/shipments`, parcel, 201);
    for (const text of ['AB 1234 GB', 'ab1234gb', ' AB12 34GB']) {
      assert.deepEqual(await listed(`tracking_number=${encodeURIComponent(text)}`), [order.id], text);
    }
    for (const text of ['AB1234', 'AB 1234 GB 5', '%']) {
      assert.deepEqual(await listed(`tracking_number=${encodeURIComponent(text)}`), [], text);
    }
    assert.deepEqual(await listed('tracking_number=ab1234gb&state=placed'), []);
  });

  test('by its postcode, also after the address was changed', async () => {
    const address = { ...HOME, postcode: 'ls9 8ab' };
    const one = await placeOrder(service, { shipping_address: address });
    const two = await placeOrder(service, { shipping_address: { ...address, postcode: 'LS98AB' } });
    assert.deepEqual(await listed('postcode=LS9%208AB'), [two.id, one.id]);
    assert.deepEqual(await listed('postcode=LS9%208AB&sort=oldest'), [one.id, two.id]);
    const changed = await floor.request('PATCH', `/orders/${one.id}/address`, { postcode: 'LS9 7XY' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([await listed('postcode=ls98ab'), await listed('postcode=ls97xy')], [[two.id], [one.id]]);
  });

  test('one thing at a time: two of them are 422, and so is a blank one', async () => {
    for (const query of [
      'needs=stock&postcode=LS1',
      'reference=PF-22222222&tracking_number=1',
      'postcode=%20',
      'needs=luck',
      'sort=best',
    ]) {
      assert.equal((await floor.request('GET', `/orders?${query}`)).status, 422, query);
    }
  });
});

describe('what is told', () => {
  test('the audit log of an order by its reference', async () => {
    const order = await promoted([blank()]);
    const seen = async (name: string): Promise<readonly string[]> =>
      (await floor.request<Page<{ action: string }>>('GET', `/audit?order=${name}`)).body.data.map(
        ({ action }) => action,
      );
    assert.deepEqual(await seen(order.id), ['promote']);
    assert.deepEqual(await seen(order.reference.toLowerCase()), ['promote']);
    assert.deepEqual([await seen('PF-22222222'), await seen('nothing')], [[], []]);
  });

  test('the history of a cancel of pieces says which', async () => {
    const order = await placeOrder(service, { items: [blank(5), blank(2), blank()] });
    const [first, second] = linesOf(order);
    const lines = [{ line_id: first, quantity: 3 }];
    const { history } = await floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', lines, line_ids: [second] });
    const { action, reason } = history.at(-1) ?? assert.fail('no history');
    assert.deepEqual([action, reason], ['cancel_lines', `2 of ${second}, 3 of ${first}: fewer`]);
  });

  test('a repeated promotion of many says what it did then and how the order stands now', async () => {
    const order = await placeOrder(service, { items: [blank()] });
    const headers = { 'idempotency-key': `many-${order.id}` };
    const promote = async () =>
      (await floor.request<PromoteResults>('POST', '/orders/promote', { ids: [order.id] }, headers)).body.results[0];
    const first = await promote();
    assert.deepEqual(
      [first?.ok, first?.state, first?.repeated, first?.state_now],
      [true, 'released', undefined, undefined],
    );
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'asked for' });
    const again = await promote();
    assert.deepEqual(
      [again?.ok, again?.state, again?.repeated, again?.state_now],
      [true, 'released', true, 'cancelled'],
    );
  });

  test('an order says where it came from and what it makes good for', async () => {
    const order = await promoted([blank()]);
    await floor.post(`/orders/${order.id}/start`, {});
    await ship(floor, order.id, [{ line_id: linesOf(order)[0], quantity: 1 }]);
    const items = [{ line_id: linesOf(order)[0], quantity: 1 }];
    const made = await floor.post(`/orders/${order.id}/replacement`, { items, reason: 'torn' }, 201);
    const read = async (id: string): Promise<Order> =>
      (await service.customer.request<Order>('GET', `/orders/${id}`)).body;
    const [first, second] = [await read(order.id), await read(made.id)];
    assert.deepEqual([first.source, first.replaces], ['api', null]);
    assert.deepEqual([second.source, second.replaces], ['replacement', { id: order.id, reference: order.reference }]);
    const { body } = await service.customer.request<Page<Order>>('GET', '/orders?limit=1');
    assert.equal(body.data[0]?.replaces?.id, order.id);
  });

  test('a spoiled piece for which there is no blank is refused with what to do about it, and changes nothing', async () => {
    const sku = 'TEE-CLASSIC-NVY-XL';
    await count(floor, sku, 1);
    const order = await promoted([blank(1, sku)]);
    await floor.post(`/orders/${order.id}/start`, {});
    const spoil = () =>
      floor.request('POST', `/orders/${order.id}/lines/${linesOf(order)[0]}/spoil`, { quantity: 1, reason: 'torn' });
    const refused = await spoil();
    assert.deepEqual([refused.status, refused.body.code], [409, 'out_of_stock']);
    assert.match(
      refused.body.detail ?? '',
      /Nothing was recorded\. Keep the spoiled piece out of the parcel: .* cancel/,
    );
    assert.equal((await floor.request('GET', `/orders/${order.id}`)).body.lines[0]?.quantity_spoiled, 0);
    await floor.post('/stock/receipts', { items: [{ sku, quantity: 1 }] }, 201);
    assert.equal((await spoil()).status, 200);
  });

  test('stock is shown however many pieces are awaited', async () => {
    const sku = 'TEE-CLASSIC-NVY-2XL';
    await count(floor, sku, 1);
    const order = await placeOrder(service, { items: [blank(1, sku)] });
    const lines = 214_749;
    await service.ctx.database.script(`
      select set_config('statement_timeout', '0', true);
      insert into order_line (order_id, id, account_id, ordinal, product_id, sku, quantity, name, unit_price_pence, line_price_pence, vat_class)
      select l.order_id, gen_random_uuid(), l.account_id, n, l.product_id, l.sku, 10000, l.name, 0, 0, l.vat_class
      from order_line l join orders o on o.id = l.order_id, generate_series(1, ${lines}) as n where o.reference = '${order.reference}'`);
    const answer = await floor.request<Page<{ awaiting: number }>>('GET', `/stock?sku=${sku}`);
    assert.deepEqual([answer.status, answer.body.data?.[0]?.awaiting], [200, lines * 10_000 + 1], answer.text);
    await service.ctx.database.script(`
      select set_config('statement_timeout', '0', true);
      delete from order_line where ordinal > 0 and order_id = (select id from orders where reference = '${order.reference}')`);
  });
});
