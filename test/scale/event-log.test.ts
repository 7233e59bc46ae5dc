import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Caller } from '../../src/lib/caller.ts';
import { isoTime } from '../../src/lib/clock.ts';
import { publicId, type Uuid } from '../../src/lib/ids.ts';
import type { ListEventsQuery } from '../../src/webhooks/event-schema.ts';
import { type LogSubject, readLog } from '../../src/webhooks/read-log.ts';
import { openAccount, openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// The log must cost the same however long it is, wherever it is entered and whatever it is filtered by.

const EVENTS = 200_000;
const DAY_MS = 86_400_000;
/** A page of 100 and one more, some times over; a walk over the log touches a hundred times as much. */
const ROWS_TOUCHED_MAX = 1_500;

let ctx: TestContext;
let caller: Caller;
let late: { id: Uuid; order_id: Uuid };

before(async () => {
  ctx = await openTestContext({});
  caller = await openAccount(ctx);
  // Sixty days of it, oldest first, 400 events a transaction, one in 20,000 of a rare name.
  await ctx.database.script(`
    insert into event (id, account_id, order_id, sequence, event, data, created_at, transaction_id)
    select uuid_v7(at), '${caller.accountId}', uuid_v7(at), 1,
      case when n % 20000 = 0 then 'order.payment_failed' when n % 3 = 0 then 'order.created' else 'order.dispatched' end,
      '{}', at, (n / 400)::text::xid8
    from (
      select n, clock_timestamp() - make_interval(days => 60) * (1 - n / ${EVENTS}::float) as at
      from generate_series(1, ${EVENTS}) as n
    ) as told;
    analyze event;
  `);
  const row = await ctx.database.one<{ id: Uuid; order_id: Uuid }>(
    {
      name: 'late',
      text: `select id, order_id from event order by transaction_id, id offset ${EVENTS * 0.9} limit 1`,
    },
    [],
  );
  assert.ok(row);
  late = row;
});
after(() => ctx.close());

const daysAgo = (days: number): string => isoTime(new Date(ctx.clock.now().getTime() - days * DAY_MS));

const PARTS: readonly (readonly [what: string, query: () => ListEventsQuery, count: number])[] = [
  ['its beginning, thirty days back', () => ({}), 100],
  ['where a reader left off', () => ({ cursor: publicId('evt', late.id) }), 100],
  ['a time', () => ({ since: daysAgo(3) }), 100],
  ['a cursor before a time', () => ({ cursor: publicId('evt', late.id), since: daysAgo(1) }), 100],
  ['frequent names', () => ({ event: 'order.created,order.dispatched' }), 100],
  ['a rare name', () => ({ event: 'order.payment_failed' }), 5],
  ['a name that nothing has', () => ({ event: 'order.on_hold' }), 0],
  ['the end', () => ({ since: daysAgo(0) }), 0],
];

async function touchedBy(query: ListEventsQuery, subject: LogSubject): Promise<number> {
  const limited = { limit: '100', ...query };
  return rowsTouched(ctx.database, (db) =>
    readLog({ ...ctx, database: { ...ctx.database, ...db } }, caller, limited, subject),
  );
}

for (const [what, query, count] of PARTS) {
  test(`a page of the log from ${what} touches a page of rows`, async () => {
    const page = await readLog(ctx, caller, { limit: '100', ...query() }, { kind: 'account' });
    assert.equal(page.data.length, count);
    const touched = await touchedBy(query(), { kind: 'account' });
    assert.ok(touched <= ROWS_TOUCHED_MAX, `it touches ${touched} rows`);
  });
}

test('the log of one order touches the events of that order', async () => {
  const subject: LogSubject = { kind: 'order', id: late.order_id };
  assert.equal((await readLog(ctx, caller, {}, subject)).data.length, 1);
  const touched = await touchedBy({}, subject);
  assert.ok(touched <= 50, `it touches ${touched} rows`);
});
