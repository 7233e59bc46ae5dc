import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, test } from 'node:test';
import fc from 'fast-check';
import { openAccount, openTestContext, type TestContext } from '../../test/harness/context.ts';
import type { Uuid } from '../lib/ids.ts';
import { sellerDay, sellerDayBounds } from '../lib/seller-day.ts';
import { ConfigError } from '../lib/settings/forms.ts';
import { verify } from '../verify/verify.ts';
import { readAllTotals, readTotals, type TotalsRow } from './books-sql.ts';
import { closeDays } from './close-days.ts';
import { holdClosing } from './hold-closing.ts';
import { agreeOnTimeZone, readSellerDays } from './seller-days.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let ctx: TestContext;
let accountId: Uuid;
before(async () => {
  ctx = await openTestContext({});
  ({ accountId } = await openAccount(ctx));
});
after(() => ctx.close());

type Posted = { readonly at: Date; readonly debit: string; readonly credit: string; readonly pence: number };

/** The books with nothing in them, and days of the seller from a time on. */
async function empty(beginsAt: Date, timeZone = 'Europe/London'): Promise<void> {
  await ctx.database.script(`
    alter table posting disable trigger user; delete from posting; alter table posting enable trigger user;
    delete from closed_day; delete from ledger_day;
    update ledger_closing set closed_until = '${beginsAt.toISOString()}';
    update seller_day set begins_at = '${beginsAt.toISOString()}', closed_until = '${beginsAt.toISOString()}',
      time_zone = '${timeZone}';
  `);
}

beforeEach(() => empty(new Date(0)));

async function post(posted: readonly Posted[]): Promise<void> {
  if (posted.length === 0) return;
  const values = posted.map(
    ({ at, debit, credit, pence }) =>
      `('${accountId}', uuid_v7('${at.toISOString()}'), 'sale', '${debit}', '${credit}', ${pence}, '${at.toISOString()}')`,
  );
  await ctx.database.script(`
    insert into posting (account_id, id, kind, debit_account, credit_account, amount_pence, created_at)
    values ${values.join(',')}`);
}

const closeAt = (now: Date): Promise<number> => closeDays({ ...ctx, clock: { now: () => now } });

/** What an account has up to and including a time, summed from all that was posted. */
function summed(posted: readonly Posted[], account: string, at: Date): Omit<TotalsRow, 'account'> {
  const until = posted.filter((one) => one.at <= at);
  const sum = (side: 'debit' | 'credit'): number =>
    until.filter((one) => one[side] === account).reduce((total, { pence }) => total + pence, 0);
  return { debit_pence: sum('debit'), credit_pence: sum('credit') };
}

async function assertTotals(posted: readonly Posted[], at: Date): Promise<void> {
  for (const account of ['sales', 'order_deposits', 'vat:2000']) {
    const { debit_pence, credit_pence } = await readTotals(ctx.database, account, at);
    assert.deepEqual({ debit_pence, credit_pence }, summed(posted, account, at), `${account} at ${at.toISOString()}`);
  }
}

async function assertNothingBroken(): Promise<void> {
  const { checks } = await verify(ctx as unknown as Parameters<typeof verify>[0]);
  const closing = checks.filter(({ name }) => /closed days/.test(name));
  assert.equal(closing.length, 2);
  assert.deepEqual(
    closing.flatMap(({ violations }) => violations),
    [],
  );
}

const untils = async (table: 'closed_day' | 'ledger_day'): Promise<string[]> =>
  (
    await ctx.database.all<{ until: Date }>(
      { name: `test_${table}`, text: `select distinct until from ${table} order by until` },
      [],
    )
  ).map(({ until }) => until.toISOString());

const sale = (iso: string, pence = 100): Posted => ({
  at: new Date(iso),
  debit: 'order_deposits',
  credit: 'sales',
  pence,
});

