import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { placeOrder } from '../../../harness/floor.ts';
import { addProduct, servePicture, teeItem } from '../../../harness/shop.ts';
import { assertSound, balancePence, eventsOf, rows } from '../../../harness/written.ts';
import { openReplacing, printsOf, type ReplaceShop, written } from './replacing.ts';

let at: ReplaceShop;
before(async () => {
  at = await openReplacing();
});
after(async () => {
  try {
    await at.workers.working();
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

test('the customer reads which area failed and why, sends other artwork, and the line is made at the same price', async () => {
  const order = await at.failed(['front', 'back']);
  const [front, back] = await at.areas(order);
  assert.deepEqual(
    [front?.state, front?.failure, front?.replaced_at, front?.actions],
    ['pending', 'The disk is full.', null, { replace: { available: true } }],
  );
  const before = await balancePence(at.service, at.service.customer);
  const events = await eventsOf(at.service, order);
  const answer = await at.replace(order, { print_area: 'front', url: await at.picture() });
  assert.equal(answer.status, 200, answer.text);
  const seen = answer.body.items[0]?.artwork?.areas.find(({ print_area: area }) => area === 'front');
  assert.deepEqual([seen?.source?.width, seen?.source?.height, seen?.failure], [1_200, 1_600, null]);
  assert.ok(seen?.replaced_at);
  assert.equal(seen?.actions.replace.available, false);
  assert.equal(answer.body.total, order.charged.total);
  assert.equal(back?.actions.replace.available, true, 'the other area waits for its own');
  assert.equal((await at.replace(order, { print_area: 'back', url: await at.picture() })).status, 200);
  assert.deepEqual(await printsOf(at.service, order), [
    { area: 'front', state: 'pending', jobs: 1, needs: 1, is_same: false },
    { area: 'back', state: 'pending', jobs: 1, needs: 1, is_same: false },
  ]);
  assert.deepEqual(await at.workers.tasksOf(at.floor, order), [], 'the shop has nothing to do any more');
  assert.equal(await balancePence(at.service, at.service.customer), before);
  assert.deepEqual(await eventsOf(at.service, order), events, 'no event is sent');
  const history = (await at.floor.request('GET', `/orders/${order.id}`)).body.history.map(({ action, actor }) => [
    action,
    actor,
  ]);
  assert.deepEqual(history.slice(-2), [
    ['replace_artwork', 'customer'],
    ['replace_artwork', 'customer'],
  ]);
  await at.workers.working();
  await at.floor.post(`/orders/${order.id}/promote`);
  const started = await at.floor.post(`/orders/${order.id}/lines/${order.items.lineItems[0]?.id}/start`);
  assert.equal(started.state, 'in_production');
});

test('the failed file and its picture are no longer in use, unless another order prints them', async () => {
  const item = await at.workers.ownItem();
  const [first, second] = [
    await placeOrder(at.service, { items: [item] }),
    await placeOrder(at.service, { items: [item] }),
  ];
  await at.workers.failing();
  const fileOf =
    'select encode(j.print_file_key, $2) as key from print_job j join orders o on o.id = j.order_id where o.reference = $1';
  const [file] = await rows<{ key: string }>(at.service, fileOf, [first.reference, 'hex']);
  const isThere = async (): Promise<boolean> =>
    (await rows(at.service, "select 1 from print_file where key = decode($1, 'hex')", [file?.key ?? ''])).length > 0;
  assert.equal((await at.replace(first, { print_area: 'front', url: await at.picture() })).status, 200);
  assert.equal(await isThere(), true);
  assert.equal((await at.workers.tasksOf(at.floor, second)).length, 1, 'the other order still waits');
  assert.equal((await at.replace(second, { print_area: 'front', url: await at.picture() })).status, 200);
  assert.equal(await isThere(), false);
  assert.deepEqual(await rows(at.service, 'select 1 from job where key = $1', [file?.key ?? '']), []);
});

test('the same picture again starts the same file over, for every order that waits for it', async () => {
  const url = await servePicture(at.service, '/same.png', { widthPx: 700, heightPx: 700, colour: '#123456' });
  const item = teeItem(at.service, {
    decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: url }] },
  });
  const [first, second] = [
    await placeOrder(at.service, { items: [item] }),
    await placeOrder(at.service, { items: [item] }),
  ];
  await at.workers.failing('A picture that it is made from is no longer stored.');
  assert.match((await at.areas(first))[0]?.failure ?? '', /no longer stored/);
  const answer = await at.replace(first, { print_area: 'front', url });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual(await printsOf(at.service, first), [
    { area: 'front', state: 'pending', jobs: 1, needs: 1, is_same: true },
  ]);
  await at.workers.working();
  for (const order of [first, second]) {
    assert.deepEqual([(await at.areas(order))[0]?.state, await at.workers.tasksOf(at.floor, order)], ['ready', []]);
  }
});

