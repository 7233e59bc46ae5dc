import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { findIssuedRow, listIssuedRows } from '../../src/invoices/list-sql.ts';
import { newId, type Uuid } from '../../src/lib/ids.ts';
import { openAccount, openTestContext, type TestContext } from '../harness/context.ts';
import { rowsTouched } from '../harness/rows-touched.ts';

// The list of documents must cost by its page, however many were ever issued: the rows that it touches are counted.

const INVOICES = 20_000;
/** A page of 25 of both kinds, several times over. */
const PAGE_TOUCHED_MAX = 400;

let ctx: TestContext;
let busy: Uuid;
let quiet: Uuid;
const END = new Date('2026-11-01T00:00:00.000Z');
before(async () => {
  ctx = await openTestContext({});
  busy = (await openAccount(ctx)).accountId;
  quiet = (await openAccount(ctx)).accountId;
  const document = `json_build_object('order_reference', 'PF-' || n, 'tax_point', '2026-10-01',
    'customer', json_build_object('name', 'A', 'vat_number', ''), 'net_pence', 1, 'vat_pence', 0, 'duty_pence', 0, 'total_pence', 1)`;
  // Each a minute after the one before. One in a thousand is of the quiet account. The orders are left out.
  await ctx.database.script(`
    alter table invoice disable trigger all; alter table credit_note disable trigger all;
    insert into invoice (account_id, order_id, number, document, issued_at)
    select case when n % 1000 = 0 then '${quiet}' else '${busy}' end::uuid, gen_random_uuid(), n, ${document},
      timestamptz '${END.toISOString()}' - make_interval(mins => ${INVOICES} - n)
    from generate_series(1, ${INVOICES}) as n;
    insert into credit_note (account_id, order_id, credit_id, number, document, issued_at)
    select account_id, order_id, gen_random_uuid(), ${INVOICES} + number, document, issued_at + interval '1 second'
    from invoice where number % 10 = 0;
    alter table invoice enable trigger all; alter table credit_note enable trigger all;
    analyze;
  `);
});
after(() => ctx.close());

test('a page of documents touches a page, from wherever it begins, of all accounts and of one, of both kinds and of one', async () => {
  const middle = new Date(END.getTime() - (INVOICES / 2) * 60_000);
  for (const issuedAt of [new Date('2027-01-01'), middle, new Date(END.getTime() - (INVOICES - 30) * 60_000)]) {
    for (const accountId of [undefined, busy, quiet, newId()]) {
      for (const kind of [undefined, 'invoice', 'credit_note'] as const) {
        for (const since of [new Date(0), middle]) {
          const page = { before: { issuedAt, number: 1 }, since, accountId, kind, limit: 26 };
          const count = await rowsTouched(ctx.database, (db) => listIssuedRows(db, page));
          assert.ok(count <= PAGE_TOUCHED_MAX, `${JSON.stringify(page)} touches ${count} rows`);
        }
      }
    }
  }
});

test('a document is found by its number alone', async () => {
  for (const number of [1, INVOICES, INVOICES + 10, 10 * INVOICES]) {
    const count = await rowsTouched(ctx.database, (db) => findIssuedRow(db, number));
    assert.ok(count <= 4, `number ${number} touches ${count} rows`);
  }
});

test('what was issued is all there, in its order', async () => {
  const page = { before: { issuedAt: new Date('2027-01-01'), number: 1 }, since: new Date(0), kind: undefined };
  const found = await listIssuedRows(ctx.database, { ...page, accountId: quiet, limit: 100 });
  // Each of its invoices has a note.
  assert.equal(found.length, (2 * INVOICES) / 1_000);
  const times = found.map(({ issued_at: at }) => at.getTime());
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
});
