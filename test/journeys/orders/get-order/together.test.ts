import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Database, Statement } from '../../../../src/lib/db.ts';
import { newId, parseId, publicId, type Uuid } from '../../../../src/lib/ids.ts';
import type { Page } from '../../../../src/lib/paging.ts';
import { openReading } from '../../../../src/orders/reading/read-together.ts';
import { type AskedOrder, findShownOrders, SMALL_LINES_MAX } from '../../../../src/orders/reading/together-sql.ts';
import type { Order } from '../../../../src/orders/schema.ts';
import { eventually } from '../../../harness/context.ts';
import { openRace, service } from '../../../harness/race.ts';
import type { Answer, Customer, ErrorReply } from '../../../harness/service.ts';
import { basket, openShop, type Shop, teeItem, unsigned, withoutRequestId } from '../../../harness/shop.ts';

// Orders that are asked for at one moment are read by one statement. Each answer is what it is by itself.

openRace();

type Placed = { readonly id: string; readonly reference: string };

async function placed(shop: Shop, lines = 1): Promise<Placed> {
  const item = { product_id: shop.productId, variant_sku: shop.sku, quantity: 1 };
  const answer = await shop.order({ items: Array.from({ length: lines }, () => item) });
  assert.equal(answer.status, 201, answer.text.slice(0, 300));
  return answer.body;
}

function uuidOf({ id }: Placed): Uuid {
  return parseId('ord', id) ?? assert.fail(`${id} is no id`);
}

const byId = ({ customer }: { customer: Customer }, order: Placed): AskedOrder => ({
  accountId: customer.accountId,
  id: uuidOf(order),
});

/** A reading whose shared statements begin and end as a test says, and the size of each of their batches. */
function gated(options: { all?: Database['all'] } = {}) {
  const { database } = service.ctx;
  const sizes: number[] = [];
  const { promise: isOpen, resolve: open } = Promise.withResolvers<void>();
  const shared: Database = {
    ...database,
    all: async <Row>(what: Statement<Row>, values: Parameters<Database['all']>[1]): Promise<Row[]> => {
      sizes.push((values[0] as readonly unknown[]).length);
      const rows = await (options.all ?? database.all)(what, values);
      if (sizes.length === 1) await isOpen;
      return rows;
    },
  };
  const reading = openReading({ ...database, of: () => shared });
  const names: string[] = [];
  const own: Database = {
    ...database,
    all: (what, values) => {
      names.push(what.name);
      return database.all(what, values);
    },
    one: (what, values) => {
      names.push(what.name);
      return database.one(what, values);
    },
  };
  const read = (asked: AskedOrder, hasGone = false) =>
    reading({ asker: { owner: asked.accountId, hasGone: () => hasGone }, database: own }, asked);
  return { read, open, sizes, namesOfOwn: names };
}

