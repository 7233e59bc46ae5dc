import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findFirstPosting, listLedgerPostings, readAllTotals, readTotals } from '../../src/billing/books-sql.ts';
import { closeDays } from '../../src/billing/close-days.ts';
import { listEntries, readAccountReceivable, readBalanceAt } from '../../src/billing/ledger.ts';
import { findLastEntryBefore, listEntriesBetween } from '../../src/billing/statement/statement-sql.ts';
import { findCollections, readPaidTwice } from '../../src/books/collections-sql.ts';
import { listEntryRows, readEnteredSince, readLeftToCorrect, readPosted } from '../../src/books/entries-sql.ts';
import {
  listCreditItems,
  listSaleItems,
  readEntryMoves,
  readPostedAfter,
  sumCredits,
  sumSales,
} from '../../src/books/reports/reports-sql.ts';
import type { Db } from '../../src/lib/db.ts';
import { FIRST_ID, LAST_ID, newId, type Uuid } from '../../src/lib/ids.ts';
import { rowsTouched as rowsTouchedIn } from '../harness/rows-touched.ts';
import { startTestService, type TestService } from '../harness/service.ts';

// The books must cost by a page, an account or a day, however much was ever posted: the rows that a statement touches
// are counted, so the machine's speed has no say in it.

/** Ten minutes apart, so a day has 144 of them, each of four postings. */
const ORDERS = 20_000;
/** A page of 25 from both sides, several times over. */
const PAGE_TOUCHED_MAX = 500;
/** The postings of a day and an hour on both of their sides, through several nodes of a plan. */
const DAYS_TOUCHED_MAX = 8_000;

/** An order that was collected by bank, which was corrected, and that as well, ten times. */
const COLLECTED = newId();

let service: TestService;
let now: Date;
before(async () => {
  service = await startTestService({ role: 'api' });
  now = service.ctx.clock.now();
  const { accountId } = service.customer;
  await service.ctx.database.script(`
    with balance as (select entries, balance_pence from account_balance where account_id = '${accountId}'),
    made as (
      select n, timestamptz '${now.toISOString()}' - make_interval(mins => 10 * (${ORDERS} - n)) as at
      from generate_series(1, ${ORDERS}) as n
    )
    insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, reference, created_at, entry,
      balance_after_pence)
    select '${accountId}', uuid_v7(m.at), p.kind, p.debit, p.credit, 100, '', m.at,
           case when p.kind = 'top_up' then b.entries + m.n end,
           case when p.kind = 'top_up' then b.balance_pence + m.n * 100 end
    from made m cross join balance b cross join (values
      ('top_up', 'bank', 'customer_balance'), ('charge', 'card_clearing', 'order_deposits'),
      ('sale', 'order_deposits', 'sales'), ('sale', 'order_deposits', 'vat:2000')) as p(kind, debit, credit);
    with recursive chain as (
      select uuid_v7(timestamptz '${now.toISOString()}') as id, null::uuid as corrects, 0 as place
      union all
      select uuid_v7(timestamptz '${now.toISOString()}'), id, place + 1 from chain where place < 10
    )
    insert into posting (account_id, id, order_id, kind, debit_account, credit_account, amount_pence, created_at, corrects_id)
    select '${accountId}', id, '${COLLECTED}', case place when 0 then 'charge_recovered' else 'correction' end,
      case place % 2 when 0 then 'bank' else 'receivables' end, case place % 2 when 0 then 'receivables' else 'bank' end, 100,
      timestamptz '${now.toISOString()}', corrects
    from chain;
    update account_balance set entries = entries + ${ORDERS}, balance_pence = balance_pence + ${ORDERS} * 100
    where account_id = '${accountId}';
    analyze;
  `);
  while ((await closeDays(service.ctx)) > 0);
  await service.ctx.database.script('analyze posting; analyze closed_day;');
});
after(() => service.stop());

async function holds(what: string, max: number, list: (db: Db) => Promise<unknown>): Promise<void> {
  const count = await rowsTouchedIn(service.ctx.database, list);
  assert.ok(count <= max, `${what} touches ${count} rows`);
}

/** The statements read one row: what is explained must not miss it. */
const evenIfNothing = (list: (db: Db) => Promise<unknown>) => (db: Db) => list(db).catch(() => undefined);

const times = (): readonly (readonly [string, Date])[] => [
  ['now', now],
  ['the middle', new Date(now.getTime() - (ORDERS / 2) * 600_000)],
  ['the first day', new Date(now.getTime() - (ORDERS - 10) * 600_000)],
];

test('the books at any time touch a day of postings and a row an account, however much was ever posted', async () => {
  for (const [name, at] of times()) {
    await holds(`the books at ${name}`, DAYS_TOUCHED_MAX, (db) => readAllTotals(db, at));
    for (const account of ['sales', 'order_deposits', 'vat:2000', 'receivables']) {
      await holds(
        `${account} at ${name}`,
        DAYS_TOUCHED_MAX,
        evenIfNothing((db) => readTotals(db, account, at)),
      );
    }
  }
});