// The statements of the version before, which closes days of UTC beside this one and may be gone back to.
const BEFORE = {
  close: `
    with name as (select debit_account as name from posting union select credit_account from posting),
    day as (
      select date_trunc('day', min(created_at), 'UTC') as begins from posting
      where created_at >= (select closed_until from ledger_closing)
    ),
    moved as (
      select n.name,
        (select coalesce(sum(amount_pence), 0) from posting, day where debit_account = n.name
          and created_at >= begins and created_at < begins + interval '24 hours') as debit_pence,
        (select coalesce(sum(amount_pence), 0) from posting, day where credit_account = n.name
          and created_at >= begins and created_at < begins + interval '24 hours') as credit_pence
      from name n
    ),
    closed as (
      insert into ledger_day (account, until, debit_pence, credit_pence)
      select m.name, begins + interval '24 hours', coalesce(b.debit_pence, 0) + m.debit_pence,
        coalesce(b.credit_pence, 0) + m.credit_pence
      from day, moved m left join lateral (
        select debit_pence, credit_pence from ledger_day d where d.account = m.name order by until desc limit 1
      ) as b on true
      where m.debit_pence + m.credit_pence > 0
    )
    update ledger_closing set closed_until = begins + interval '24 hours' from day where begins is not null`,
  totals: `
    with closing as (
      select least(closed_until, date_trunc('day', $1::timestamptz, 'UTC')) as until from ledger_closing
    )
    select coalesce(b.debit_pence, 0) + (select coalesce(sum(amount_pence), 0)::bigint from posting
        where debit_account = $2 and created_at >= c.until and created_at <= $1) as debit_pence,
      coalesce(b.credit_pence, 0) + (select coalesce(sum(amount_pence), 0)::bigint from posting
        where credit_account = $2 and created_at >= c.until and created_at <= $1) as credit_pence
    from closing c left join lateral (
      select debit_pence, credit_pence from ledger_day d where d.account = $2 and d.until <= c.until
      order by d.until desc limit 1
    ) as b on true`,
};

const totalsBefore = async (account: string, at: Date) =>
  ctx.database.one<Omit<TotalsRow, 'account'>>({ name: 'test_totals_before', text: BEFORE.totals }, [at, account]);

describe('a day of the books is a day of the seller', () => {
  test('it ends an hour earlier by UTC in summer, and has 23 and 25 hours when the clocks change', async () => {
    await empty(new Date('2026-03-28T00:00:00.000Z'));
    await post([
      sale('2026-03-28T12:00:00.000Z'),
      sale('2026-03-29T22:59:59.999Z'),
      sale('2026-03-29T23:00:00.000Z'),
      sale('2026-10-24T22:59:59.999Z'),
      sale('2026-10-24T23:00:00.000Z'),
      sale('2026-10-25T23:59:59.999Z'),
    ]);
    assert.equal(await closeAt(new Date('2026-11-01T12:00:00.000Z')), 5);
    assert.deepEqual(await untils('closed_day'), [
      '2026-03-29T00:00:00.000Z',
      '2026-03-29T23:00:00.000Z',
      '2026-03-30T23:00:00.000Z',
      '2026-10-24T23:00:00.000Z',
      '2026-10-26T00:00:00.000Z',
    ]);
    await assertNothingBroken();
  });

  test('it is closed an hour after its end and not before', async () => {
    await empty(new Date('2026-06-30T00:00:00.000Z'));
    await post([sale('2026-06-30T12:00:00.000Z')]);
    assert.equal(await closeAt(new Date('2026-06-30T23:59:59.999Z')), 0);
    assert.equal(await closeAt(new Date('2026-07-01T00:00:00.000Z')), 1);
    assert.equal(await closeAt(new Date('2026-07-01T00:00:00.000Z')), 0);
  });

  test('days that were closed by UTC stay as they are, and the next begins where they end', async () => {
    await empty(new Date('2026-06-29T00:00:00.000Z'));
    await post([sale('2026-06-29T23:30:00.000Z', 1), sale('2026-06-30T23:30:00.000Z', 10)]);
    await ctx.database.script(BEFORE.close);
    await ctx.database.script(
      'update seller_day set (begins_at, closed_until) = (select closed_until, closed_until from ledger_closing)',
    );
    const closed = await untils('ledger_day');
    assert.deepEqual(closed, ['2026-06-30T00:00:00.000Z']);
    assert.equal(await closeAt(new Date('2026-07-03T12:00:00.000Z')), 1);
    // The first day of the seller is the 30th from midnight UTC on; the sale at half past midnight is of the 1st.
    assert.deepEqual(await untils('closed_day'), ['2026-07-01T23:00:00.000Z']);
    assert.deepEqual(await untils('ledger_day'), closed);
    const { credit_pence } = await readTotals(ctx.database, 'sales', new Date('2026-07-03T00:00:00.000Z'));
    assert.equal(credit_pence, 11);
    await assertNothingBroken();
  });

  test('the totals of all closed days can be emptied, and are made again from the postings', async () => {
    await empty(new Date('2026-06-30T00:00:00.000Z'));
    await ctx.database.script("update ledger_closing set closed_until = 'epoch'");
    await post([sale('2026-06-29T23:30:00.000Z', 1)]);
    await ctx.database.script(BEFORE.close);
    await post([sale('2026-06-30T23:30:00.000Z', 10), sale('2026-07-02T12:00:00.000Z', 100)]);
    const now = new Date('2026-07-03T12:00:00.000Z');
    assert.equal(await closeAt(now), 2);
    // As the runbook says.
    await ctx.database.script(`
      delete from closed_day; update seller_day set closed_until = begins_at;
      delete from ledger_day; update ledger_closing set closed_until = 'epoch';
    `);
    assert.equal(await closeAt(now), 2);
    assert.equal((await readTotals(ctx.database, 'sales', now)).credit_pence, 111);
    await assertNothingBroken();
  });

  test('verify finds a closed day that is not the sum of its postings', async () => {
    await empty(new Date('2026-06-29T00:00:00.000Z'));
    await post([sale('2026-06-29T12:00:00.000Z')]);
    await closeAt(new Date('2026-07-03T12:00:00.000Z'));
    const broken = async (): Promise<string[]> =>
      (await verify(ctx as unknown as Parameters<typeof verify>[0])).checks
        .filter(({ name, violations }) => name.includes('closed days') && violations.length > 0)
        .map(({ name }) => name);
    assert.deepEqual(await broken(), []);
    await ctx.database.script("update closed_day set credit_pence = credit_pence + 1 where account = 'sales'");
    assert.deepEqual(await broken(), ['the closed days of the books are the sums of their postings']);
    await ctx.database.script("update closed_day set credit_pence = credit_pence - 1 where account = 'sales'");
    // A posting that came after its day was closed.
    await post([sale('2026-06-29T13:00:00.000Z')]);
    assert.deepEqual(await broken(), ['the closed days of the books are the sums of their postings']);
    await ctx.database.script("delete from closed_day where account = 'sales'");
    assert.deepEqual(await broken(), ['the closed days of the books are the sums of their postings']);
  });
});