test('a repeat with the same picture changes nothing and says so; another picture is refused then', async () => {
  const order = await at.failed();
  const url = await at.picture();
  assert.equal((await at.replace(order, { print_area: 'front', url })).status, 200);
  const before = await written(at.service);
  const again = await at.replace(order, { print_area: 'front', url });
  assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [200, 'true'], again.text);
  const other = await at.replace(order, { print_area: 'front', url: await at.picture() });
  assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  assert.match(other.body.detail ?? '', /has not failed: its print file is still being made/);
  assert.deepEqual(await written(at.service), before);
  await at.workers.failing();
  assert.equal(
    (await at.replace(order, { print_area: 'front', url: await at.picture() })).status,
    200,
    'it failed anew',
  );
});

test('what may not print as it looks is warned of, by the position of the line', async () => {
  const order = await at.failed();
  const answer = await at.replace(order, {
    print_area: 'front',
    url: await at.picture({ widthPx: 90, heightPx: 120 }),
  });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.warnings[0]?.code, answer.body.warnings[0]?.path], ['low_resolution', 'url']);
  const [area] = await at.areas(order);
  assert.equal(area?.print?.share_outside, 0);
});

test('an order that waits for payment, one that is held and one that is promoted take it, each at its place in the queue', async () => {
  const url = await at.picture();
  const near = async (order: { reference: string }): Promise<number | undefined> => {
    const tierOf =
      "select b.tier from job b join print_job j on b.key = encode(j.print_file_key, 'hex') join orders o on o.id = j.order_id where o.reference = $1";
    return (await rows<{ tier: number }>(at.service, tierOf, [order.reference]))[0]?.tier;
  };
  const promoted = await at.failed();
  await at.floor.post(`/orders/${promoted.id}/promote`);
  assert.equal((await at.replace(promoted, { print_area: 'front', url: await at.picture() })).status, 200);
  assert.equal(await near(promoted), 0);
  const held = await at.failed();
  await at.floor.post(`/orders/${held.id}/hold`, { reason: 'We ask the customer.' });
  assert.equal((await at.replace(held, { print_area: 'front', url })).status, 200);
  assert.equal(await near(held), 1);
  assert.equal((await at.see(held)).hold?.reason, 'We ask the customer.', 'it stays held');
});

test('artwork of an unpaid order that has expired is replaced, and the order can be paid again', async () => {
  const poor = await at.service.openCustomer();
  const item = teeItem(at.service, {
    decoration: { areas: [{ print_area: 'front', method: 'dtg', artwork_url: await at.picture() }] },
  });
  const product = await addProduct(at.service, poor, 'TEE-CLASSIC');
  const order = await placeOrder(at.service, { items: [{ ...item, product_id: product }] }, poor);
  const gone = `with file as (delete from print_file f using print_job j, orders o where f.key = j.print_file_key and o.id = j.order_id
    and o.reference = $1 returning f.key)
    delete from job using file where job.key = encode(file.key, 'hex')`;
  await rows(at.service, gone, [order.reference]);
  const line = order.items.lineItems[0]?.id ?? '';
  const seen = await poor.request<Awaited<ReturnType<typeof at.see>>>('GET', `/orders/${order.id}`);
  const area = seen.body.items[0]?.artwork?.areas[0];
  assert.deepEqual([area?.state, area?.actions.replace.available], ['expired', true]);
  const answer = await at.replace(order, { print_area: 'front', url: await at.picture() }, { line, by: poor });
  assert.equal(answer.status, 200, answer.text);
  assert.deepEqual([answer.body.payment_status, answer.body.items[0]?.artwork?.state], ['failed', 'pending']);
});
