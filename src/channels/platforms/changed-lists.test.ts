import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { MEDUSA } from './medusa/medusa.ts';
import type { ListPlace, Platform, ReadOrder, Shop } from './port.ts';
import { ShopFault } from './shop-call.ts';
import { WOOCOMMERCE } from './woocommerce/woocommerce.ts';

// The lists of changed orders of shops that sort them by the time of their change, and give them out by pages.

/** An order of a shop: when it was changed, and whether the shop leaves it out of the pages that it has counted. */
type Row = { readonly id: number; changedMs: number; readonly isHidden?: boolean };

type Asked = { readonly path: string; readonly query: URLSearchParams };

const NOON = Date.parse('2026-03-01T12:00:00.000Z');
const HOUR_MS = 3_600_000;
/** More than a sync ever needs for a list of these tests. */
const PAGES_MAX = 40;

const isoOf = (ms: number): string => new Date(ms).toISOString();
const timeIn = (query: URLSearchParams, name: string, otherwise: number): number =>
  query.has(name) ? Date.parse(query.get(name) ?? '') : otherwise;

function pageOf(rows: readonly Row[], isById: boolean, from: number, size: number): Row[] {
  return rows
    .toSorted((a, b) => (isById ? 0 : a.changedMs - b.changedMs) || a.id - b.id)
    .slice(from, from + size)
    .filter(({ isHidden }) => isHidden !== true);
}

function answerAsWoo(rows: readonly Row[], { query }: Asked): { json: unknown; headers: Record<string, string> } {
  const [after, before] = [timeIn(query, 'modified_after', 0), timeIn(query, 'modified_before', Infinity)];
  const size = Number(query.get('per_page'));
  const within = rows.filter(({ changedMs }) => changedMs > after && changedMs < before);
  const found = query.get('status') === 'trash' ? [] : within;
  const json = pageOf(found, query.get('orderby') === 'id', (Number(query.get('page')) - 1) * size, size);
  return {
    json: json.map(({ id, changedMs }) => ({ id, date_modified_gmt: isoOf(changedMs).slice(0, 19) })),
    headers: { 'X-WP-TotalPages': String(Math.ceil(found.length / size)) },
  };
}

function answerAsMedusa(rows: readonly Row[], { path, query }: Asked): { json: unknown } {
  const [from, before] = [timeIn(query, 'updated_at[$gte]', 0), timeIn(query, 'updated_at[$lt]', Infinity)];
  const found = path.endsWith('/payments') ? [] : rows;
  const within = found.filter(({ changedMs }) => changedMs >= from && changedMs < before);
  const page = pageOf(within, query.get('order') === 'id', Number(query.get('offset')), Number(query.get('limit')));
  const list = page.map(({ id, changedMs }) => ({ id: `order_${id}`, updated_at: isoOf(changedMs) }));
  return { json: path.endsWith('/payments') ? { payments: [] } : { orders: list } };
}

type Lists = {
  readonly platform: Platform;
  readonly page: number;
  readonly placeAt: (ms: number) => ListPlace;
  readonly answer: (rows: readonly Row[], asked: Asked) => { json: unknown; headers?: Record<string, string> };
};

const WOO: Lists = {
  platform: WOOCOMMERCE,
  page: 50,
  placeAt: (ms) => ({ after: isoOf(ms) }),
  answer: answerAsWoo,
};
const OF_MEDUSA: Lists = {
  platform: MEDUSA,
  page: 25,
  placeAt: (ms) => ({ list: 'orders', orders_after: isoOf(ms), payments_after: isoOf(ms) }),
  answer: answerAsMedusa,
};

type Knobs = {
  readonly nowMs: number;
  /** How long each call takes. */
  readonly callMs?: number;
  readonly isWithHeaders?: boolean;
  /** Whether it refuses a page that is none, rather than give out an empty one. */
  readonly refusesNone?: boolean;
};

/** A shop of orders, and how often it was called; its clock goes on with each call. */
function openRows(
  { answer }: Lists,
  rows: readonly Row[],
  { nowMs, callMs = 1_000, isWithHeaders = true, refusesNone = false }: Knobs,
): { readonly shop: Shop; readonly calls: () => number } {
  let calls = 0;
  const call: Shop['call'] = async (_method, path) => {
    calls += 1;
    const url = new URL(path, 'https://shop.example');
    const { json, headers = {} } = answer(rows, { path: url.pathname, query: url.searchParams });
    const isNone = Array.isArray(json) && json.length === 0 && Number(url.searchParams.get('page')) > 1;
    if (isNone && refusesNone) throw new ShopFault('rejected', 'The shop refuses this request (400).');
    return { status: 200, headers: new Headers(isWithHeaders ? headers : {}), json };
  };
  const shop: Shop = {
    ...{ call, credentials: {}, facts: {}, noticeUrl: '', noticeSecret: '', since: new Date(0) },
    latest: () => new Date(nowMs + calls * callMs),
  };
  return { shop, calls: () => calls };
}

