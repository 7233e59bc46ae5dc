import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { PORTAL_ROUTES } from '../../../src/app/portal-routes.ts';
import { type IdPrefix, newId, publicId } from '../../../src/lib/ids.ts';
import { isPersonRoute } from '../../../src/lib/route.ts';
import { openRole, type PortalClient } from '../../harness/portal.ts';
import { type FakeProvider, startProvider } from '../../harness/provider.ts';
import { type Answer, type ErrorReply, startTestService, type TestService } from '../../harness/service.ts';
import { connectSender, sendFromShop } from '../../harness/shop-sender.ts';
import { rows } from '../../harness/written.ts';

// What other-account.test.ts does for the public API: files of orders, top-ups, saved methods and shops.

let provider: FakeProvider;
let service: TestService;
let owner: PortalClient;
let stranger: PortalClient;

type Owned = { readonly id: string; readonly prefix: IdPrefix };
/** By what their paths begin with. */
const owned = new Map<string, Owned>();

/** A valid body for each operation that takes one. */
const BODIES: Readonly<Record<string, object>> = {
  changeOrderFile: { prefix: 'MINE-' },
  placeOrderFile: { plan: 1 },
  sayOrderFileItem: { key: 'title Mug', not_ours: true },
  forgetOrderFileItem: { key: 'title Mug' },
  changeChannel: { name: 'Mine now', paused: true },
  setChannelItem: { key: 'id:1', title: 'Mug', not_ours: true },
  forgetChannelItem: { key: 'id:1' },
  publishProduct: { product_id: publicId('prod', newId()) },
  correctShopAddress: {
    contact_name: 'Eve',
    line1: '1 High Street',
    city: 'Leeds',
    postcode: 'LS1 4DY',
    country_code: 'GB',
  },
};

const ROUTES = PORTAL_ROUTES.filter(isPersonRoute)
  .filter(({ path }) => path.includes('/:id'))
  .flatMap((route) => {
    const begin = BEGINS().find((each) => route.path.startsWith(`${each}/:id`));
    return begin === undefined ? [] : [{ ...route, begin }];
  });

function BEGINS(): readonly string[] {
  return ['/order-files', '/top-ups', '/payment-method/savings', '/channels', '/shop-orders'];
}

before(async () => {
  provider = await startProvider();
  service = await startTestService({ role: 'api', env: provider.env });
  owner = await openRole(service, 'owner');
  stranger = await openRole(service, 'owner', (await service.openCustomer()).accountId);
  const make = async (path: string, body: object, key?: string): Promise<string> => {
    const headers = key === undefined ? {} : { 'idempotency-key': key };
    const answer = await owner.request<{ id: string }>('POST', path, { body, headers });
    assert.equal(answer.status, 201, answer.text);
    return answer.body.id;
  };
  const file = { name: 'week.csv', content: 'Number,Name\n1,Ada\n' };
  owned.set('/order-files', { id: await make('/order-files', file), prefix: 'file' });
  owned.set('/top-ups', { id: await make('/top-ups', { amount_gbp: 50 }, newId()), prefix: 'top' });
  owned.set('/payment-method/savings', {
    id: await make('/payment-method/savings', { kind: 'card' }, newId()),
    prefix: 'sav',
  });
  const shop = await connectSender(owner, 'Fern and Thread');
  owned.set('/channels', { id: shop.id, prefix: 'chan' });
  const order = await sendFromShop(service, shop, { number: '#1', items: [{ id: '1', title: 'Mug', quantity: 1 }] });
  owned.set('/shop-orders', { id: order, prefix: 'sho' });
});
after(async () => {
  await service.stop();
  await provider.close();
});

/** All that may not tell whether a thing exists. */
function visible({ status, text, body }: Answer<ErrorReply>): object {
  return { status, text: text.replace(body?.request_id ?? 'none', 'req_') };
}

/** All that is written of what is asked for here. */
const written = () =>
  rows<object>(
    service,
    `select (select json_agg(f order by id) from order_file f)::text as files,
       (select json_agg(t order by id) from card_top_up t)::text as top_ups,
       (select json_agg(s order by id) from method_saving s)::text as savings,
       (select json_agg(c order by id) from channel c)::text as shops,
       (select json_agg(i) from channel_item i)::text as items,
       (select json_agg(p) from channel_product p)::text as products,
       (select json_agg(o order by id) from channel_order o)::text as shop_orders`,
  );

test('there is something of the owner for each, and a body for each operation that takes one', () => {
  assert.deepEqual([...new Set(ROUTES.map(({ begin }) => begin))].toSorted(), [...owned.keys()].toSorted());
  const bare = ROUTES.filter(({ body, operationId }) => body !== undefined && BODIES[operationId] === undefined);
  assert.deepEqual(
    bare.map(({ operationId }) => operationId),
    [],
  );
});

for (const { method, path, operationId, begin } of ROUTES) {
  test(`1.7 ${operationId}: another account's id is as unknown as one of nothing, and nothing is written`, async () => {
    const { id, prefix } = owned.get(begin) ?? assert.fail();
    const body = BODIES[operationId];
    const at = (name: string): string =>
      path.replace(':id', name).replace(':product_id', publicId('prod', newId(service.ctx.clock.now().getTime())));
    const before = await written();
    const ask = (name: string) => stranger.request(method, at(name), body === undefined ? {} : { body });
    const theirs = await ask(id);
    assert.deepEqual([theirs.status, theirs.body.code], [404, 'not_found'], theirs.text);
    assert.deepEqual(visible(theirs), visible(await ask(publicId(prefix, newId()))));
    assert.deepEqual(await written(), before);
  });
}