test('a page of a statement touches a page of postings, wherever it begins and ends', async () => {
  for (const account of ['sales', 'order_deposits', 'customer_balance', 'receivables']) {
    for (const [name, at] of times()) {
      const from = { account, after: { createdAt: at, id: LAST_ID } };
      await holds(`${account} from ${name}`, PAGE_TOUCHED_MAX, (db) =>
        listLedgerPostings(db, account, { after: from.after, to: now, limit: 26 }),
      );
      await holds(`${account} until ${name}`, PAGE_TOUCHED_MAX, (db) =>
        listLedgerPostings(db, account, { after: { createdAt: new Date(0), id: FIRST_ID }, to: at, limit: 26 }),
      );
    }
  }
});

test("a page of a customer's statement and the balance at a time touch a page of entries", async () => {
  const { accountId } = service.customer;
  for (const entry of [Number.MAX_SAFE_INTEGER, ORDERS / 2, 30]) {
    await holds(`entries before ${entry}`, PAGE_TOUCHED_MAX, (db) =>
      listEntries(db, accountId, { before: entry, limit: 26 }),
    );
  }
  for (const [name, at] of times()) {
    await holds(`the balance at ${name}`, PAGE_TOUCHED_MAX, (db) => readBalanceAt(db, accountId, at));
  }
});

test('the days of a statement touch a page of entries, wherever they begin and end', async () => {
  const { accountId } = service.customer;
  for (const minutes of [5, 100_000, 300_000]) {
    const until = new Date(now.getTime() - minutes * 60_000);
    await holds('the last entry', PAGE_TOUCHED_MAX, (db) => findLastEntryBefore(db, accountId, until));
  }
  for (const before of [30, ORDERS / 2, ORDERS]) {
    const page = { after: 0, before, limit: 26 };
    await holds('the entries', PAGE_TOUCHED_MAX, (db) => listEntriesBetween(db, accountId, page));
  }
});

test('what is to be closed next is found without a look at what was closed', async () => {
  for (const [name, at] of times()) {
    await holds(`the first posting since ${name}`, PAGE_TOUCHED_MAX, (db) => findFirstPosting(db, at));
  }
});

test('lists of entries, what a posting has left and what an account owes touch a page, however much was ever posted', async () => {
  const { accountId } = service.customer;
  const page = { before: LAST_ID as Uuid, limit: 26 };
  const which = [
    { kind: 'all' },
    { kind: 'proposed', since: new Date(0) },
    { kind: 'customer', customerId: accountId },
  ] as const;
  for (const list of which) await holds(list.kind, PAGE_TOUCHED_MAX, (db) => listEntryRows(db, page, list));
  const [posting] = await service.ctx.database.all<{ id: Uuid }>(
    { name: 'scale_a_posting', text: 'select id from posting where account_id = $1 order by id limit 1' },
    [accountId],
  );
  assert.ok(posting);
  await holds('what is left', PAGE_TOUCHED_MAX, (db) => readLeftToCorrect(db, [accountId], [posting.id]));
  await holds('what was posted for an entry', PAGE_TOUCHED_MAX, (db) => readPosted(db, [posting.id]));
  const [latest] = await service.ctx.database.all<{ id: Uuid }>(
    {
      name: 'scale_a_correction',
      text: 'select id from posting where order_id = $1 and corrects_id is not null order by id desc limit 1',
    },
    [COLLECTED],
  );
  assert.ok(latest);
  const about = [{ accountId, id: latest.id }];
  assert.deepEqual(
    (await findCollections(service.ctx.database, about)).map(({ order_id: id }) => id),
    [COLLECTED],
  );
  await holds('the collection of a correction', PAGE_TOUCHED_MAX, (db) => findCollections(db, about));
  await holds('what was paid twice', PAGE_TOUCHED_MAX, (db) => readPaidTwice(db, accountId, COLLECTED));
  await holds('what an account owes', PAGE_TOUCHED_MAX, (db) => readAccountReceivable(db, accountId));
  await holds('what was entered of an account', PAGE_TOUCHED_MAX, (db) => readEnteredSince(db, accountId, now));
});

test('the VAT of a day touches the postings of a day, and a page of its documents a page', async () => {
  for (const [name, at] of times()) {
    const until = new Date(at.getTime() + 86_400_000);
    await holds(`sales on the day of ${name}`, DAYS_TOUCHED_MAX, (db) => sumSales(db, at, until));
    await holds(`credits on the day of ${name}`, PAGE_TOUCHED_MAX, (db) => sumCredits(db, at, until));
    await holds(`around the midnight of ${name}`, DAYS_TOUCHED_MAX, (db) => readPostedAfter(db, at));
    await holds(`entries on the day of ${name}`, PAGE_TOUCHED_MAX, (db) => readEntryMoves(db, at, until));
    const items = { from: at, until, after: at, id: FIRST_ID, limit: 26 };
    await holds(`a page of credits from ${name}`, PAGE_TOUCHED_MAX, (db) => listCreditItems(db, items));
    // Until the end of the books: a page costs a page, however much follows.
    await holds(`a page of sales from ${name}`, PAGE_TOUCHED_MAX, (db) => listSaleItems(db, { ...items, until: now }));
  }
});
