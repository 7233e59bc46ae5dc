import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { FIRST_ID, parseId } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import { sellerDay } from '../../../../src/lib/seller-day.ts';
import type { OpsOrder } from '../../../../src/orders/ops-schema.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { fillSettled } from '../../../../src/orders/search/fill-search.ts';
import { eventually } from '../../../harness/context.ts';
import { placeOrder } from '../../../harness/floor.ts';
import { HOME } from '../../../harness/shop.ts';
import { rows } from '../../../harness/written.ts';
import {
  blank,
  closeStations,
  floor,
  linesOf,
  listed,
  openStations,
  promoted,
  service,
} from '../../production/stations.ts';

before(openStations);
after(closeStations);

/** Waits until a search finds these orders; a worker makes them findable after they are committed. */
async function findable(query: string, ...ids: readonly string[]): Promise<void> {
  await eventually(query, async () => JSON.stringify(await listed(query)) === JSON.stringify(ids));
}

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

  test('by its phone number and its e-mail address, however they are written', async () => {
    const order = await placeOrder(service, {
      shipping_address: { ...HOME, phone: '07700 900777', email: 'Xenia@Mail.example' },
    });
    await findable('phone=%2B44%207700%20900777', order.id);
    assert.deepEqual(await listed('email=xenia%40mail.EXAMPLE'), [order.id]);
    assert.deepEqual(await listed('email=xenia%40mail.EXAMPLE&phone=07700%20900778'), []);
    assert.equal((await floor.request('GET', '/orders?phone=none')).status, 422);
  });

  test('by its postcode, also after the address was changed', async () => {
    const address = { ...HOME, postcode: 'ls9 8ab' };
    const one = await placeOrder(service, { shipping_address: address });
    const two = await placeOrder(service, { shipping_address: { ...address, postcode: 'LS98AB' } });
    await findable('postcode=LS9%208AB', two.id, one.id);
    assert.deepEqual(await listed('postcode=LS9%208AB&sort=oldest'), [one.id, two.id]);
    const changed = await floor.request('PATCH', `/orders/${one.id}/address`, { postcode: 'LS9 7XY' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([await listed('postcode=ls98ab'), await listed('postcode=ls97xy')], [[two.id], [one.id]]);
  });

  test('by words of the recipient or the company, in any order, case and accents, also after the address was changed', async () => {
    const address = { ...HOME, contact_name: 'Zoë O’Quigley-Ng', company_name: 'Quince & Daughters' };
    const one = await placeOrder(service, { shipping_address: address });
    const two = await placeOrder(service, { shipping_address: { ...address, contact_name: 'Zoe Quince' } });
    await findable('recipient=zoe', two.id, one.id);
    for (const [text, ids] of [
      ['zoë', [two.id, one.id]],
      ['NG quigley', [one.id]],
      ['quince', [two.id, one.id]],
      ['daughters, ZOE', [two.id, one.id]],
      ['zoe quin', []],
      ['zoe nobody', []],
    ] as const) {
      assert.deepEqual(await listed(`recipient=${encodeURIComponent(text)}`), ids, text);
    }
    const changed = await floor.request('PATCH', `/orders/${one.id}/address`, { contact_name: 'Yann Ng' });
    assert.equal(changed.status, 200, changed.text);
    assert.deepEqual([await listed('recipient=quigley'), await listed('recipient=yann%20daughters')], [[], [one.id]]);
  });

  test("by its owner's reference in any case, by its total, and by several of these at once", async () => {
    const address = { ...HOME, contact_name: 'Xaver Unique', postcode: 'LS7 1XU' };
    // As long as a reference can be.
    const reference = `Find Me ${Date.now()}`.padEnd(255, 'x');
    const one = await placeOrder(service, { shipping_address: address, external_reference: reference });
    const two = await placeOrder(service, { shipping_address: address, items: [blank(7)] });
    await findable('recipient=xaver', two.id, one.id);
    const ref = encodeURIComponent(reference.toUpperCase().replaceAll(' ', ''));
    assert.deepEqual(await listed(`external_reference=${ref}`), [one.id]);
    assert.deepEqual(await listed(`external_reference=${ref.slice(0, -1)}`), []);
    const total = two.charged.total;
    assert.notEqual(total, one.charged.total);
    assert.deepEqual(await listed(`recipient=xaver&amount_gbp=${total}`), [two.id]);
    assert.deepEqual(await listed(`recipient=xaver&amount_gbp=${total.toFixed(2)}&postcode=ls71xu`), [two.id]);
    assert.deepEqual(await listed(`recipient=xaver&amount_gbp=${total}&external_reference=${ref}`), []);
    assert.ok((await listed(`amount_gbp=${total}`)).includes(two.id));
    assert.deepEqual(await listed('recipient=xaver&state=cancelled'), []);
    assert.deepEqual(await listed('recipient=xaver&account=acct_unknown'), []);
    const first = await floor.request<Page<OpsOrder>>('GET', '/orders?recipient=xaver&limit=1');
    assert.deepEqual([first.body.data[0]?.id, first.body.has_more], [two.id, true]);
    const rest = await floor.request<Page<OpsOrder>>(
      'GET',
      `/orders?recipient=xaver&limit=1&cursor=${first.body.next_cursor}`,
    );
    assert.deepEqual([rest.body.data[0]?.id, rest.body.has_more], [one.id, false]);
  });

  test('by when it was placed, alone and with everything else, from either end', async () => {
    const made = [];
    for (const contact_name of ['Walter One', 'Walter Two', 'Walter Three'])
      made.push(await placeOrder(service, { shipping_address: { ...HOME, contact_name } }));
    const [one, two, three] = made as [CreatedOrder, CreatedOrder, CreatedOrder];
    await findable('recipient=walter', three.id, two.id, one.id);
    const [first, second, third] = [one.created_at, two.created_at, three.created_at];
    const cases: readonly (readonly [query: string, ids: readonly string[]])[] = [
      [`placed_from=${second}&placed_to=${second}`, [two.id]],
      [`placed_from=${second}`, [three.id, two.id]],
      [`placed_from=${first}&placed_to=${third}&sort=oldest`, [one.id, two.id, three.id]],
      [`placed_from=${first}&placed_to=${second}&recipient=walter`, [two.id, one.id]],
      [`placed_from=${second}&recipient=walter&sort=oldest`, [two.id, three.id]],
      [`placed_from=${first}&placed_to=${third}&cursor=${two.id}`, [one.id]],
      [`placed_from=${second}&placed_to=${third}&sort=oldest&cursor=${two.id}`, [three.id]],
      [`placed_from=${first}&placed_to=${second}&reference=${three.reference}`, []],
      [`placed_from=${third}&reference=${three.reference}`, [three.id]],
      [`placed_from=${third}&placed_to=${first}`, []],
    ];
    for (const [query, ids] of cases) assert.deepEqual(await listed(query), ids, query);
    const today = sellerDay({ timeZone: 'Europe/London', from: new Date(0) }, new Date(first));
    const [yesterday, tomorrow] = [-1, 1].map((days) =>
      new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10),
    );
    assert.deepEqual(await listed(`recipient=walter&placed_from=${yesterday}&placed_to=${tomorrow}`), [
      three.id,
      two.id,
      one.id,
    ]);
    assert.deepEqual(await listed(`recipient=walter&placed_to=${yesterday}`), []);
    assert.deepEqual(await listed(`recipient=walter&placed_from=${tomorrow}`), []);
    const page = await floor.request<Page<OpsOrder>>('GET', `/orders?placed_from=${second}&placed_to=${third}&limit=1`);
    assert.deepEqual([page.body.data[0]?.id, page.body.has_more], [three.id, true]);
    const end = await floor.request<Page<OpsOrder>>(
      'GET',
      `/orders?placed_from=${second}&placed_to=${third}&limit=1&cursor=${page.body.next_cursor}`,
    );
    assert.deepEqual([end.body.data[0]?.id, end.body.has_more, end.body.next_cursor], [two.id, false, null]);
  });

  test('an order of two common words beyond the 20,000 that a page looks at is on a later page, and a list as CSV has it', async () => {
    const order = await placeOrder(service, { shipping_address: { ...HOME, contact_name: 'Ulla Busy' } });
    await findable('recipient=ulla', order.id);
    // Younger ones that have one word and lack the other. Both are so common that neither counts as the rarer.
    await rows(
      service,
      `insert into order_search (account_id, order_id, kind, term)
       select $1::uuid, ('ffffffff-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'recipient', 'BUSY'
       from generate_series(1, 20000) as n
       union all
       select $1::uuid, ('eeeeeeee-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'recipient', 'ULLA'
       from generate_series(1, 500) as n`,
      [service.customer.accountId],
    );
    const { body: first } = await floor.request<Page<OpsOrder>>('GET', '/orders?recipient=busy%20ulla');
    assert.deepEqual([first.data, first.has_more], [[], true]);
    const { body: second } = await floor.request<Page<OpsOrder>>(
      'GET',
      `/orders?recipient=busy%20ulla&cursor=${first.next_cursor}`,
    );
    assert.deepEqual([second.data.map(({ id }) => id), second.has_more, second.next_cursor], [[order.id], false, null]);
    const oldest = await floor.request<Page<OpsOrder>>('GET', '/orders?recipient=busy%20ulla&sort=oldest');
    assert.deepEqual([oldest.body.data.map(({ id }) => id), oldest.body.has_more], [[order.id], true]);
    const past = await floor.request<Page<OpsOrder>>('GET', '/orders?recipient=busy&placed_to=2100-01-01');
    assert.deepEqual([past.body.data.map(({ id }) => id), past.body.has_more], [[order.id], false]);
    const { token } = await service.openOperator('viewer');
    const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
    const answer = await fetch(`${service.url}/ops/v1/orders?recipient=busy%20ulla`, { headers });
    assert.equal((await answer.text()).split('\r\n')[1]?.split(',')[0], order.id);
    await rows(
      service,
      "delete from order_search where kind = 'recipient' and order_id >= 'eeeeeeee-0000-7000-8000-000000000000'",
    );
  });

  test('an order is found while another that is locked waits to be', async () => {
    const shipTo = (contact_name: string) => ({ shipping_address: { ...HOME, contact_name } });
    const locked = await placeOrder(service, shipTo('Tilda Locked'));
    await findable('recipient=tilda', locked.id);
    await service.ctx.database.transaction(async (tx) => {
      const id = parseId('ord', locked.id) ?? '';
      await tx.all({ name: '', text: 'select from orders where id = $1 for update' }, [id]);
      // As if it had been locked before it could be found.
      await rows(service, 'delete from order_search where order_id = $1', [id]);
      const free = await placeOrder(service, shipTo('Tilda Free'));
      await findable('recipient=tilda', free.id);
    });
    const later = { ...service.ctx, clock: { ...service.ctx.clock, now: () => new Date(Date.now() + 120_000) } };
    await rows(service, `update order_search_progress set filled_through = '${FIRST_ID}'`);
    await fillSettled(later);
    assert.ok((await listed('recipient=tilda')).includes(locked.id), 'at the latest a minute after the lock');
  });

  test('an order that was placed while no worker ran is found a minute later', async () => {
    const order = await placeOrder(service, { shipping_address: { ...HOME, contact_name: 'Vera Late' } });
    await findable('recipient=vera', order.id);
    const id = parseId('ord', order.id);
    await rows(service, 'delete from order_search where order_id = $1', [id ?? '']);
    assert.deepEqual(await listed('recipient=vera'), []);
    await rows(service, `update order_search_progress set filled_through = '${FIRST_ID}'`);
    assert.equal(await fillSettled(service.ctx), false);
    assert.deepEqual(await listed('recipient=vera'), [], 'it is younger than a minute');
    const later = { ...service.ctx, clock: { ...service.ctx.clock, now: () => new Date(Date.now() + 120_000) } };
    await rows(service, `update order_search_progress set filled_through = '${FIRST_ID}'`);
    assert.equal(await fillSettled(later), false);
    assert.deepEqual(await listed('recipient=vera'), [order.id]);
  });

  test('one thing at a time: two of them are 422, and so is a blank one', async () => {
    for (const query of [
      'needs=stock&postcode=LS1',
      'reference=PF-22222222&tracking_number=1',
      'postcode=%20',
      'recipient=zoe&reference=PF-22222222',
      'amount_gbp=5&needs=stock',
      'external_reference=A&tracking_number=1',
      'recipient=%20',
      'recipient=...',
      'amount_gbp=1.005',
      'amount_gbp=five',
      'placed_from=yesterday',
      'placed_from=2026-02-30',
      'placed_to=2026-11-21T09:30:00Z',
      'needs=luck',
      'sort=best',
    ]) {
      assert.equal((await floor.request('GET', `/orders?${query}`)).status, 422, query);
    }
  });
});