/** Lists from a place until nothing has changed beyond; `after` changes something once so many pages were read. */
async function listAll(
  lists: Lists,
  rows: readonly Row[],
  given: ListPlace,
  { after = () => {}, ...knobs }: Knobs & { readonly after?: (pages: number) => void },
): Promise<{ readonly ids: number[]; readonly place: ListPlace; readonly calls: number }> {
  const { shop, calls } = openRows(lists, rows, knobs);
  const ids = new Set<number>();
  let place = given;
  for (let pages = 1; pages <= PAGES_MAX; pages += 1) {
    const listed = await lists.platform.listChanged(shop, place);
    for (const order of listed.orders) ids.add(idOf(order));
    ({ place } = listed);
    if (listed.isLast) return { ids: [...ids].toSorted((a, b) => a - b), place, calls: calls() };
    after(pages);
  }
  return assert.fail(`the list has no end in ${PAGES_MAX} pages`);
}

const idOf = (read: ReadOrder): number =>
  Number((read.kind === 'order' ? read.order.id : read.id).replace('order_', ''));

const rowsAt = (count: number, changedMs: number, firstId = 1): Row[] =>
  Array.from({ length: count }, (_, at) => ({ id: firstId + at, changedMs }));

const allOf = (rows: readonly Row[]): number[] => rows.map(({ id }) => id).toSorted((a, b) => a - b);

for (const lists of [WOO, OF_MEDUSA]) {
  const { title } = lists.platform;
  describe(`the list of changed orders of ${title}`, () => {
    test('ends where more than a page of orders are ahead of every clock, and has what changes after that', async () => {
      const rows = [...rowsAt(3, NOON - 2 * HOUR_MS), ...rowsAt(lists.page * 3 + 7, NOON + HOUR_MS, 10)];
      for (const [at, row] of rows.entries()) row.changedMs += at * 2_000;
      const first = await listAll(lists, rows, lists.placeAt(NOON - 3 * HOUR_MS), { nowMs: NOON });
      assert.deepEqual(first.ids, allOf(rows));
      const later = [rows[1], rows[60]].filter((row) => row !== undefined);
      for (const row of later) row.changedMs = NOON + 30_000;
      later.push({ id: 999, changedMs: NOON + 40_000 });
      rows.push(...later.slice(2));
      const second = await listAll(lists, rows, first.place, { nowMs: NOON + 120_000 });
      for (const { id } of later) assert.ok(second.ids.includes(id), `${id} is found`);
      assert.ok(second.calls < first.calls + 3, 'it is a list as the first');
    });

    test('has what changes while those that are ahead of every clock are read, however long that takes', async () => {
      const rows = rowsAt(lists.page * 3 + 7, NOON + HOUR_MS);
      const [changed] = rows.slice(-1);
      const first = await listAll(lists, rows, lists.placeAt(NOON - HOUR_MS), {
        nowMs: NOON,
        callMs: 200_000,
        after: (page) => {
          if (page === 1 && changed !== undefined) changed.changedMs = NOON + 205_000;
        },
      });
      // An hour later it is behind the last change by far.
      rows.push({ id: 999, changedMs: NOON + HOUR_MS });
      const second = await listAll(lists, rows, first.place, { nowMs: NOON + HOUR_MS });
      assert.ok(changed !== undefined && [...first.ids, ...second.ids].includes(changed.id));
    });

    test('goes back where its place is ahead of every clock, and then goes on', async () => {
      const rows = rowsAt(lists.page * 2, NOON + HOUR_MS);
      rows.push({ id: 999, changedMs: NOON - 60_000 });
      const { ids } = await listAll(lists, rows, lists.placeAt(NOON + HOUR_MS / 2), { nowMs: NOON });
      assert.deepEqual(ids, allOf(rows));
    });

    test('has all orders of one moment, whatever is changed of those that were read', async () => {
      for (const changedAfter of [1, 2, 3, 4]) {
        const rows = rowsAt(lists.page * 4 + 10, NOON - 2 * HOUR_MS);
        const { ids } = await listAll(lists, rows, lists.placeAt(NOON - 3 * HOUR_MS), {
          nowMs: NOON,
          after: (page) => {
            if (page !== changedAfter) return;
            for (const row of rows.slice(0, lists.page - 5)) row.changedMs = NOON - HOUR_MS + row.id * 2_000;
          },
        });
        assert.deepEqual(ids, allOf(rows), `changed after page ${changedAfter}`);
      }
    });

    test('has what was changed before a moment of many orders, and after it', async () => {
      const rows = [
        ...rowsAt(5, NOON - 3 * HOUR_MS),
        ...rowsAt(lists.page * 2, NOON - 2 * HOUR_MS, 100),
        ...rowsAt(lists.page + 5, NOON - HOUR_MS, 300),
        ...rowsAt(5, NOON - 1_000, 400),
      ];
      const { ids, place } = await listAll(lists, rows, lists.placeAt(NOON - 4 * HOUR_MS), { nowMs: NOON });
      assert.deepEqual(ids, allOf(rows));
      const again = await listAll(lists, rows, place, { nowMs: NOON + 120_000 });
      assert.deepEqual(again.ids, [400, 401, 402, 403, 404]);
    });
  });
}