describe('the time zone of the days', () => {
  const withZone = (timeZone: string) => ({
    ...ctx,
    config: { ...ctx.config, seller: { ...ctx.config.seller, timeZone } },
  });

  test('is that of the settings until a day is closed by it, and then stays: another one ends the start', async () => {
    await empty(new Date('2026-06-29T00:00:00.000Z'));
    await ctx.database.script('update seller_day set time_zone = null');
    assert.equal((await readSellerDays(withZone('Europe/Dublin'))).timeZone, 'Europe/Dublin');
    await agreeOnTimeZone(withZone('Europe/Dublin'));
    await agreeOnTimeZone(withZone('Europe/London'));
    assert.equal((await readSellerDays(withZone('Europe/Dublin'))).timeZone, 'Europe/London');
    await post([sale('2026-06-29T12:00:00.000Z')]);
    await closeAt(new Date('2026-07-03T12:00:00.000Z'));
    await agreeOnTimeZone(withZone('Europe/London'));
    await assert.rejects(
      agreeOnTimeZone(withZone('Europe/Dublin')),
      (error: unknown) =>
        error instanceof ConfigError &&
        /^SELLER_TIME_ZONE must stay Europe\/London, [^\n]*"Europe\/Dublin"$/.test(error.message),
    );
    assert.equal((await readSellerDays(withZone('Europe/Dublin'))).timeZone, 'Europe/London');
  });
});

