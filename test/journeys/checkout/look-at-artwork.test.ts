import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { NewArtworkLook } from '../../../src/checkout/new-artwork/schema.ts';
import { newId, publicId } from '../../../src/lib/ids.ts';
import type { CreatedOrder } from '../../../src/orders/schema.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { problemsOf } from '../../harness/shop.ts';
import { assertSound } from '../../harness/written.ts';
import { openReplacing, type ReplaceShop, written } from './replace-artwork/replacing.ts';

let at: ReplaceShop;
let orders: PortalClient;
before(async () => {
  at = await openReplacing();
  orders = await openRole(at.service, 'orders');
});
after(async () => {
  try {
    await at.workers.working();
    await assertSound(at.service);
  } finally {
    await at.service.stop();
  }
});

type LookBody = NewArtworkLook & { code?: string; detail?: string };

const pathOf = (order: { id: string }, line: string): string => `/orders/${order.id}/lines/${line}/artwork/look`;
const look = (order: CreatedOrder, body: object, by = orders) =>
  by.request<LookBody>('POST', pathOf(order, order.items.lineItems[0]?.id ?? ''), { body });

test('a person sees how other artwork would print, at the position of the line, and the order stays as it is', async () => {
  const order = await at.failed();
  const url = await at.picture({ widthPx: 900, heightPx: 1_200 });
  const before = await written(at.service);
  const seen = await look(order, { print_area: 'front', url });
  assert.equal(seen.status, 200, seen.text);
  assert.deepEqual([seen.body.method, seen.body.source.width, seen.body.source.height], ['dtg', 900, 1_200]);
  assert.deepEqual(await written(at.service), before);
  const picture = await fetch(seen.body.picture_url.replace(/^https?:\/\/[^/]+/, at.service.url));
  assert.deepEqual([picture.status, picture.headers.get('content-type')?.split('/')[0]], [200, 'image']);
  const replaced = await at.replace(order, { print_area: 'front', url });
  assert.deepEqual(replaced.body.items[0]?.artwork?.areas[0]?.print, seen.body.print);
});

test('soft artwork is warned of before it is sent', async () => {
  const order = await at.failed();
  const url = await at.picture({ widthPx: 90, heightPx: 120 });
  const { body } = await look(order, { print_area: 'front', url });
  assert.deepEqual([body.warnings[0]?.code, body.warnings[0]?.path], ['low_resolution', 'url']);
});

test('what would be refused is refused here: no failure, another area, a picture that fails, a reader, a stranger', async () => {
  const order = await at.failed();
  const url = await at.picture();
  const body = { print_area: 'front', url };
  const before = await written(at.service);
  assert.deepEqual(problemsOf((await look(order, { ...body, print_area: 'back' })) as never), [
    'print_area unknown_print_area',
  ]);
  assert.deepEqual(problemsOf((await look(order, { ...body, url: 'http://x.example/a.png' })) as never), [
    'url scheme',
  ]);
  const reader = await openRole(at.service, 'reader');
  assert.deepEqual([(await look(order, body, reader)).status], [403]);
  const stranger = await openRole(at.service, 'owner', (await at.service.openCustomer()).accountId);
  const theirs = await look(order, body, stranger);
  const nobodys = await stranger.request('POST', pathOf({ id: publicId('ord', newId()) }, publicId('line', newId())), {
    body,
  });
  assert.deepEqual([theirs.status, nobodys.status], [404, 404]);
  const anonymous = (text: string): string => text.replace(/req_\w+/g, '');
  assert.equal(anonymous(theirs.text), anonymous(nobodys.text));
  assert.deepEqual(await written(at.service), before);
  assert.equal((await at.replace(order, body)).status, 200);
  const late = await look(order, { print_area: 'front', url: await at.picture() });
  assert.deepEqual([late.status, late.body.code], [409, 'conflict'], 'it has not failed any more');
});