describe('orders of one moment', () => {
  test('each of many requests at once gets what it gets alone, and another account’s order is an unknown one', async () => {
    const [one, other] = [await openShop(service, 3), await openShop(service, 3)];
    const [mine, yours, large] = [await placed(one), await placed(other), await placed(one, SMALL_LINES_MAX + 1)];
    const unknown = publicId('ord', newId());
    const asked: [Customer, string][] = [one, other].flatMap(({ customer }) =>
      [
        mine.id,
        yours.id,
        large.id,
        mine.reference,
        yours.reference.toLowerCase(),
        unknown,
        'PF-22222222',
        'nothing',
      ].map((name): [Customer, string] => [customer, name]),
    );
    const get = ([customer, name]: [Customer, string]): Promise<Answer<ErrorReply>> =>
      customer.request('GET', `/orders/${name}`);
    const shownOf = (answer: Answer<ErrorReply>): unknown =>
      answer.status === 200 ? unsigned(answer.body) : [answer.status, withoutRequestId(answer)];
    const alone: unknown[] = [];
    for (const each of asked) alone.push(shownOf(await get(each)));
    const statuses = (await Promise.all(asked.map(get))).map(({ status }) => status);
    assert.deepEqual(statuses, [
      ...[200, 404, 200, 200, 404, 404, 404, 404],
      ...[404, 200, 404, 404, 200, 404, 404, 404],
    ]);
    const refusals = alone.filter((shown) => Array.isArray(shown));
    assert.equal(new Set(refusals.map((refusal) => JSON.stringify(refusal))).size, 1, 'all refusals are alike');
    for (let round = 0; round < 5; round += 1) {
      const mixed = [...asked, ...asked, ...asked];
      const answers = await Promise.all(mixed.map(get));
      assert.deepEqual(answers.map(shownOf), [...alone, ...alone, ...alone]);
    }
  });

  test('of two accounts in one statement: an order is matched by its account and its id, or its reference', async () => {
    const [one, other] = [await openShop(service, 2), await openShop(service, 1)];
    const [first, second, yours] = [await placed(one), await placed(one), await placed(other)];
    const accountId = one.customer.accountId;
    const asked: AskedOrder[] = [
      byId(other, first),
      byId(one, second),
      byId(one, yours),
      { accountId, reference: first.reference },
      { accountId, reference: yours.reference },
      { accountId, id: newId() },
      { accountId: other.customer.accountId, reference: yours.reference },
      byId(one, second),
    ];
    const found = await findShownOrders(service.ctx.database, asked);
    assert.deepEqual(
      found.map((order) => order?.parts?.reference),
      [
        undefined,
        second.reference,
        undefined,
        first.reference,
        undefined,
        undefined,
        yours.reference,
        second.reference,
      ],
    );
    const alone = await Promise.all(asked.map((each) => findShownOrders(service.ctx.database, [each])));
    assert.deepEqual(alone.flat(), found);
  });

  test('a read that is asked after a cancel shows it, whatever is being read meanwhile', async () => {
    const shop = await openShop(service, 2);
    const order = await placed(shop);
    const beside = await placed(shop);
    const { read, open, sizes } = gated();
    const before = read(byId(shop, order));
    assert.equal((await shop.customer.request('POST', `/orders/${order.id}/cancel`)).status, 200);
    const after = [read(byId(shop, order)), read(byId(shop, beside))];
    open();
    assert.equal((await before)?.state, 'placed');
    assert.deepEqual(
      (await Promise.all(after)).map((found) => found?.state),
      ['cancelled', 'placed'],
    );
    assert.deepEqual(sizes, [1, 2]);
  });

  test('an order of many lines is read alone, and has all of them', async () => {
    const shop = await openShop(service, SMALL_LINES_MAX + 60);
    const [small, large] = [await placed(shop, SMALL_LINES_MAX), await placed(shop, SMALL_LINES_MAX + 1)];
    const { read, open, sizes, namesOfOwn } = gated();
    open();
    await read(byId(shop, small));
    const found = await Promise.all([read(byId(shop, small)), read(byId(shop, large))]);
    assert.deepEqual(
      found.map((order) => (JSON.parse(order?.lines_text ?? '[]') as unknown[]).length),
      [SMALL_LINES_MAX, SMALL_LINES_MAX + 1],
    );
    assert.ok(sizes.length <= 3, sizes.join());
    assert.deepEqual(namesOfOwn, ['orders_shown_by_id']);
    const page = await shop.customer.request<Page<Order>>('GET', '/orders?limit=2');
    const reads = await Promise.all(
      [large, small].map(({ id }) => shop.customer.request<Order>('GET', `/orders/${id}`)),
    );
    assert.deepEqual(
      page.body.data.map(unsigned),
      reads.map(({ body }) => unsigned(body)),
    );
    assert.deepEqual(
      reads.map(({ body }) => body.items.length),
      [SMALL_LINES_MAX + 1, SMALL_LINES_MAX],
    );
  });

  test('what they print stands at its line, in its order', async () => {
    const jobs = [
      { area: 'back', method: 'dtf' },
      { area: 'front', method: 'dtg' },
    ];
    const items = [
      teeItem(service, { print_jobs: jobs }),
      teeItem(service, { print_jobs: [] }),
      teeItem(service, { print_jobs: jobs.toReversed() }),
    ];
    const { body: created } = await service.customer.request<Placed>('POST', '/orders', basket(service, { items }));
    const { body } = await service.customer.request<Order>('GET', `/orders/${created.id}`);
    assert.deepEqual(
      body.items.map(({ print_jobs, artwork }) => [
        print_jobs,
        artwork?.areas.map(({ print_area: area, method }) => ({ area, method })),
      ]),
      [jobs, [], jobs.toReversed()].map((expected) => [expected, expected]),
    );
    assert.ok(body.items.every(({ artwork }) => artwork?.areas.every(({ source, print }) => source && print)));
  });

  test('in a list they are what they are by themselves, whichever of them print the same and in whatever order', async () => {
    const { customer } = service;
    const printed = teeItem(service, { print_jobs: [{ area: 'front', method: 'dtg' }] });
    const blank = teeItem(service, { print_jobs: [] });
    const ids: string[] = [];
    for (const items of [[printed], [blank], [printed, blank], [blank]]) {
      const { body } = await customer.request<Placed>('POST', '/orders', basket(service, { items }));
      ids.push(body.id);
    }
    const read = async (id: string) => (await customer.request<Order>('GET', `/orders/${id}`)).body;
    const [oldest] = ids;
    const since = (await read(ids[1] ?? '')).created_at;
    assert.equal((await customer.request('POST', `/orders/${oldest}/cancel`)).status, 200);
    const newestFirst = ids.toReversed();
    // Newer than the time by their placing, and the oldest by its cancel: two lists, one after the other.
    for (const path of ['/orders?limit=4', `/orders?limit=4&updated_since=${since}`]) {
      const page = await eventually('the cancel is listed', async () => {
        const { body } = await customer.request<Page<Order>>('GET', path);
        return body.data.length === 4 ? body.data : undefined;
      });
      const alone = await Promise.all(newestFirst.map(read));
      assert.deepEqual(page.map(unsigned), alone.map(unsigned));
    }
  });
});

