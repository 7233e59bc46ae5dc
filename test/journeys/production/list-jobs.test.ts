import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from '../../../src/lib/paging.ts';
import type { StationJob } from '../../../src/production/station-schema.ts';
import { placeOrder, ship, untilReady } from '../../harness/floor.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { problemsOf, TEE_WHITE_M, teeItem } from '../../harness/shop.ts';
import { rows } from '../../harness/written.ts';
import { blank, closeStations, floor, linesOf, openStations, promoted, service } from './stations.ts';

before(openStations);
after(closeStations);

async function jobs(query = ''): Promise<Page<StationJob>> {
  const { status, body, text } = await floor.request<Page<StationJob>>('GET', `/jobs?limit=100${query}`);
  assert.equal(status, 200, text);
  return body;
}

async function jobsOf(order: { id: string }, query = ''): Promise<readonly StationJob[]> {
  return (await jobs(query)).data.filter(({ order_id: id }) => id === order.id);
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
      paused: false,
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
      quantity_short: 0,
      quantity_to_start: 3,
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
    await floor.post(`/orders/${order.id}/cancel`, { reason: 'fewer', items: [{ line_id: line, quantity: 1 }] });
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

  test('an unknown station is 422 with the stations there are; one with nothing to do is an empty page', async () => {
    const ask = (station: string) => floor.request<ErrorReply>('GET', `/jobs?station=${station}`);
    const answer = await ask('nothing');
    assert.deepEqual([answer.status, problemsOf(answer)], [422, ['station unknown_value']]);
    const stations = answer.body.errors?.[0]?.valid_values ?? [];
    const { methods } = await service.ctx.catalogue.latest();
    assert.deepEqual(stations.toSorted(), methods.map(({ method }) => method).toSorted());
    for (const station of stations) assert.equal((await ask(station)).status, 200, station);
  });

  test('a station that the catalogue no longer has is known while it has jobs', async () => {
    const order = await promoted([teeItem(service)]);
    const ask = () => floor.request<Page<StationJob> & ErrorReply>('GET', '/jobs?station=old&state=released');
    assert.equal((await ask()).status, 422);
    await rows(
      service,
      `update print_job set station = 'old' where order_id = (select id from orders where reference = $1)`,
      [order.reference],
    );
    assert.deepEqual(
      (await ask()).body.data.map(({ order_id: id }) => id),
      [order.id],
    );
    const held = await floor.request<Page<StationJob>>('GET', '/jobs?station=old&state=on_hold');
    assert.deepEqual([held.status, held.body.data], [200, []]);
    await rows(service, `insert into station (id, title, methods) values ('new', 'New', array['dtg'])`);
    const { body } = await floor.request<ErrorReply>('GET', '/jobs?station=nothing');
    const stations = body.errors?.[0]?.valid_values ?? [];
    assert.ok(stations.includes('old') && stations.includes('new') && stations.includes('embroidery'), stations.join());
    await rows(service, `delete from station where id = 'new'`);
    await rows(service, `update print_job set station = 'dtg' where station = 'old'`);
  });

  test('a cursor of another list, a state without work and a limit out of bounds are 422', async () => {
    for (const query of [`cursor=ord_${'0'.repeat(26)}`, 'cursor=1.2.3.4', 'state=placed', 'limit=0', 'station=']) {
      assert.equal((await floor.request('GET', `/jobs?${query}`)).status, 422, query);
    }
  });
});
