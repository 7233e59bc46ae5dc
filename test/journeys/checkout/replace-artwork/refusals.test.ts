import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { newId, publicId } from '../../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../../src/orders/schema.ts';
import { openFloor, placeOrder } from '../../../harness/floor.ts';
import { leaveFailed } from '../../../harness/print-workers.ts';
import { basket, problemsOf, teeItem, withoutRequestId } from '../../../harness/shop.ts';
import { assertSound, rows } from '../../../harness/written.ts';
import { openReplacing, type ReplaceAnswer, type ReplaceShop, written } from './replacing.ts';

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

/** Sends another picture for the front of an order; it must be refused with a conflict, and change nothing. */
async function conflict(order: CreatedOrder, what: RegExp, area = 'front'): Promise<void> {
  const url = await at.picture();
  const before = await written(at.service);
  const answer = await at.replace(order, { print_area: area, url });
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'], answer.text);
  assert.match(answer.body.detail ?? '', what);
  assert.deepEqual(await written(at.service), before);
}

test('artwork that did not fail is not replaced, whether it is being made or is made', async () => {
  const order = await placeOrder(at.service, { items: [await at.workers.ownItem()] });
  await conflict(order, /^The artwork for front has not failed: its print file is still being made\. Only artwork/);
  await at.workers.working();
  await conflict(order, /^The artwork for front has not failed: its print file is made\./);
  assert.equal((await at.areas(order))[0]?.actions.replace.available, false);
});

test('an order that is cancelled, and a line that has started, is cancelled or is shipped, takes no other artwork', async () => {
  const cancelled = await at.failed();
  assert.equal((await at.service.customer.request('POST', `/orders/${cancelled.id}/cancel`)).status, 200);
  await conflict(cancelled, /^This order is cancelled, so its artwork can no longer be replaced\.$/);
  const order = await placeOrder(at.service, {
    items: [await at.workers.ownItem(), { ...teeItem(at.service), print_jobs: [] }],
  });
  await at.workers.working();
  await at.floor.post(`/orders/${order.id}/promote`);
  const [line, blank] = order.items.lineItems;
  await at.floor.post(`/orders/${order.id}/lines/${line?.id}/start`);
  await leaveFailed(at.service, order);
  await conflict(order, /^This line has started, so its artwork can no longer be replaced\.$/);
  const part = await placeOrder(at.service, {
    items: [await at.workers.ownItem(), teeItem(at.service, { print_jobs: [] })],
  });
  await at.workers.failing();
  await at.floor.post(`/orders/${part.id}/cancel`, {
    reason: 'One line is not wanted.',
    items: [{ line_id: part.items.lineItems[0]?.id, quantity: 1 }],
  });
  await conflict(part, /^Nothing of this line is left to make/);
  const answer = await at.replace(
    order,
    { print_area: 'front', url: 'https://x.example/a.png' },
    { line: blank?.id ?? '' },
  );
  assert.deepEqual(problemsOf(answer as never), ['print_area unknown_print_area']);
  assert.match(answer.body.detail ?? '', /This line is blank/);
});

test('a personalised line says what to do instead: it is drawn from the inputs of the order', async () => {
  const { personalised } = at.service.demo.products;
  const decoration = { personalisation: { inputs: { line: 'Sunday walks' } } };
  const items = [{ product_id: personalised, variant_sku: 'TEE-ORGANIC-SAG-M', quantity: 1, decoration }];
  const order = await placeOrder(at.service, { items });
  await at.workers.failing();
  const [area] = await at.areas(order);
  assert.deepEqual([area?.failure, area?.actions.replace.available], ['The disk is full.', false]);
  await conflict(
    order,
    /^This line is personalised: .* order it again: the form of the portal then has these inputs, to be changed\.$/,
    area?.print_area,
  );
});

test('an area that the line does not print is named with those that it prints, and a body is checked as a whole', async () => {
  const order = await at.failed();
  const other = await at.replace(order, { print_area: 'back', url: await at.picture() });
  assert.deepEqual([other.status, ...problemsOf(other as never)], [422, 'print_area unknown_print_area']);
  assert.deepEqual(other.body.errors?.[0]?.valid_values, ['front']);
  assert.deepEqual(problemsOf((await at.replace(order, {})) as never), ['print_area required', 'url required']);
  assert.deepEqual(problemsOf((await at.replace(order, { print_area: 7, url: '' })) as never).toSorted(), [
    'print_area type',
    'url out_of_bounds',
  ]);
});