describe('a statement that fails', () => {
  const failing = (text: string) => (): Promise<never> =>
    service.ctx.database.transaction((tx) => tx.one({ name: '', text }, [])) as Promise<never>;

  test('for a fault that the server reports has each order read alone', async () => {
    const shop = await openShop(service, 2);
    const orders = [await placed(shop), await placed(shop)];
    const { read, open, namesOfOwn } = gated({ all: failing('select 1 / 0') });
    open();
    const found = await Promise.all([...orders.map((order) => read(byId(shop, order))), read(byId(shop, shopless()))]);
    assert.deepEqual(
      found.map((order) => order?.reference),
      [...orders.map(({ reference }) => reference), undefined],
    );
    assert.deepEqual(
      namesOfOwn,
      Array.from({ length: 3 }, () => 'orders_shown_together'),
    );
  });

  test('for want of time or of an answer is not tried again', async () => {
    const shop = await openShop(service, 1);
    const order = await placed(shop);
    const late = failing(`do $$ begin raise exception 'late' using errcode = 'query_canceled'; end $$`);
    const silent = (): Promise<never> => Promise.reject(new Error('no answer'));
    for (const [all, reason] of [
      [late, { code: 'unavailable' }],
      [silent, /no answer/],
    ] as const) {
      const { read, open, namesOfOwn } = gated({ all });
      open();
      await assert.rejects(read(byId(shop, order)), reason);
      assert.deepEqual(namesOfOwn, []);
    }
  });

  test('the caller of an order that went while it waited is spared, and so is the database', async () => {
    const shop = await openShop(service, 1);
    const order = await placed(shop);
    const { read, open, sizes } = gated();
    const first = read(byId(shop, order));
    const gone = read(byId(shop, order), true);
    const third = read(byId(shop, order));
    open();
    await assert.rejects(gone, { code: 'unavailable' });
    assert.deepEqual(
      (await Promise.all([first, third])).map((found) => found?.reference),
      [order.reference, order.reference],
    );
    assert.deepEqual(sizes, [1, 1]);
  });
});

/** An order that there is not. */
function shopless(): Placed {
  return { id: publicId('ord', newId()), reference: '' };
}
