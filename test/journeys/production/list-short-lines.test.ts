import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { publicId } from '../../../src/lib/ids.ts';
import type { Page } from '../../../src/lib/paging.ts';
import type { ShortLine } from '../../../src/production/short/schema.ts';
import type { ErrorReply } from '../../harness/service.ts';
import { problemsOf } from '../../harness/shop.ts';
import { receive, shortLines, shortOrder, spoil, startedOrders } from './spoil-pieces/short.ts';
import { closeStations, floor, openStations, service } from './stations.ts';

before(openStations);
after(closeStations);

test('the lines that are short are listed, the oldest first, by page, by variant, by account and by what they wait for', async () => {
  const sku = 'TEE-CLASSIC-NVY-M';
  const orders = await startedOrders(sku, 2, 1, 1);
  for (const order of orders) {
    service.shiftMs(5);
    await spoil(order, order.line, 1);
  }
  const other = await shortOrder('TEE-CLASSIC-SKY-M', 1, 1);
  const ids = (lines: readonly ShortLine[]) => lines.map(({ line_id: id }) => id);
  const all = [...orders.map(({ line }) => line), other.line];
  assert.deepEqual(ids(await shortLines('')), all);
  const [first] = await shortLines('');
  assert.deepEqual(first, {
    account_id: publicId('acct', service.customer.accountId),
    account_name: first?.account_name,
    order_id: orders[0]?.id,
    reference: orders[0]?.reference,
    state: 'in_production',
    line_id: orders[0]?.line,
    line_name: first?.line_name,
    variant_sku: sku,
    product_title: 'Classic tee',
    colour: 'Navy',
    size: 'M',
    quantity_short: 1,
    quantity_to_start: 0,
    short_since: first?.short_since,
    paused: false,
    placed_at: first?.placed_at,
  });
  const paged: string[] = [];
  let cursor = '';
  for (let pages = 0; pages < 10; pages += 1) {
    const { body } = await floor.request<Page<ShortLine>>('GET', `/short-lines?limit=1${cursor}`);
    paged.push(...ids(body.data));
    if (body.next_cursor === null) break;
    cursor = `&cursor=${body.next_cursor}`;
  }
  assert.deepEqual(paged, all);
  await receive(sku, 1);
  assert.deepEqual(ids(await shortLines(`sku=${sku}&waits_for=start`)), [orders[0]?.line]);
  assert.deepEqual(ids(await shortLines(`sku=${sku}&waits_for=blanks`)), [orders[1]?.line, orders[2]?.line]);
  const account = publicId('acct', service.customer.accountId);
  assert.deepEqual(ids(await shortLines(`account=${account}`)), all);
  assert.deepEqual(ids(await shortLines(`account=${account}&sku=TEE-CLASSIC-SKY-M`)), [other.line]);
  assert.deepEqual(await shortLines('account=nobody'), []);
  const stranger = await service.openCustomer({ balancePence: 0 });
  assert.deepEqual(await shortLines(`account=${publicId('acct', stranger.accountId)}`), []);
  await floor.post(`/orders/${orders[0]?.id}/start`, {});
  assert.deepEqual(
    ids(await shortLines(`sku=${sku}`)),
    [orders[1]?.line, orders[2]?.line],
    'what is made again is gone',
  );
});

test('as a spreadsheet, and a query that is wrong is refused', async () => {
  const { token } = await service.openOperator('viewer');
  const headers = { authorization: `Bearer ${token}`, accept: 'text/csv' };
  const sheet = await fetch(`${service.url}/ops/v1/short-lines`, { headers });
  assert.match(sheet.headers.get('content-type') ?? '', /^text\/csv/);
  assert.match(await sheet.text(), /account_id,account_name,order_id,reference,.*quantity_short,quantity_to_start/);
  for (const query of ['waits_for=ink', 'cursor=x', 'limit=0', 'variant=x']) {
    const answer = await floor.request<ErrorReply>('GET', `/short-lines?${query}`);
    assert.equal(answer.status, 422, query);
    assert.match(problemsOf(answer).join(), new RegExp(`^${query.split('=')[0]}`));
  }
});