describe('whatever was posted and whenever days were closed', () => {
  const BEGIN = Date.parse('2026-01-01T00:00:00.000Z');
  const YEARS_MS = 2 * 365 * DAY_MS;
  /** Instants anywhere in two years, and often within two hours of the midnights where clocks change. */
  const instants = fc.oneof(
    fc.integer({ min: 0, max: YEARS_MS }),
    fc
      .tuple(
        fc.constantFrom(
          '2026-03-29',
          '2026-03-30',
          '2026-10-25',
          '2026-10-26',
          '2027-03-28',
          '2027-03-29',
          '2027-10-31',
          '2027-11-01',
        ),
        fc.integer({ min: -2 * HOUR_MS, max: 2 * HOUR_MS }),
      )
      .map(([day, offsetMs]) => Date.parse(day) - BEGIN + offsetMs),
  );
  const postings = fc.array(
    fc.record({
      at: instants.map((ms) => new Date(BEGIN + ms)),
      side: fc.constantFrom(['order_deposits', 'sales'], ['order_deposits', 'vat:2000'], ['sales', 'order_deposits']),
      pence: fc.integer({ min: 1, max: 10_000 }),
    }),
    { minLength: 1, maxLength: 40 },
  );

  test('the totals at every boundary are the sums of the ledger, with the change of zone in the middle, in both versions', async () => {
    await fc.assert(
      fc.asyncProperty(
        postings,
        fc.integer({ min: 0, max: 730 }),
        fc.array(instants, { maxLength: 5 }),
        fc.boolean(),
        async (drawn, changedOn, closings, isMixed) => {
          const posted = drawn.map(({ at, side: [debit = '', credit = ''], pence }) => ({ at, debit, credit, pence }));
          const from = new Date(BEGIN + changedOn * DAY_MS);
          await empty(from);
          await post(posted.filter(({ at }) => at < from));
          // What the version before has closed until the change: every day with a posting.
          await ctx.database.script(`update ledger_closing set closed_until = 'epoch'`);
          const utcDays = new Set(posted.filter(({ at }) => at < from).map(({ at }) => at.toISOString().slice(0, 10)));
          for (const _ of utcDays) await ctx.database.script(BEFORE.close);
          await ctx.database.script(`update ledger_closing set closed_until = '${from.toISOString()}'`);
          // Afterwards closing and posting take turns. Nothing is posted into a day that is closed.
          const later = posted.filter(({ at }) => at >= from).toSorted((a, b) => a.at.getTime() - b.at.getTime());
          const ends = closings.map((ms) => new Date(BEGIN + ms)).toSorted((a, b) => a.getTime() - b.getTime());
          let done = 0;
          for (const end of [...ends, new Date(BEGIN + YEARS_MS + 3 * DAY_MS)]) {
            const now = later.slice(done).findIndex(({ at }) => at > end);
            const count = now === -1 ? later.length - done : now;
            await post(later.slice(done, done + count));
            done += count;
            while ((await closeAt(end)) > 0);
          }
          // A node of the version before closes a day beside this one.
          if (isMixed && later.length > 0) await ctx.database.script(BEFORE.close);
          const days = await readSellerDays(ctx);
          const boundaries = posted.flatMap(({ at }) => {
            const { from: begin, until } = sellerDayBounds(days, sellerDay(days, at));
            return [at, begin, new Date(until.getTime() - 1), until];
          });
          for (const at of [...boundaries.slice(0, 40), from]) {
            await assertTotals(posted, at);
            const before = await totalsBefore('sales', at);
            assert.deepEqual(before, summed(posted, 'sales', at), `the version before, at ${at.toISOString()}`);
          }
          const books = await readAllTotals(ctx.database, new Date(BEGIN + 2 * YEARS_MS));
          assert.equal(
            books.reduce((sum, row) => sum + row.debit_pence - row.credit_pence, 0),
            0,
          );
          await assertNothingBroken();
        },
      ),
      { numRuns: 30 },
    );
  });
});

test('while the closing is held no day is closed, by any node, and afterwards all that ended are', async () => {
  const [posted, now] = [new Date('2026-03-02T10:00:00Z'), new Date('2026-03-05T10:00:00Z')];
  const held = await holdClosing(ctx);
  assert.ok(held !== undefined);
  assert.deepEqual(held.closedUntil, new Date(0));
  assert.equal(await holdClosing(ctx), undefined, 'one holds it at a time');
  await post([{ at: posted, debit: 'order_deposits', credit: 'sales', pence: 700 }]);
  assert.equal(await closeAt(now), 0);
  assert.equal(held.isHeld(), true);
  await held.release();
  assert.equal(held.isHeld(), false);
  assert.equal(await closeAt(now), 1);
  const after = await holdClosing(ctx);
  assert.deepEqual(after?.closedUntil, new Date('2026-03-05T00:00:00Z'));
  await after?.release();
});