describe('a page of orders of WooCommerce that lacks some which the key may not read', () => {
  const rows = rowsAt(160, NOON - 2 * HOUR_MS).map((row) => ({
    ...row,
    changedMs: row.changedMs + row.id * 1_000,
    // Some of the first page, and all of the last.
    isHidden: row.id % 20 === 7 || row.id > 150,
  }));
  const shown = allOf(rows.filter(({ isHidden }) => !isHidden));
  for (const isWithHeaders of [true, false]) {
    test(`is not the end of the list, ${isWithHeaders ? 'by the pages that it counts' : 'though a proxy takes its headers'}`, async () => {
      const { ids, place } = await listAll(WOO, rows, WOO.placeAt(NOON - 3 * HOUR_MS), { nowMs: NOON, isWithHeaders });
      assert.deepEqual(ids, shown);
      const again = await listAll(WOO, rows, place, { nowMs: NOON + 120_000, isWithHeaders });
      assert.ok(again.calls <= 4, 'it goes on from its end');
    });

    test(`is not the last of the orders of before ${isWithHeaders ? 'with headers' : 'without them'}`, async () => {
      const { shop } = openRows(WOO, rows, { nowMs: NOON, isWithHeaders });
      const { place } = await WOOCOMMERCE.listChanged({ ...shop, since: new Date(NOON) }, {});
      assert.deepEqual(place, { page: 2 });
    });
  }

  test('hides no order behind it, though one that it hides is changed meanwhile', async () => {
    const many = [...rowsAt(50, NOON - 2 * HOUR_MS), ...rowsAt(60, NOON - HOUR_MS, 101)].map((row) => ({
      ...row,
      changedMs: row.changedMs + row.id * 1_000,
      isHidden: row.id <= 50,
    }));
    const after = (page: number): void => {
      const [first] = many;
      if (page === 1 && first !== undefined) first.changedMs = NOON - 5_000;
    };
    const { ids } = await listAll(WOO, many, WOO.placeAt(NOON - 3 * HOUR_MS), { nowMs: NOON, after });
    assert.deepEqual(ids, allOf(many.filter(({ isHidden }) => !isHidden)));
  });

  test('is the end where the shop refuses the page after it', async () => {
    const few = rowsAt(30, NOON - 2 * HOUR_MS).map((row) => ({ ...row, changedMs: row.changedMs + row.id * 1_000 }));
    const knobs = { nowMs: NOON, isWithHeaders: false, refusesNone: true };
    const { ids } = await listAll(WOO, few, WOO.placeAt(NOON - 3 * HOUR_MS), knobs);
    assert.deepEqual(ids, allOf(few));
  });

  test('is none where not one order of it may be read, and others follow', async () => {
    const many = [
      ...rowsAt(3, NOON - 2 * HOUR_MS),
      ...rowsAt(120, NOON - HOUR_MS, 10),
      ...rowsAt(3, NOON - 9_000, 200),
    ];
    const hidden = many.map((row) => ({ ...row, isHidden: row.id >= 10 && row.id < 200 }));
    const { ids } = await listAll(WOO, hidden, WOO.placeAt(NOON - 3 * HOUR_MS), { nowMs: NOON });
    assert.deepEqual(ids, [1, 2, 3, 200, 201, 202]);
  });
});