test('artwork that fails its checks is refused with the code of an order, and nothing is written', async () => {
  const order = await at.failed();
  at.service.stranger.serve('/page.html', { body: '<html></html>' });
  const before = await written(at.service);
  const codeOf = async (url: string): Promise<readonly string[]> => {
    const answer: ReplaceAnswer = await at.replace(order, { print_area: 'front', url });
    assert.equal(answer.status, 422, answer.text);
    return problemsOf(answer as never);
  };
  assert.deepEqual(await codeOf('http://art.example/a.png'), ['url scheme']);
  assert.deepEqual(await codeOf('https://127.0.0.1/a.png'), ['url ssrf']);
  assert.deepEqual(await codeOf('nonsense'), ['url url']);
  assert.deepEqual(await codeOf(at.service.stranger.url('/page.html')), ['url format']);
  assert.deepEqual(await codeOf(at.service.stranger.url('/nothing.png')), ['url fetch']);
  assert.deepEqual(await written(at.service), before);
});

test('artwork of which nothing would lie on the area, at the position of the line, is refused', async () => {
  const product = await at.service.customer.request<{ id: string }>('POST', '/products', {
    base_product_id: (
      await at.service.customer.request<{ base_product: { id: string } }>(
        'GET',
        `/products/${at.service.demo.products.fixed}`,
      )
    ).body.base_product.id,
    name: 'Far to the side',
    variant_skus: ['TEE-CLASSIC-WHT-M'],
    decoration: {
      areas: [
        {
          print_area: 'front',
          method: 'dtg',
          artwork_url: await at.picture({ widthPx: 2_000, heightPx: 400 }),
          position: { x: 1.4 },
        },
      ],
    },
  });
  assert.equal(product.status, 201, product.text);
  const order = await placeOrder(at.service, { items: [teeItem(at.service, { product_id: product.body.id })] });
  await at.workers.failing();
  const narrow = await at.replace(order, {
    print_area: 'front',
    url: await at.picture({ widthPx: 100, heightPx: 2_000 }),
  });
  assert.deepEqual([narrow.status, ...problemsOf(narrow as never)], [422, 'url outside_print_area'], narrow.text);
  const wide = await at.replace(order, {
    print_area: 'front',
    url: await at.picture({ widthPx: 2_100, heightPx: 400 }),
  });
  assert.equal(wide.status, 200, wide.text);
  assert.ok(
    (wide.body.items[0]?.artwork?.areas[0]?.print?.share_outside ?? 0) > 0.8,
    'it keeps the position of the line',
  );
});

test("another account's order, an unknown one and an unknown line are one answer", async () => {
  const order = await at.failed();
  const line = order.items.lineItems[0]?.id ?? '';
  const stranger = await at.service.openCustomer();
  const body = { print_area: 'front', url: await at.picture() };
  const theirs = await at.replace(order, body, { line, by: stranger });
  const nobodys = await at.replace({ id: publicId('ord', newId()) }, body, { line, by: stranger });
  const noLine = await at.replace(order, body, { line: publicId('line', newId()) });
  const other = await placeOrder(at.service, basket(at.service));
  const ofOther = await at.replace(order, body, { line: other.items.lineItems[0]?.id ?? '' });
  for (const answer of [theirs, nobodys, noLine, ofOther]) {
    assert.equal(answer.status, 404);
    assert.equal(withoutRequestId(answer as never), withoutRequestId(theirs as never));
  }
});

test('an order whose personal data is erased takes no other artwork', async () => {
  const order = await at.failed();
  await rows(at.service, 'update orders set erased_at = now() where reference = $1', [order.reference]);
  await conflict(order, /personal data of this order is erased/);
  await rows(at.service, 'update orders set erased_at = null where reference = $1', [order.reference]);
  const viewer = await openFloor(at.service, 'viewer');
  assert.equal((await viewer.request('GET', `/orders/${order.id}`)).status, 200);
});
